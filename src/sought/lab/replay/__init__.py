"""How does a policy run on a recorded web?  The crawl's own cycle, on a virtual clock."""
