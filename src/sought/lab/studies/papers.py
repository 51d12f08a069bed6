"""Which papers are repeated here?  A paper has a key: its authors and its year."""

# What they were called before; only `sought lab run` still knows these numbers.
NUMBERS = {
    "000": "pandey-olston-2005",
    "001": "cho-garcia-molina-page-1998",
    "002": "tran-et-al-2015",
    "003": "pandey-olston-2008",
    "004": "tan-mitra-2010",
    "beyond": "",  # ours
}
