"""What is a page, an address, an answer?  The nouns every room speaks in."""
