"""How is HTML read?  Once, in one linear pass, by the rules of the HTML standard."""
