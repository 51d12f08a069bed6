"""S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008."""
