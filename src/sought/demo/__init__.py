"""What does the default policy do for people?  A comparison with a round-robin crawler on the same budget.

    toy web ▶ two crawls ▶ two search pages ◀ searchers ▶ their answers, judged by the toy web as it is now

Useful for showing what Sought does, on one machine, within a minute; not useful for conclusions about other webs and
other people: use the laboratory for those.
"""
