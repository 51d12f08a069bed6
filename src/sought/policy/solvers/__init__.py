"""How often, and when, should each page be fetched?  The solvers behind the rules."""
