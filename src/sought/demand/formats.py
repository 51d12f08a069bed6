"""Which format does a file have?"""

from enum import StrEnum
from itertools import islice
from pathlib import Path

from sought.demand import search_console, ubi
from sought.demand.text import head, records
from sought.web.errors import BadInput

_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"


class Format(StrEnum):
    """Formats that can be read; all but the last can be written."""

    UBI = "ubi"
    TSV = "tsv"
    CSV = "csv"
    PARQUET = "parquet"
    SEARCH_CONSOLE = "search-console"


def guess_format(path: Path) -> Format:
    """Guess the format by content, then by name; raises BadInput."""
    if path.is_dir():
        if ubi.files(path):
            return Format.UBI
        raise BadInput(f"{path} is a folder without ubi_queries or ubi_events files")
    start = head(path)
    if start.startswith(_PARQUET):
        return Format.PARQUET
    if start.startswith(_ZIP):
        return Format.SEARCH_CONSOLE
    if not start.strip():
        raise BadInput(f"cannot read {path}: it is empty")
    if start.lstrip().startswith(b"{"):
        return Format.UBI
    return _table(path, start.decode("utf-8", "replace").splitlines(keepends=True))


def _table(path: Path, lines: list[str]) -> Format:
    first = [fields for _, fields in islice(records(lines, ","), 2) if isinstance(fields, list)]
    if search_console.is_export(first):
        return Format.SEARCH_CONSOLE
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in (".tsv", ".csv"):
        return Format(suffix[1:])
    return Format.TSV if "\t" in lines[0] else Format.CSV


def delimiter(path: Path, form: Format) -> str:
    """The delimiter of a plain table; spreadsheets write CSV with semicolons in many countries."""
    if form is Format.TSV:
        return "\t"
    first = head(path).partition(b"\n")[0]
    return ";" if first.count(b";") > first.count(b",") else ","


def format_for(path: Path) -> Format:
    """The format to write for a file of this name."""
    suffix = path.suffix.lower()
    if suffix in (".tsv", ".csv", ".parquet"):
        return Format(suffix[1:])
    if suffix in ("", ".ubi"):
        return Format.UBI
    raise BadInput(f"cannot tell the format of {path}: name it .tsv, .csv or .parquet, or a folder for UBI")
