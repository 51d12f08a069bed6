"""When is something worth working out anew?  When there is noticeably more to work with."""


class Growth:
    """Due when the pages that were fetched have grown by a share since the last time, or the table has doubled."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.fetched = self.rows = -1

    def is_due(self, fetched: int, rows: int) -> bool:
        """Whether it is; if so, the next time counts from now."""
        known = self.fetched >= 0 and fetched < self.fetched + max(1.0, self.share * self.fetched)
        if known and rows < 2 * max(self.rows, 1):
            return False
        self.fetched, self.rows = fetched, rows
        return True
