"""How do people and operators meet a crawl?  A web server over its directory: search page, JSON API, console.

    request ▶ connection (bounds) ▶ guard (names, headers) ▶ a route ▶ service.ask ▶ searcher ▶ worker ▶ search process
                                                                        ╰▶ recorder ▶ query log, in its own thread

The server reads the search index and writes the query log.  The crawl is another process; they share the directory and
nothing else.  `app.make_app` assembles the parts.  Each page of the console is a module with a function `routes`.
"""
