"""How good was it really?  What only the laboratory can know."""
