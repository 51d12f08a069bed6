"""The page of findings: whole, harmless, the same every time."""

import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from sought.lab.studies.figures import bars, lines
from sought.lab.studies.findings import key_of
from sought.lab.studies.report import command_of, curves, drawing, folded, report_page, shown
from sought.lab.studies.study import FAILS, HOLDS, UNJUDGED, Figure, Finding, ResultTable

VOID = {"meta", "br", "img", "hr", "input", "link"}
EVIL = '<script>alert("x")</script> & <b onclick="x()">'
FINDING = Finding(
    "bounds",
    HOLDS,
    "all orders hold",
    {"small": {"a share": 0.12345678, "pages": 12345, "none": None}},
    [ResultTable("qualities", ["policy", "quality"], [["Never()", 0.5], ["Random()", None]])],
    [
        Figure("a curve", lines({"one": ([1, 2], [3, 4])}, "x", "y", "a curve")),
        Figure("b", bars({"b": (1, 0, 2)}, "b")),
    ],
    {"worlds": {"small one.world": {"name": "small", "mark": "00"}}, "quick": True, "budgets": [0.01]},
    "c0de",
    "2020-02-02T20:20:02Z",
)


class Tags(HTMLParser):
    """Which tags are open; all text, all attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.ids, self.links, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "srcset", "action"):
                self.links.append(value)
            assert not name.startswith("on"), name
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    return tags


def test_the_page_is_well_formed_and_needs_nothing_else():
    """Tags are closed in order, ids are there once, links lead into the page, nothing is loaded."""
    figures = [Figure("c", lines({"one": ([1, 2], [3, 4])}, "x", "y", "c"))]
    other = replace(FINDING, study="losses", verdict=FAILS, figures=figures)
    page = report_page(
        [other, FINDING], [ResultTable("k8s: 2 policies", ["policy"], [["Never()"]], "sought lab compare …")]
    )
    tags = read(page)
    assert len(set(tags.ids)) == len(tags.ids)
    assert all(link.startswith("#") and link[1:] in tags.ids for link in tags.links)
    assert not {"script", "link", "img", "iframe", "object"} & set(tags.seen)
    assert not re.search(r"url\(\s*['\"]?(?!#)|@import", page)
    assert tags.seen.count("svg") == 3
    assert page.startswith("<!DOCTYPE html>")


def test_what_is_said_of_an_experiment():
    """Its question, what must hold, verdict and reason, numbers, tables, command and settings, code and day."""
    text = " ".join(read(report_page([FINDING])).text)
    for words in (
        "Floors, oracles and the ceiling", "How much is there to gain", "never ≤ random", "all orders hold", "0.1235",
        "12,345", "Never()", "a curve", "sought lab run bounds --world 'small one.world' --quick", '"budgets"',
        "2020-02-02", "c0de",
    ):  # fmt: skip
        assert words in text


def test_counts_of_verdicts_are_on_top():
    """How many hold, do not, and cannot be judged; those of 0 too."""
    findings = [FINDING, replace(FINDING, study="losses"), replace(FINDING, study="random-crawl", verdict=UNJUDGED)]
    page = report_page(findings)
    assert page.index("2 × holds") < page.index("0 × does not hold") < page.index("1 × cannot be judged on this data")
    assert page.index("1 × cannot") < page.index("<nav>") < page.index("<section")
    papers, beyond = (page.index(f'id="{key_of(findings[at])}"') for at in (2, 0))
    assert papers < beyond


def test_text_does_no_harm():
    """Whatever is in a finding is text; a figure that could do something is shown as text too."""
    evil = Finding(
        EVIL,
        HOLDS,
        EVIL,
        {EVIL: {EVIL: EVIL}},
        [ResultTable(EVIL, [EVIL], [[EVIL]], EVIL)],
        [Figure(EVIL, EVIL), Figure("", '<svg onload="x()"></svg>')],
        {EVIL: EVIL},
        EVIL,
        EVIL,
    )
    tags = read(report_page([evil], [ResultTable(EVIL, [EVIL], [[EVIL]], EVIL)]))
    assert "script" not in tags.seen
    assert EVIL in tags.text


@pytest.mark.parametrize(
    "svg", ["text", "<svg><script/></svg>", "<svg><a href='http://x.test'/></svg>", '<svg><image href="data:,"/></svg>']
)
def test_drawings_that_load_or_do_something(svg):
    """They are not drawn."""
    assert drawing(svg).startswith("<pre>&lt;svg") or drawing(svg) == "<pre>text</pre>"


def test_the_same_findings_give_the_same_page():
    """In whatever order they come."""
    other = replace(FINDING, study="losses")
    assert report_page([FINDING, other]) == report_page([other, FINDING])
    assert "No experiment has been run yet" in report_page([])


def test_a_study_that_is_no_more():
    """A finding of an experiment that was renamed is shown all the same."""
    assert "gone" in " ".join(read(report_page([replace(FINDING, study="gone")])).text)
    assert command_of(Finding("gone", HOLDS, "")) == "sought lab run gone"


def test_values_for_people():
    """Four digits; large numbers whole."""
    assert [shown(v) for v in (None, 0.123456, 1234.5, 123456.7, 12345, "x")] == [
        "–", "0.1235", "1234", "123,457", "12,345", "x",
    ]  # fmt: skip


def test_verdicts_of_one_study_on_several_worlds():
    """All are there, the newest first, with worlds and whether they were quick; links tell them apart."""
    worlds = {"other.world": {"name": "other", "mark": "01"}}
    other = replace(FINDING, settings={"worlds": worlds}, written="2020-02-03T00:00:00Z", figures=[])
    page = report_page([FINDING, other])
    tags = read(page)
    assert len(set(tags.ids)) == len(tags.ids)
    assert {f"#{key_of(FINDING)}", f"#{key_of(other)}"} <= set(tags.links)
    assert page.index(f'id="{key_of(other)}"') < page.index(f'id="{key_of(FINDING)}"')
    assert tags.text.count("other.world, 2020-02-03") == 1
    assert tags.text.count("small one.world, quick, 2020-02-02") == 1
    assert page == report_page([other, FINDING])


def table_of(budgets, columns=("policy", "budget", "seed", "quality"), **more):
    rows = [[p, b, s, 0.5 + 0.1 * s] for p in ("Never()", "Random()") for b in budgets for s in (0, 1)]
    return ResultTable("small: 2 policies", list(columns), rows, **more)


def test_comparisons_of_several_budgets_have_a_figure():
    """Quality over budget, a line a policy; none where budgets are one or of two kinds, or quality is not there."""
    (figure,) = curves(table_of([0.01, 0.05]))
    assert all(words in figure.svg for words in ("Never()", "Random()", "% of pages", "mean quality"))
    (figure,) = curves(table_of([2, 40]))
    assert "% of pages" not in figure.svg
    for none in (table_of([2]), table_of([2, 0.5]), table_of([2, 3], ("policy", "budget", "seed", "age")), EMPTY):
        assert curves(none) == []
    gaps = replace(table_of([2, 3]), rows=[["Never()", 2.0, 0, None], ["Never()", 3.0, 0, 0.5], [None, "x", 0, 1.0]])
    assert curves(gaps) == []


EMPTY = ResultTable("none", ["policy", "budget", "quality"], [])


def test_comparisons_have_a_day_and_a_readable_command():
    """Two of one title are told apart, by number, their figures too."""
    command = "sought lab compare small.world " + " ".join(f"--policy 'Random(seed={n})'" for n in range(9))
    tables = [table_of([2, 3], note=f"{command} --units {n}", date=f"2020-02-0{n}") for n in (1, 2)]
    tags = read(report_page([], tables))
    assert len(set(tags.ids)) == len(tags.ids)
    assert tags.seen.count("svg") == 2
    assert {"1. small: 2 policies", "2. small: 2 policies", "2020-02-01", "2020-02-02"} <= set(tags.text)
    assert folded(tables[0].note) in tags.text


def test_folded_commands_are_the_same_commands():
    """Lines are short, no option is apart from its value; what is no command stays as it is."""
    command = shlex.join(["sought", "lab", "compare", "a b", *["--policy", "UserCentric('x')"] * 12, "--etags"])
    lines_of = folded(command).split(" \\\n  ")
    assert max(map(len, lines_of)) <= 101
    assert len(lines_of) > 2
    assert " ".join(lines_of) == command
    assert all(line.startswith("--policy") for line in lines_of[1:])
    for text in ("what's that", "", "sought  twice", "a note " * 50):
        assert folded(text) == text
