"""Which other page is this one an alias of?  Redirects and canonical links."""

from sought.record.discovery import REFUSED, Discovery
from sought.record.table import Reason, Source, State, Table
from sought.web.document import Document
from sought.web.errors import BadURL
from sought.web.message import Response
from sought.web.url import canonical, hostname, registered_domain

MAX_REDIRECTS = 5
_ALIAS_STEPS = 16


class Aliases:
    """Finds the row of the page that an answer names instead of itself, and makes it if it is new."""

    def __init__(self, table: Table, discovery: Discovery) -> None:
        self.table = table
        self.discovery = discovery

    def redirect(self, row: int, response: Response) -> tuple[int, Reason]:
        """Row of a redirect's target.  The target is an ordinary URL: it is chosen, fetched and charged by itself."""
        columns = self.table.columns
        try:
            url = canonical(response.header("location"), response.url)
        except BadURL:
            return REFUSED, Reason.REDIRECT_BAD
        hops, at = 1, row
        while columns["source"][at] == Source.REDIRECT and hops <= MAX_REDIRECTS:
            at, hops = int(columns["via"][at]), hops + 1
        if hops > MAX_REDIRECTS and self.discovery.row(url) < 0:
            self.discovery.refuse(self.discovery.hosts[int(columns["host"][row])], "redirect-limit")
            return REFUSED, Reason.REDIRECT_LIMIT
        [target] = self.discovery.admit([url], row, int(columns["depth"][row]), Source.REDIRECT, response.time)
        return (target, Reason.REDIRECT) if target not in (row, REFUSED) else (REFUSED, Reason.REDIRECT_BAD)

    def canonical(self, row: int, response: Response, document: Document) -> int:
        """Row of the page's rel=canonical, if it names another page of the same site that does not point back."""
        url = document.canonical
        if not url or url == response.url:
            return REFUSED
        if registered_domain(hostname(url)) != registered_domain(hostname(response.url)):
            return REFUSED
        columns = self.table.columns
        depth = int(columns["depth"][row])
        [other] = self.discovery.admit([url], row, depth, Source.CANONICAL, response.time)
        at = other
        for _ in range(_ALIAS_STEPS):  # of pages that name each other in a ring, one must stay
            if at in (row, REFUSED):
                return REFUSED
            if at >= len(self.table) or columns["state"][at] != State.ALIAS:
                break
            at = int(columns["alias"][at])
        return other
