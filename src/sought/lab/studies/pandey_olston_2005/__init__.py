"""S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005."""

PAPER = "pandey-olston-2005"
