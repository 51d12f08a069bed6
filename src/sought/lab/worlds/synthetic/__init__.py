"""A made-up web that evolves, all of which can be chosen."""
