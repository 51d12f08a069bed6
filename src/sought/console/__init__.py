"""How do people and operators meet a crawl?  A web server over its directory: search page, JSON API.

    request ▶ connection (bounds) ▶ guard (names, headers) ▶ a route ▶ desk.ask ▶ searcher ▶ worker ▶ a search process
                                                                     ╰▶ recorder ▶ query log, in a thread of its own

The server reads the search index and writes the query log; the crawl is another process, and they meet in the directory
only.  `app.make_app` puts the parts together; a further part is a module with a function `routes`.
"""
