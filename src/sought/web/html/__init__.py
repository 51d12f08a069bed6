"""How is a page read?  Once, in one linear pass, by the rules of the HTML standard."""
