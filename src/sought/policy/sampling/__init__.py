"""Rules that fetch a few pages of a group first, and by these decide about the rest."""
