"""What is a fetch worth?  One currency for new pages, stale pages and pages that tell of others."""
