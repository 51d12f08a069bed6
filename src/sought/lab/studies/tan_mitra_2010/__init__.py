"""Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010."""
