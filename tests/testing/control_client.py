"""Orders given through the console, as its forms do."""

import re
from urllib.parse import urlencode

from sought.console.control import new_token

TOKEN = new_token()
FORM = "application/x-www-form-urlencoded"


def send(server, order, cookie="", **fields):
    body = urlencode(fields).encode()
    return server.ask(f"/console/control/{order}", "POST", body, Content_Type=FORM, Cookie=cookie)


def entered(server, token=TOKEN):
    """The cookie of a session, and the key of its forms."""
    cookie = send(server, "enter", token=token).headers["set-cookie"].partition(";")[0]
    [key, *_] = re.findall(r'name="key" value="(\w+)"', server.ask("/console/control", Cookie=cookie).text)
    return cookie, key
