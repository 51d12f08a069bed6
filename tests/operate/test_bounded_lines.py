"""Files that grow by lines do not grow without end: the audit log and the log of a crawl directory."""

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sought.operate.audit import APPLIED, Audited, note, read_audit
from sought.operate.log import KeptLog, read_log
from sought.record.files import append_line, last_lines, older, read_lines


def test_two_files_hold_the_latest_lines(tmp_path: Path) -> None:
    """However many are written: the last so many bytes are there, in order, and never more than twice as many."""
    file, most = tmp_path / "some" / "lines.jsonl", 1000
    for number in range(1, 501):
        append_line(file, {"number": number}, most)
        sizes = [each.stat().st_size for each in sorted(file.parent.iterdir())]
        assert len(sizes) <= 2
        assert max(sizes) <= most
        kept = [each["number"] for each in last_lines(file, dict[str, int], most)]
        assert kept == list(range(number, number - len(kept), -1))
        assert len(kept) >= min(number, most // 20)
    assert {each.name for each in file.parent.iterdir()} == {"lines.jsonl", "lines.1.jsonl"}


def test_a_torn_line_is_passed_over_wherever_it_is(tmp_path: Path) -> None:
    """The next one is a line of its own, and what was put aside may end in a torn one, too."""
    file = tmp_path / "lines.jsonl"
    append_line(file, [1])
    with file.open("ab") as torn:
        torn.write(b"[2")
    append_line(file, [3], 5)
    append_line(file, [4])
    assert list(read_lines(older(file), list[int])) == [[1]]
    assert list(last_lines(file, list[int], 100)) == [[4], [3], [1]]
    assert list(last_lines(tmp_path / "none.jsonl", list[int], 100)) == []


def test_a_large_file_is_not_read_as_a_whole(tmp_path: Path) -> None:
    """As an earlier version may have left it."""
    file = tmp_path / "lines.jsonl"
    for number in range(100):
        append_line(file, [number])
    assert list(last_lines(file, list[int], 20)) == [[99], [98], [97], [96]]


def test_the_audit_log_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest orders first, from both files, as many as are asked for."""
    monkeypatch.setattr("sought.operate.audit._MOST", 2000)
    for number in range(100):
        note(tmp_path, Audited(float(number), str(number), APPLIED, "tester"))
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) <= 4000
    found = read_audit(tmp_path)
    assert [each.id for each in found] == [str(number) for number in range(99, 99 - len(found), -1)]
    assert len(found) > 20
    assert read_audit(tmp_path, 3) == found[:3]


def test_a_log_is_told_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With time, level and fields; who cannot keep it tells it all the same."""
    monkeypatch.setattr("sought.operate.log._MOST", 500)
    told: list[tuple[str, dict[str, Any]]] = []
    log = KeptLog(tmp_path, lambda event, **fields: told.append((event, fields)))
    for number in range(50):
        log("trouble", host="http://a.example", what=f"timeout {number}")
    [last, *_] = islice(read_log(tmp_path), 5)
    assert (last["event"], last["level"], last["what"]) == ("trouble", "warning", "timeout 49")
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) <= 1000
    (tmp_path / "plain").write_text("no folder")
    KeptLog(tmp_path / "plain", log)("stopped", ended="stopped")
    assert told[-1] == ("stopped", {"ended": "stopped"})
    assert len(told) == 51


def test_what_happens_often_does_not_push_out_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour of plans and commits every second: all are told, one a minute of each is kept, and every warning."""
    now, told = 7.0, list[str]()
    monkeypatch.setattr("sought.operate.log.monotonic", lambda: now)
    log = KeptLog(tmp_path, lambda event, **_: told.append(event))
    for second in range(3600):
        log("plan", chosen=second)
        log("commit", fetches=second)
        if second % 400 == 0:
            log("trouble", what=str(second))
        now += 1.0
    kept = list(read_log(tmp_path))[::-1]
    assert len(told) == 7200 + 9
    assert [each["chosen"] for each in kept if each["event"] == "plan"] == list(range(0, 3600, 60))
    assert [each["fetches"] for each in kept if each["event"] == "commit"] == list(range(0, 3600, 60))
    assert [each["what"] for each in kept if each["event"] == "trouble"] == [str(at) for at in range(0, 3600, 400)]
