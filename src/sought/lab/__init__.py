"""Which rule is better, and why?  Recorded webs on a clock, the crawl's own loop, honest measures."""
