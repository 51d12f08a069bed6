"""Which claims hold?  Named experiments, and what came of them."""
