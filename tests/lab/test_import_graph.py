"""Graphs as worlds: three formats, one meaning; bad files say where."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, save_npz
from typer.testing import CliRunner

from sought.cli import lab_import
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.imports.graph import HOST, import_graph, read_graph
from sought.lab.worlds.recorder import WorldRecorder
from sought.web.errors import BadInput
from sought.web.url import canonical

EDGES = "# a comment\n0 1\n0\t2\n\n2 0 # here too\n0 1\n3 0\n"


def imported(file, **more):
    recorder = WorldRecorder()
    span = import_graph(recorder, file, **more)
    return span, recorder


def links_of(world):
    return {url: sorted(world.links[n].url for n in world.link_lists[i].tolist()) for i, url in enumerate(world.urls)}


def test_edge_list_becomes_a_world(tmp_path):
    """Nodes are pages at canonical URLs, successors their links, each once, and the busiest node is the seed."""
    (tmp_path / "edges.txt").write_text(EDGES)
    span, recorder = imported(tmp_path / "edges.txt")
    save_world(recorder.finish("g", span.seeds, span.start, span.end, 1.0), tmp_path / "w", recorder.texts)
    world = open_world(tmp_path / "w")
    assert span == (0.0, 0.0, (f"{HOST}0",), 3)
    assert links_of(world) == {
        f"{HOST}0": [f"{HOST}1", f"{HOST}2"], f"{HOST}1": [], f"{HOST}2": [f"{HOST}0"], f"{HOST}3": [f"{HOST}0"],
    }  # fmt: skip
    assert all(canonical(url) == url for url in world.urls)
    assert world.is_page.all()
    assert len(set(world.versions.content.tolist())) == 4
    assert world.versions.title == ["0", "1", "2", "3"]


def test_formats_agree(tmp_path):
    """The same graph in every format, also gzipped, is the same graph."""
    (tmp_path / "edges.txt").write_text(EDGES)
    (tmp_path / "edges.txt.gz").write_bytes(gzip.compress(EDGES.encode()))
    (tmp_path / "web.graph-txt").write_text("4\n1 2\n\n0\n0\n")
    matrix = csr_matrix((np.ones(5), ([0, 0, 2, 3, 1], [1, 2, 0, 0, 1])), shape=(4, 4))
    matrix[1, 1] = 0  # an entry that is no link
    save_npz(tmp_path / "web.npz", matrix)
    graphs = [read_graph(tmp_path / name) for name in ("edges.txt", "edges.txt.gz", "web.graph-txt", "web.npz")]
    for graph in graphs:
        assert graph.names.tolist() == [0, 1, 2, 3]
        assert graph.bounds.tolist() == [0, 2, 2, 3, 4]
        assert graph.targets.tolist() == [1, 2, 0, 0]


def test_seed_can_be_named(tmp_path):
    """A named node is the seed, if there is one of that name."""
    (tmp_path / "edges.txt").write_text(EDGES)
    assert imported(tmp_path / "edges.txt", seed_node=3)[0].seeds == (f"{HOST}3",)
    with pytest.raises(BadInput, match="no node 7"):
        imported(tmp_path / "edges.txt", seed_node=7)


def test_seed_lies_where_most_can_be_reached(tmp_path):
    """A node with many links to dead ends is no place to start: the largest part of pages that reach each other is."""
    ends = "".join(f"9 {end}\n" for end in range(90, 99))
    (tmp_path / "edges.txt").write_text(f"{ends}1 2\n2 3\n3 1\n3 4\n4 5\n5 4\n5 6\n5 7\n")
    span, _ = imported(tmp_path / "edges.txt")
    assert (span.seeds, span.reached) == ((f"{HOST}3",), 7)
    assert imported(tmp_path / "edges.txt", seed_node=9)[0].reached == 10
    (tmp_path / "tree.txt").write_text("5 6\n1 2\n1 3\n3 4\n")
    span, _ = imported(tmp_path / "tree.txt")
    assert (span.seeds, span.reached) == ((f"{HOST}1",), 4)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25))
def test_reached_by_its_definition(tmp_path_factory, edges):
    """What the seed reaches is what following links finds, and no less than from a node of the largest component."""
    file = tmp_path_factory.getbasetemp() / "some.txt"
    file.write_text("".join(f"{a} {b}\n" for a, b in edges))
    span, _ = imported(file)

    def reach(node):
        found, more = {node}, [node]
        while more:
            at = more.pop()
            new = {b for a, b in edges if a == at} - found
            found |= new
            more += new
        return found

    nodes = {node for edge in edges for node in edge}
    seed = int(span.seeds[0].removeprefix(HOST))
    assert span.reached == len(reach(seed))
    core = {node: sum(other in reach(node) and node in reach(other) for other in nodes) for node in nodes}
    assert core[seed] == max(core.values())
    links = {node: len({b for a, b in edges if a == node}) for node in nodes if core[node] == core[seed]}
    assert links[seed] == max(links.values())


def test_progress_ends_at_the_number_of_nodes(tmp_path):
    """Whoever waits sees how far it is."""
    (tmp_path / "edges.txt").write_text(EDGES)
    told = []
    imported(tmp_path / "edges.txt", report=lambda *what: told.append(what))
    assert told[-1] == (4, 4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0 1\n1 2 3\n", "line 2: 3 numbers"),
        ("# x\n0 1\n\na b\n", "line 4: not a line of numbers: 'a b'"),
        ("0 -1\n", "line 1: not"),
        ("0 1_0\n", "line 1: not"),
        ("0 " + "9" * 30, "line 1: not"),
        ("2\n1\n", "ends after 1 of 2"),
        ("2\n1\n2\n", "line 3: node 2 of 2"),
        ("1\n0\n0\n", "line 3: more lines"),
        ("", "no links"),
    ],
)
def test_bad_text_names_file_and_line(tmp_path, text, says):
    """What is wrong, and where."""
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(BadInput, match=says) as error:
        imported(file)
    assert "bad.txt" in str(error.value)


@pytest.mark.parametrize("bad", [b"PK", b"PK\x03\x04" + bytes(100), b"\x1f\x8b\x08\x00junk"])
def test_damaged_files_are_bad_input(tmp_path, bad):
    """No foreign exception reaches a person."""
    (tmp_path / "bad").write_bytes(bad)
    with pytest.raises(BadInput, match="bad"):
        imported(tmp_path / "bad")
    with pytest.raises(BadInput, match="absent"):
        imported(tmp_path / "absent")


def test_a_matrix_must_be_square(tmp_path):
    """Rows and columns are the same nodes."""
    save_npz(tmp_path / "web.npz", csr_matrix(np.ones((2, 3))))
    with pytest.raises(BadInput, match="2 rows and 3 columns"):
        imported(tmp_path / "web.npz")


def test_truncated_matrix_is_bad_input(tmp_path):
    """A file cut anywhere is refused."""
    save_npz(tmp_path / "web.npz", csr_matrix(np.eye(50)))
    whole = (tmp_path / "web.npz").read_bytes()
    for size in range(2, len(whole), 97):
        (tmp_path / "cut.npz").write_bytes(whole[:size])
        with pytest.raises(BadInput, match=r"cut\.npz"):
            read_graph(tmp_path / "cut.npz")


@given(st.text(alphabet="0123456789 \t\n#-+x٣", max_size=60))
def test_any_text_is_a_graph_or_bad_input(tmp_path_factory, text):
    """A text is read, and all its links are among its nodes, or it is refused with its name."""
    file = tmp_path_factory.mktemp("g") / "any.txt"
    file.write_text(text, encoding="utf-8")
    try:
        graph = read_graph(file)
    except BadInput as error:
        assert "any.txt" in str(error)
        return
    assert graph.bounds[-1] == len(graph.targets)
    assert len(graph.bounds) == len(graph.names) + 1
    assert (np.diff(graph.bounds) >= 0).all()
    assert ((graph.targets >= 0) & (graph.targets < len(graph.names))).all()


def test_command_makes_a_world(tmp_path):
    """A file in, a world out, and a line of figures."""
    (tmp_path / "edges.txt").write_text(EDGES)
    run = CliRunner().invoke(
        lab_import.app, ["graph", str(tmp_path / "edges.txt"), "--to", str(tmp_path / "w"), "--seed-node", "2"]
    )
    assert run.exit_code == 0, run.output
    assert "4 pages, 4 versions, 4 links, 0 queries" in " ".join(run.stdout.split())
    assert " ".join(run.stdout.split()).endswith("; the seed reaches 3 of the pages")
    world = open_world(tmp_path / "w")
    assert (world.name, world.seeds) == ("edges", (f"{HOST}2",))
    assert world.notes["source"] == "graph"
