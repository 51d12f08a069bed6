"""How does the toy web work, a web that changes, misbehaves and can be predicted?

    (seed, host, path, time)  ▶  toy.ToyWeb.answer  ▶  Answer  ▶  server.serve sends it over real HTTP

Everything is computed from hashes on request, so a seed always gives the same web, and the truth (which pages are live,
which version they show) is known at any toy time.  Useful for demos, tests and benchmarks of a crawler; not useful for
conclusions about the real Web, which changes in other ways.
"""

from sought.toyweb.answer import Behaviour, ToyAnswer
from sought.toyweb.atlas import SiteEvent
from sought.toyweb.server import Served, ServedRequest, serve, serve_in_thread
from sought.toyweb.toy import ToyWeb

__all__ = ["Behaviour", "Served", "ServedRequest", "SiteEvent", "ToyAnswer", "ToyWeb", "serve", "serve_in_thread"]
