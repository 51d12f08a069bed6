"""J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW 1998."""
