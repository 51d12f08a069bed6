"""How good was a run really?  Judging by data that only the laboratory has."""
