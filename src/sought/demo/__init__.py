"""What does the default policy do for people?  Seen side by side with a round-robin crawler on the same budget.

    toy web ▶ two crawls ▶ two search pages ◀ searchers ▶ what they found, judged by the toy web as it is now

Useful for showing what Sought is about, on one machine, within a minute; not useful for conclusions about other webs
and other people: those are the laboratory's.
"""
