"""Findings on disk, the last of each study: results/findings/NAME.json; tables of comparisons: results/tables/KEY.json.

They name worlds, never places: a folder of results can be given to others.
"""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sought.lab.study import Finding, Table
from sought.web.errors import BadInput

Kept = TypeVar("Kept", Finding, Table)
_NAME = re.compile(r"[a-z0-9-]+")


def save_finding(finding: Finding, results: Path, code: str = "", date: str = "") -> Finding:
    """Write it down in place of an earlier one, with the mark of the code and the day, if they are told."""
    if not _NAME.fullmatch(finding.study):
        raise BadInput(f"a study is named by small letters, digits and hyphens, not {finding.study!r}")
    kept = replace(finding, code=code, date=date)
    _write(kept, results / "findings" / f"{finding.study}.json")
    return kept


def read_findings(results: Path) -> dict[str, Finding]:
    """By name of the study, in order."""
    found = (_read(file, Finding) for file in sorted((results / "findings").glob("*.json")))
    return {finding.study: finding for finding in found}


def save_table(table: Table, results: Path) -> None:
    """One that repeats an earlier one, by its title and note, takes its place."""
    key = hashlib.blake2b(f"{table.title}\0{table.note}".encode(), digest_size=8).hexdigest()
    _write(table, results / "tables" / f"{key}.json")


def read_tables(results: Path) -> list[Table]:
    """In order of their titles."""
    found = [_read(file, Table) for file in (results / "tables").glob("*.json")]
    return sorted(found, key=lambda table: (table.title, table.note))


def _write(value: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=1))
    fresh.replace(path)


def _read(path: Path, kind: type[Kept]) -> Kept:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.MsgspecError as error:
        raise BadInput(f"{path} is damaged: {error}; delete it") from None
