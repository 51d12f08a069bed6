"""What does a process hold right now?  From /proc: memory, descriptors, threads."""

from dataclasses import dataclass
from pathlib import Path

_ROLES = ((" crawl ", "crawl"), (" serve ", "serve"), ("search_process", "search process"))


@dataclass(frozen=True)
class Held:
    """Megabytes resident, and of these its own alone (USS) and its share (PSS); open descriptors; threads."""

    rss: float
    uss: float
    pss: float
    descriptors: int
    threads: int


def held(process: int) -> Held | None:
    """None if it has ended."""
    folder = Path(f"/proc/{process}")
    try:
        rollup = dict(_lines((folder / "smaps_rollup").read_text()))
        status = dict(_lines((folder / "status").read_text()))
        descriptors = len(list((folder / "fd").iterdir()))
    except (OSError, ProcessLookupError):
        return None
    if "Rss" not in rollup:
        return None  # it is ending
    uss = rollup["Private_Clean"] + rollup["Private_Dirty"]
    return Held(rollup["Rss"] / 1024, uss / 1024, rollup["Pss"] / 1024, descriptors, int(status["Threads"]))


def _lines(text: str) -> list[tuple[str, float]]:
    found = []
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        value = rest.split()[:1]
        if value and value[0].isdigit():
            found.append((name, float(value[0])))
    return found


def role(process: int) -> str:
    """What a process of ours does."""
    try:
        command = Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return "gone"
    return next((name for part, name in _ROLES if part in command), command[:30].strip() or "gone")
