"""S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005."""
