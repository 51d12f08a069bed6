"""What do we believe of every page?  One file a belief: its value and who supplies it."""
