"""The page of findings: whole, harmless, the same every time."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from sought.lab.figures import bars, lines
from sought.lab.page import drawing
from sought.lab.report import command_of, report_page, shown
from sought.lab.study import FAILS, HOLDS, UNJUDGED, Figure, Finding, Table

VOID = {"meta", "br", "img", "hr", "input", "link"}
EVIL = '<script>alert("x")</script> & <b onclick="x()">'
FINDING = Finding(
    "bounds",
    HOLDS,
    "all orders hold",
    {"small": {"a share": 0.12345678, "pages": 12345, "none": None}},
    [Table("qualities", ["policy", "quality"], [["Never()", 0.5], ["Random()", None]])],
    [
        Figure("a curve", lines({"one": ([1, 2], [3, 4])}, "x", "y", "a curve")),
        Figure("b", bars({"b": (1, 0, 2)}, "b")),
    ],
    {"worlds": {"small one.world": {"name": "small", "mark": "00"}}, "quick": True, "budgets": [0.01]},
    "c0de",
    "2020-02-02",
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
    page = report_page([other, FINDING], [Table("k8s: 2 policies", ["policy"], [["Never()"]], "sought lab compare …")])
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
    assert page.index('id="random-crawl"') < page.index('id="bounds"')  # papers come first


def test_text_does_no_harm():
    """Whatever is in a finding is text; a figure that could do something is shown as text too."""
    evil = Finding(
        EVIL,
        HOLDS,
        EVIL,
        {EVIL: {EVIL: EVIL}},
        [Table(EVIL, [EVIL], [[EVIL]], EVIL)],
        [Figure(EVIL, EVIL), Figure("", '<svg onload="x()"></svg>')],
        {EVIL: EVIL},
        EVIL,
        EVIL,
    )
    tags = read(report_page([evil], [Table(EVIL, [EVIL], [[EVIL]], EVIL)]))
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
