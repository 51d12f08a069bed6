"""Which pages are alike, by all that the crawl keeps of them?"""
