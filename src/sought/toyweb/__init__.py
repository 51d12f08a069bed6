"""Where is a web that changes, misbehaves and can be predicted?

    (seed, host, path, time)  ▶  toy.ToyWeb.answer  ▶  Answer  ▶  server.serve sends it over real HTTP

Everything is computed from hashes when it is asked for, so the same seed is the same web for ever, and the truth (which
pages live, which version they show) can be asked at any toy time.  Useful for demos, tests and benchmarks of a crawler;
not useful for conclusions about the real Web, whose laws of change nobody chose.
"""

from sought.toyweb.answer import Behaviour, ToyAnswer
from sought.toyweb.atlas import SiteEvent
from sought.toyweb.server import Served, ServedRequest, serve, serve_in_thread
from sought.toyweb.toy import ToyWeb

__all__ = ["Behaviour", "Served", "ServedRequest", "SiteEvent", "ToyAnswer", "ToyWeb", "serve", "serve_in_thread"]
