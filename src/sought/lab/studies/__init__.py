"""Which claims hold?  Named experiments and their findings."""
