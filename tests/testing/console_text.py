"""The words of a console page."""

import re
import time

DIAL = ("budget_quality", "fetches_for", "curve_quality", "certain", "without_fetches", "measured_fetches")


def read(server, where):
    """A page, when it need not wait any more."""
    deadline = time.monotonic() + 300
    while (answer := server.ask(where)).status == 503:
        assert time.monotonic() < deadline
    return answer


def words(answer):
    """What a page says, in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())
