"""The journal: rows that survive what may happen to files and clocks, and what many of them are together."""

import json
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.operate.journal import (
    FOLDER,
    HOSTS,
    HOURS,
    POINTS,
    Row,
    by_step,
    combined_row,
    fold,
    read_journal,
    write_row,
)

DAY, HOUR = 86400.0, 3600.0
NOW = 1_794_787_200.0 + 5 * HOUR  # some day of 2026, in the morning

counts = st.integers(0, 1000)
tallies = st.dictionaries(st.sampled_from("abc"), counts, max_size=3)
eighths = st.integers(-80, 80).map(lambda n: n / 8)  # they add up exactly
levels = st.none() | eighths
row_kinds = st.builds(
    Row,
    time=st.integers(0, 20 * 86400).map(lambda s: NOW - s),
    seconds=counts.map(float),
    fetched=counts,
    bytes=counts,
    purposes=tallies,
    gain=st.dictionaries(st.sampled_from(["first", "later"]), eighths),
    expected=eighths,
    outcomes=tallies,
    hosts=tallies,
    price=levels,
    known=st.none() | counts,
    quality=levels,
    to_gain=st.just({}) | st.fixed_dictionaries({"new": levels, "known": levels}),
    bytes_on_disk=tallies,
)
some_rows = st.lists(row_kinds, min_size=1, max_size=20, unique_by=lambda row: row.time)


@given(some_rows, st.integers(0, 30))
def test_rows_may_be_put_together_in_any_parts(rows: list[Row], cut: int) -> None:
    """An hour of hours, a day of hours and minutes: the same as all of its minutes at once."""
    rows = sorted(rows, key=lambda row: row.time)
    parts = [combined_row(part) for part in (rows[:cut], rows[cut:]) if part]
    assert combined_row(parts) == combined_row(rows)
    whole = combined_row(rows)
    assert whole.fetched == sum(row.fetched for row in rows)
    assert sum(whole.outcomes.values()) == sum(sum(row.outcomes.values()) for row in rows)
    assert sum(whole.gain.values()) == sum(sum(row.gain.values()) for row in rows)
    assert whole.price == next((row.price for row in reversed(rows) if row.price is not None), None)


@pytest.mark.slow
@given(some_rows, some_rows, st.booleans())
def test_old_days_become_hours_and_nothing_is_counted_twice(first: list[Row], second: list[Row], killed: bool) -> None:
    """Whatever comes between: the counts of all rows are those of what is read; also after kill -9 before the end."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        for row in first:
            write_row(path, row)
        before = read_journal(path, NOW - 21 * DAY, NOW, HOUR)
        kept = {file.name: file.read_bytes() for file in (path / FOLDER).iterdir()}
        fold(path, NOW)
        if killed:  # the hours are there, and so are the minutes
            for name, content in kept.items():
                (path / FOLDER / name).write_bytes(content)
        assert read_journal(path, NOW - 21 * DAY, NOW, HOUR) == before
        fold(path, NOW)
        assert read_journal(path, NOW - 21 * DAY, NOW, HOUR) == before
        old = {row.time for row in first if row.time < NOW - 9 * DAY}
        days = [file for file in (path / FOLDER).iterdir() if file.name != HOURS]
        assert sum(len(file.read_bytes().splitlines()) for file in days) <= len(first) - len(old)
        later = [msgspec.structs.replace(row, time=row.time + DAY) for row in second if row.time > NOW - DAY]
        for row in later:
            write_row(path, row)
        fold(path, NOW + 30 * DAY)
        assert [file.name for file in (path / FOLDER).iterdir()] == [HOURS]
        hours = read_journal(path, NOW - 21 * DAY, NOW + DAY, HOUR)
        assert sum(row["fetched"] for row in hours) == sum(row.fetched for row in (*first, *later))


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    """kill -9 in the middle of a row costs that row: not the one after it, and not the reader."""
    for minute in range(3):
        write_row(tmp_path, Row(NOW + 60 * minute, fetched=1 + minute))
    [file] = (tmp_path / FOLDER).iterdir()
    os.truncate(file, file.stat().st_size - 5)
    write_row(tmp_path, Row(NOW + 180, fetched=4))
    with file.open("ab") as opened:
        opened.write(b'\xff\xfe\n[1, 2]\n{"time": "soon"}\n' + b"[" * 100_000 + b"\n")
    assert [row["fetched"] for row in read_journal(tmp_path, NOW - HOUR, NOW + HOUR)] == [1, 2, 4]


def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    """Rows are read in the order of their times, whatever the order they were written in; none is lost."""
    for hours in (30, 2, 31, 1):
        write_row(tmp_path, Row(NOW + hours * HOUR, fetched=hours))
    fold(tmp_path, NOW + 31 * HOUR)
    assert [row["fetched"] for row in read_journal(tmp_path, NOW - DAY, NOW + 40 * HOUR)] == [1, 2, 30, 31]


@pytest.mark.parametrize("days", [1, 7, 60, 400])
def test_what_is_read_is_never_too_much(tmp_path: Path, days: int) -> None:
    """A thousand points at most, of any time; together they are everything."""
    rows = [Row(NOW + n * (days * DAY / 4000), fetched=1, known=n) for n in range(1, 4001)]
    lines: dict[str, list[bytes]] = {}
    for row in rows:
        lines.setdefault(_day(row.time), []).append(msgspec.json.encode(row) + b"\n")
    (tmp_path / FOLDER).mkdir()
    for day, some in lines.items():
        (tmp_path / FOLDER / f"{day}.jsonl").write_bytes(b"".join(some))
    found = read_journal(tmp_path, NOW, NOW + days * DAY, 60.0)
    assert 500 < len(found) <= POINTS + 1
    assert sum(row["fetched"] for row in found) == 4000
    assert found[-1]["known"] == 4000
    assert json.dumps(found[0])
    assert read_journal(tmp_path, NOW + days * DAY, NOW + 500 * DAY) == []


def _day(time: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(time, UTC).date().isoformat()


def test_the_hours_that_are_kept_are_bounded_and_hosts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest hours go; of hosts those with most fetches stay."""
    monkeypatch.setattr("sought.operate.journal._KEPT_HOURS", 30)
    for hour in range(48):
        write_row(tmp_path, Row(NOW + hour * HOUR, fetched=hour, hosts={f"h{n:02}": n for n in range(50)}))
    fold(tmp_path, NOW + 30 * DAY)
    found = read_journal(tmp_path, NOW - DAY, NOW + 3 * DAY, HOUR)
    assert [row["fetched"] for row in found] == list(range(18, 48))
    assert list(found[0]["hosts"].values()) == list(range(49, 49 - HOSTS, -1))


def test_steps_group_rows_by_the_clock() -> None:
    """A step begins where the clock says, not where the first row does."""
    rows = [Row(NOW + 60.0 * n, fetched=1) for n in range(120)]
    assert [row.fetched for row in by_step(rows, HOUR)] == [60, 60]
    assert by_step([], HOUR) == []
