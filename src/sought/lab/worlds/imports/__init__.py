"""Worlds from elsewhere: git histories, WARC files, link graphs, wikis; and what is asked of them."""
