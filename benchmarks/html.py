"""Reading HTML: Sought's reader beside two parsers that build the tree, on ordinary pages and on the worst."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.html_peers import READERS, is_installed
from benchmarks.site import make_html
from sought.web.errors import BadInput

MISSING = "not installed: pip install selectolax"
_ORDINARY = "ordinary"
_NESTED = 200_000
WORST = {
    "nested": "<div>" * _NESTED,
    "nested_and_closed": "<div>" * _NESTED + "</div>" * _NESTED,
    "unclosed_items": "<ul>" + "<li><div>x" * 100_000,
    "unclosed_formatting": "".join(f"<b class={i}><p>" for i in range(50_000)),
    "attributes": "<p " + " ".join(f"a{i}=1" for i in range(200_000)) + ">x",
    "stray_end_tags": "<div>" * 500 + "</x>" * 300_000,
    "tables": "<table><tr><td>" * 60_000,
}


def run(
    pages: int = 300, folder: Path | None = None, seconds: float = 20.0, report: Callable[[int], None] = lambda _: None
) -> dict[str, Any]:
    """Megabytes a second for links, title, text and headings, each reader in a process of its own.

    A worst case is one page; a reader that takes longer than `seconds` for it is stopped, and the table says so.
    """
    sources = _pages_of(folder) if folder else [page.encode() for page in make_html(pages)]
    done = 0
    result: dict[str, Any] = {"pages": len(sources), "megabytes": sum(map(len, sources)) / 1e6}
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as place:
        for name, source in [(_ORDINARY, sources), *((case, [html.encode()]) for case, html in WORST.items())]:
            path = Path(place) / name
            path.write_bytes(json.dumps([page.decode("utf-8", "replace") for page in source]).encode())
            result[name] = {}
            for reader in READERS:
                result[name][reader] = _figures(reader, path, seconds if name != _ORDINARY else 600.0)
                report(done := done + 1)
    return result


def _pages_of(folder: Path) -> list[bytes]:
    found = [path.read_bytes() for path in sorted(folder.rglob("*.htm*")) if path.is_file()]
    if not found:
        raise BadInput(f"no .html files in {folder}")
    return found


def _figures(reader: str, path: Path, seconds: float) -> Any:
    if not is_installed(reader):
        return MISSING
    command = [sys.executable, "-m", "benchmarks.html_peers", reader, str(path), str(seconds)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120, check=False)
    except subprocess.TimeoutExpired:
        return f"stopped after {seconds:g} s"
    if ran.returncode == _STOPPED:
        return f"stopped after {seconds:g} s"
    return json.loads(ran.stdout) if ran.returncode == 0 else f"failed: exit code {ran.returncode}"


_STOPPED = -14  # by SIGALRM
