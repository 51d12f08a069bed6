"""Figures: SVG that stands in a page, the same each time."""

import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from sought.lab.studies.figures import COLOURS, bars, lines
from tests.testing.drawn_figures import BARS, SERIES, drawn

SVG = "{http://www.w3.org/2000/svg}"


def words(svg):
    return ["".join(text.itertext()).strip() for text in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_a_figure_is_one_svg_element(kind):
    """Well-formed, without a declaration, a date or anything to be loaded from elsewhere."""
    svg = drawn()[kind]
    assert svg.startswith("<svg ")
    assert ET.fromstring(svg).tag == f"{SVG}svg"
    assert "<?xml" not in svg
    assert "<!DOCTYPE" not in svg
    assert not re.search(r"<(script|image)|\bdate\b", svg)
    assert all(address.startswith("#") for address in re.findall(r'href="([^"]*)"', svg))


@pytest.mark.slow
def test_the_same_figures_give_the_same_bytes():
    """Here, and in another process."""
    code = "from tests.testing.drawn_figures import drawn; import sys; sys.stdout.write(repr(drawn()))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert repr(drawn()) == repr(drawn()) == other.stdout


def test_everything_is_named_as_it_is():
    """Axes, title and legend as words that can be searched for, whatever is in them."""
    found = words(drawn()["lines"])
    assert {"budget", "quality", "Quality & budget", *SERIES} <= set(found)
    assert {"Gain over <floor>", *BARS} <= set(words(drawn()["bars"]))


def test_ids_of_two_figures_do_not_meet():
    """Both can stand on one page."""
    first, second = (set(re.findall(r' id="([^"]*)"', svg)) for svg in drawn().values())
    assert first
    assert second
    assert not first & second


def test_series_are_told_apart_by_more_than_colour():
    """Eight series have seven colours: the eighth has dashes and a mark of its own."""
    svg = lines({f"s{i}": ([0, 1], [i, i + 1]) for i in range(8)}, "x", "y", "many")
    assert all(colour.lower() in svg for colour in COLOURS)
    assert svg.count("stroke-dasharray") > lines({"s0": ([0, 1], [0, 1])}, "x", "y", "one").count("stroke-dasharray")


def test_nothing_to_draw_is_drawn():
    for svg in (lines({}, "x", "y", "empty"), bars({}, "empty")):
        assert ET.fromstring(svg).tag == f"{SVG}svg"


def test_intervals_are_seen():
    """A wide interval moves the axis, a narrow one does not."""
    narrow, wide = (bars({"a": (0.5, 0.5 - d, 0.5 + d)}, "t") for d in (0.01, 5.0))
    assert "4" in words(wide)
    assert "4" not in words(narrow)
