"""What is a page, an address, an answer?  The types that every room uses."""
