"""Findings on disk: results/findings/STUDY-HASH.json; tables of comparisons: results/tables/KEY.json.

The last finding of a study on the same worlds is kept, of quick and of full runs apart.  They name worlds, never
places: a folder of results can be given to others.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sought.lab.studies.registry import current_name
from sought.lab.studies.study import Finding, ResultTable
from sought.web.errors import BadInput

Kept = TypeVar("Kept", Finding, ResultTable)
_NAME = re.compile(r"[A-Za-z0-9-]+")


def save_finding(finding: Finding, results: Path, code: str = "", written: str = "") -> Finding:
    """Store it in place of an earlier one, with the mark of the code and the time (ISO), if given."""
    if not _NAME.fullmatch(finding.study):
        raise BadInput(f"a study is named by letters, digits and hyphens, not {finding.study!r}")
    kept = replace(finding, code=code, written=written)
    _write(kept, results / "findings" / f"{key_of(finding)}.json")
    return kept


def key_of(finding: Finding) -> str:
    """The identity of a finding: the study, the names of its worlds, and whether it was quick."""
    identity = msgspec.json.encode([finding.worlds, finding.quick])
    return f"{finding.study}-{hashlib.blake2b(identity, digest_size=8).hexdigest()}"


def write_figures(findings: Iterable[Finding], folder: Path) -> list[Path]:
    """The figures of findings as files: STUDY-TITLE.svg; later ones of the same name take their place."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for finding in findings:
        for figure in finding.figures:
            words = "-".join(re.findall(r"[a-z0-9]+", figure.title.lower()))
            path = folder / f"{finding.study}-{words}"[:120]
            written.append(path.with_name(f"{path.name}.svg"))
            written[-1].write_text(figure.svg, encoding="utf-8")
    return written


def read_findings(results: Path) -> list[Finding]:
    """By name of the study, as it is called now; of each study the newest first."""
    findings = [_read(file, Finding) for file in sorted((results / "findings").glob("*.json"))]
    findings = [replace(finding, study=current_name(finding.study)) for finding in findings]
    findings.sort(key=lambda finding: finding.written)
    by_key = {key_of(finding): finding for finding in findings}  # a renamed file may be there twice
    return newest_first(by_key.values())


def newest_first(findings: Iterable[Finding]) -> list[Finding]:
    """By name of the study, then by time; where times are the same, by key."""
    by_time = sorted(sorted(findings, key=key_of), key=lambda finding: finding.written, reverse=True)
    return sorted(by_time, key=lambda finding: finding.study)


def last_verdict(findings: Iterable[Finding], study: str) -> Finding | None:
    """The newest full run of a study; if there is none the newest quick one."""
    mine = [finding for finding in newest_first(findings) if finding.study == study]
    return min(mine, key=lambda finding: finding.quick, default=None)


def save_table(table: ResultTable, results: Path, date: str = "") -> None:
    """With the day, if given.  It replaces an earlier one of the same title and note."""
    key = hashlib.blake2b(f"{table.title}\0{table.note}".encode(), digest_size=8).hexdigest()
    _write(replace(table, date=date), results / "tables" / f"{key}.json")


def read_tables(results: Path) -> list[ResultTable]:
    """In order of their titles."""
    tables = [_read(file, ResultTable) for file in (results / "tables").glob("*.json")]
    return sorted(tables, key=lambda table: (table.title, table.note))


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
