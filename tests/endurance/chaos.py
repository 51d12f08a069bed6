"""Kill real commands at chosen and at random moments, and see what is left:  python -m tests.endurance.chaos

Prints a row for each moment (docs/how-to/soak-and-chaos.md says what the columns mean), and ends with exit code 1 if
anything was lost, fetched twice or does not agree, or if a moment was not reached.  Everything happens on loopback and
in a folder that is removed.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.endurance.endings import ENDINGS
from tests.endurance.ledger import Verdict
from tests.endurance.moments import CRAWLING, REBUILDING, Moment
from tests.endurance.query_moments import QUERIES
from tests.endurance.serving_moments import DEMO, SERVING
from tests.endurance.stage import NotReached, Stage, stage

MOMENTS = (*CRAWLING, *REBUILDING, *QUERIES, *SERVING, *ENDINGS, *DEMO)
TIRES = 6  # times in a row that a moment is not reached, after which it is given up


@dataclass
class Row:
    """What a moment has come to."""

    moment: Moment
    strikes: int = 0
    missed: int = 0  # in a row
    total: Verdict = field(default_factory=Verdict)

    @property
    def is_good(self) -> bool:
        return self.total.is_good and self.strikes > 0

    def strike(self, at: Stage) -> None:
        try:
            found = self.moment.strike(at, self.moment.name)
        except NotReached:
            self.missed += 1
            return
        except AssertionError as error:
            found = Verdict(problems=(str(error) or "an assertion failed",))
        if not found.is_good:
            at.renew(self.moment.name)  # what is broken is told once
        self.strikes, self.missed, self.total = self.strikes + 1, 0, self.total + found
        print(f"{self.moment.name}: {'ok' if found.is_good else found}", file=sys.stderr, flush=True)


def strikes(rows: Sequence[Row], kills: int, at: Stage, seconds: float) -> None:
    """Each moment in turn, as often as it takes for so many kills, but at least once; or until the time is over."""
    end = time.monotonic() + seconds
    while True:
        for row in rows:
            if time.monotonic() > end:
                return
            if row.missed < TIRES:
                row.strike(at)
        left = [row for row in rows if row.moment.kills and row.missed < TIRES]
        if total_kills(rows) >= kills or not left:
            return


def total_kills(rows: Iterable[Row]) -> int:
    return sum(row.strikes for row in rows if row.moment.kills)


def table(rows: Sequence[Row]) -> str:
    """As it is printed."""
    lines = [f"{'moment':52} {'kills':>6} {'lost':>6} {'twice':>6}  check"]
    for row in rows:
        kills = f"{row.strikes}" if row.moment.kills else f"({row.strikes})"
        said = "not reached" if not row.strikes else "ok" if not row.total.problems else "NOT OK"
        lines.append(f"{row.moment.name:52} {kills:>6} {row.total.lost:>6} {row.total.twice:>6}  {said}")
    all_kills = total_kills(rows)
    lost, twice = sum(row.total.lost for row in rows), sum(row.total.twice for row in rows)
    bad = sum(not row.is_good for row in rows)
    lines.append(f"{'all':52} {all_kills:>6} {lost:>6} {twice:>6}  {f'{bad} NOT OK' if bad else 'ok'}")
    return "\n".join(lines)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.chaos", description="Kill, and see what is left.")
    parser.add_argument("--kills", type=int, default=200, help="how many kills in all, at least (default 200)")
    parser.add_argument("--minutes", type=float, default=40.0, help="stop after so long, whatever is left (default 40)")
    parser.add_argument("--seed", type=int, default=1, help="other random moments")
    parser.add_argument("--moment", default="", metavar="TEXT", help="only moments with this in their names")
    found = parser.parse_args()
    if found.kills < 1 or not 0 < found.minutes <= 24 * 60:
        parser.error("--kills is at least 1, --minutes between 0 and 1440")
    if not any(found.moment in each.name for each in MOMENTS):
        parser.error(f"no moment with {found.moment!r} in its name; there are: {', '.join(m.name for m in MOMENTS)}")
    return found


def main() -> int:
    asked = options()
    moments = [each for each in MOMENTS if asked.moment in each.name]
    rows, began = [Row(each) for each in moments], time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted = suppress(KeyboardInterrupt)
    folder = tempfile.TemporaryDirectory(prefix="sought-chaos-", ignore_cleanup_errors=True)  # a child may still write
    with folder as path, stage(Path(path), asked.seed) as at, interrupted:  # what was seen so far is told all the same
        strikes(rows, asked.kills, at, asked.minutes * 60)
    print(table(rows))
    for row in rows:
        for problem in dict.fromkeys(row.total.problems):
            print(f"{row.moment.name}: {problem}")
    kills = total_kills(rows)
    print(f"{kills} kills in {(time.monotonic() - began) / 60:.1f} minutes, seed {asked.seed}")
    is_short = kills < asked.kills and any(each.kills for each in moments)
    if is_short:
        print(f"stopped before {asked.kills} kills: the time was over, or moments could not be reached")
    return 1 if is_short or not all(row.is_good for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
