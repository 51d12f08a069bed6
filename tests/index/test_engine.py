"""The index as a store: what is committed is found, and nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.engine import Index
from sought.index.entry import Entry
from sought.index.number_set import NumberSet
from sought.web.errors import BadInput, CrawlBusy, CrawlDamaged


def page(row: int, text: str, title: str = "", anchors: str = "", language: str = "en") -> Entry:
    return Entry(row, f"https://example.org/{row}", title, text, anchors, language, float(row % 1000))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    index = Index.open(tmp_path / "index", writable=True)
    yield index
    index.close()


def test_a_hit_carries_what_was_given(index: Index) -> None:
    """Row, address, title, time; a snippet that shows the words."""
    index.update([Entry(2**64 - 1, "https://example.org/a", "A <b> title", "Some\n words  here", "", "en", 12.5)])
    index.commit()
    answer = index.search("word")
    (hit,) = answer.hits
    assert (hit.row, hit.url, hit.title, hit.time) == (2**64 - 1, "https://example.org/a", "A <b> title", 12.5)
    assert hit.snippet == "Some words here"
    assert hit.highlights == ((5, 10),)
    assert hit.score > 0
    assert (answer.total, answer.relaxed) == (1, False)
    assert answer.elapsed > 0


def test_titles_and_anchors_weigh_more_than_text(index: Index) -> None:
    """All else equal, what a page is called by itself counts most, then what others call it, then its text."""
    index.update([page(1, "apple", "pear", "plum"), page(2, "plum", "apple", "pear"), page(3, "pear", "plum", "apple")])
    index.commit()
    hits = index.search("apple").hits
    assert [hit.row for hit in hits] == [2, 3, 1]
    assert hits[0].score > hits[1].score > hits[2].score


def test_an_empty_index_answers(index: Index) -> None:
    """Nothing given, nothing found, nothing broken."""
    assert index.search("anything site:example.org").hits == ()
    assert len(index) == 0
    assert index.rows().tolist() == []
    assert index.rows().dtype == np.uint64


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["update", "update", "delete", "commit", "reopen"]),
            st.lists(st.sampled_from([0, 1, 2, 3, 2**63, 2**64 - 1]), max_size=4),
        ),
        max_size=15,
    )
)
def test_the_index_is_a_table_of_rows(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, list[int]]]
) -> None:
    """After any updates and deletes, across commits and processes, exactly the last text of each live row is found."""
    folder = tmp_path_factory.mktemp("index")
    index = Index.open(folder, writable=True)
    table: dict[int, str] = {}
    for number, (what, rows) in enumerate(operations):
        if what == "update":
            index.update([page(row, f"every word{number}x{place}") for place, row in enumerate(rows)])
            table |= {row: f"word{number}x{place}" for place, row in enumerate(rows)}
        elif what == "delete":
            index.delete(rows)
            table = {row: text for row, text in table.items() if row not in rows}
        else:
            index.commit()
            if what == "reopen":
                index.close()
                index = Index.open(folder, writable=True)
    index.commit()
    assert index.rows().tolist() == sorted(table)
    assert len(index) == len(table)
    assert {hit.row: hit.snippet for hit in index.search("every").hits} == {r: f"every {t}" for r, t in table.items()}
    index.close()


def test_only_committed_pages_are_found(index: Index, tmp_path: Path) -> None:
    """Before a commit nothing changes, after it every reader sees all of it."""
    reader = Index.open(tmp_path / "index", writable=False)
    index.update([page(1, "apple")])
    assert index.search("apple").total == reader.search("apple").total == 0
    index.commit()
    assert index.search("apple").total == reader.search("apple").total == 1
    index.update([page(1, "pear")])
    index.commit()
    assert [reader.search(word).total for word in ("apple", "pear")] == [0, 1]


def test_what_is_not_committed_is_given_up(tmp_path: Path) -> None:
    """Closing is not committing."""
    index = Index.open(tmp_path, writable=True)
    index.update([page(1, "kept")])
    index.commit()
    index.update([page(2, "lost")])
    index.close()
    again = Index.open(tmp_path, writable=True)
    again.commit()
    assert again.rows().tolist() == [1]
    again.close()


HOSTILE = st.text() | st.sampled_from(
    ["\0", "\ud800\udfff", "x" * 70_000, "é" * 70_000, "a " * 600_000, "東" * 9_000, "\ufdfa" * 999]
)


@settings(max_examples=40, deadline=None)
@given(
    st.builds(Entry, st.integers(0, 2**64 - 1), HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, st.floats()),
)
def test_no_page_breaks_a_batch(tmp_path_factory: pytest.TempPathFactory, entry: Entry) -> None:
    """Whatever the Web says, the page is taken and its neighbours are too."""
    index = Index.open(tmp_path_factory.mktemp("index"), writable=True)
    neighbours = [page(row, "neighbour") for row in range(2**40, 2**40 + 2)]
    index.update([neighbours[0], entry, neighbours[1]])
    index.commit()
    assert {hit.row for hit in index.search("neighbour", limit=100).hits} >= {2**40, 2**40 + 1} - {entry.row}
    assert entry.row in index.rows()
    index.close()


@pytest.mark.parametrize("row", [-1, 2**64])
def test_an_impossible_row_refuses_the_whole_batch(index: Index, row: int) -> None:
    """A mistake of the caller's is told before anything is taken."""
    with pytest.raises(BadInput, match="row"):
        index.update([page(1, "apple"), page(row, "apple")])
    index.commit()
    assert len(index) == 0
    index.delete([row])  # not there, so there is nothing to do


def test_rows_may_come_from_columns(index: Index) -> None:
    """NumPy's numbers are numbers."""
    column = np.array([1, 2**64 - 1], np.uint64)
    index.update([page(row, "apple") for row in column])
    index.commit()
    assert [type(hit.row) for hit in index.search("apple").hits] == [int, int]
    index.delete(column[:1])
    index.commit()
    assert index.rows().tolist() == [2**64 - 1]


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 2**18)), st.lists(st.integers(-1, 2**64)))
def test_rows_that_may_be_held_are_a_set(rows: list[int], more: list[int]) -> None:
    """Of those it was made of and those added later, none is missing and there is no other."""
    held = NumberSet(np.array(sorted(set(rows)), np.uint64))
    later = [row for row in more if 0 <= row < 2**64]
    assert [row in held for row in more] == [row in rows for row in more]
    held.add(later)
    near = [row + step for row in rows + more for step in (-1, 0, 1, 1 << 16)]
    assert [row in held for row in near] == [row in rows or row in later for row in near]


def test_a_write_given_up_is_still_replaced_later(index: Index, tmp_path: Path) -> None:
    """Rows that were deleted but, for want of a commit, never left are replaced like any other."""
    index.update([page(1, "apple")])
    index.commit()
    index.delete([1])
    index.close()
    again = Index.open(tmp_path / "index", writable=True)
    again.update([page(1, "pear")])
    again.commit()
    assert [again.search(word).total for word in ("apple", "pear")] == [0, 1]
    again.close()


def test_one_process_writes(index: Index, tmp_path: Path) -> None:
    """A second writer is told who is in its way; a reader cannot write, and needs an index."""
    with pytest.raises(CrawlBusy):
        Index.open(tmp_path / "index", writable=True)
    reader = Index.open(tmp_path / "index", writable=False)
    with pytest.raises(BadInput, match="reading only"):
        reader.commit()
    with pytest.raises(BadInput, match="no search index"):
        Index.open(tmp_path / "elsewhere", writable=False)
    assert not (tmp_path / "elsewhere").exists()


def test_a_foreign_or_damaged_index_is_said_to_be_one(tmp_path: Path) -> None:
    """An index of other fields, and one whose list of files is torn, name the remedy."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("other")
    (tmp_path / "other").mkdir()
    tantivy.Index(builder.build(), str(tmp_path / "other"))
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn/meta.json").write_text('{"segm')
    for name in ("other", "torn"):
        for writable in (True, False):
            with pytest.raises(CrawlDamaged, match="build it again"):
                Index.open(tmp_path / name, writable=writable)


def test_rows_come_in_parts(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows there are, they are fetched a bounded number at a time, none lost between."""
    monkeypatch.setattr("sought.index.engine._ROWS_AT_ONCE", 7)
    rows = [*range(20), 2**63 - 1, 2**63, 2**64 - 1]
    index.update([page(row, "x") for row in reversed(rows)])
    index.commit()
    assert index.rows().tolist() == rows


def _run(script: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True)


WRITER = """
import sys
from collections.abc import Iterator
from pathlib import Path
from sought.index.engine import Index
from sought.index.entry import Entry
index = Index.open(Path(sys.argv[1]), writable=True, heap_mb=16)
for batch in range(10**6):
    index.update([Entry(batch * 50 + i, "https://example.org/", "", f"batch{batch} every " * 20) for i in range(50)])
    index.commit()
    print(batch, flush=True)
"""


def test_a_killed_writer_leaves_its_last_commit(tmp_path: Path) -> None:
    """After kill -9 whole batches are there, at least all acknowledged ones, and writing goes on."""
    Index.open(tmp_path, writable=True).close()
    writer = _run(WRITER, tmp_path)
    assert writer.stdout
    reader = Index.open(tmp_path, writable=False)
    for acknowledged in range(12):
        assert int(writer.stdout.readline()) == acknowledged
        assert reader.search(f"batch{acknowledged}").total == 50, "a reader in another process sees each commit"
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = max([11, *map(int, writer.communicate()[0].split())])
    index = Index.open(tmp_path, writable=True)
    assert index.rows().tolist() == list(range(len(index)))
    assert len(index) in {(acknowledged + 1) * 50, (acknowledged + 2) * 50}
    index.update([page(10**9, "afterwards")])
    index.commit()
    assert index.search("afterwards").total == 1
    index.close()


FULL = """
import resource, signal, sys
from pathlib import Path
from sought.index.engine import Index
from sought.index.entry import Entry
from sought.web.errors import StorageFull
import random
def batch(first, count):
    chance = random.Random(first)
    text = lambda: " ".join(f"w{chance.getrandbits(40):x}" for _ in range(600))
    return [Entry(row, "https://example.org/", "", "every " + text()) for row in range(first, first + count)]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
index = Index.open(Path(sys.argv[1]), writable=True, heap_mb=16)
index.update(batch(0, 10))
index.commit()
for count in (200, 6000):  # refused at the commit; refused while pages are still coming
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    try:
        for first in range(1000, 1000 + count, 200):
            index.update(batch(first, 200))
        index.commit()
        print("committed")
    except StorageFull as error:
        print("full" if len(str(error).splitlines()) == 1 else error)
    index.commit()
    print(index.rows().tolist() == list(range(10)), index.search("every").total)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
index.update(batch(10, 10))
index.commit()
print(index.rows().tolist() == list(range(20)))
index.close()
"""


def test_a_full_disk_loses_nothing_committed(tmp_path: Path) -> None:
    """A write refused for want of space says so, returns to the last commit, and works again once there is space."""
    output, _ = _run(FULL, tmp_path).communicate()
    assert output.splitlines() == ["full", "True 10", "full", "True 10", "True"]
