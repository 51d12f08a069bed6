"""Figures as SVG that can be put into an HTML page: the same figures give the same bytes."""

import io
import re
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from sought.lab.studies.study import Figure

# M. Okabe, K. Ito, Color Universal Design, 2008: distinct for the colour-blind too; yellow is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = "osD^vPX<>*"
DASHES = ("-", "--", "-.", ":")

Series = Mapping[str, tuple[Sequence[float], Sequence[float]]]
Bars = Mapping[str, tuple[float, float, float]]


def line_figure(study: str, title: str, series: Series, x: str, y: str) -> Figure:
    """What `lines` draws, for the findings of a study."""
    return Figure(title, lines(series, x, y, title, f"{title} ({study})"))


def lines(series: Series, x: str, y: str, title: str, salt: str = "") -> str:
    """One line for each name: its x and its y values.  Two figures of one title on a page need different salts."""
    figure = Canvas(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.subplots()
    for number, (name, (across, up)) in enumerate(series.items()):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        style = DASHES[number // len(COLOURS) % len(DASHES)]
        axes.plot(across, up, style, color=colour, marker=marker, markersize=5, linewidth=1.6, label=_plain(name))
    axes.set_xlabel(_plain(x))
    axes.set_ylabel(_plain(y))
    _dress(axes, title)
    axes.grid(color="#dddddd", linewidth=0.6)
    if series:
        figure.legend(loc="outside lower center", ncols=2 if len(series) > 1 else 1, frameon=False, fontsize=9)
    return _svg(figure, salt or title)


def scatter(series: Series, x: str, y: str, title: str, salt: str = "") -> str:
    """A point for each pair of values, on log-log axes with the diagonal; zeros lie on the edges."""
    figure = Canvas(figsize=(5.4, 5.4), layout="constrained")
    axes = figure.subplots()
    values = np.concatenate([np.asarray(each, np.float64) for pair in series.values() for each in pair] or [np.ones(1)])
    some = values[values > 0.0]
    low, high = (float(some.min()), float(some.max())) if len(some) else (1.0, 1.0)
    edge = low / 3.0
    for number, (name, pair) in enumerate(series.items()):
        across, up = (np.maximum(np.asarray(each, np.float64), edge) for each in pair)
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        axes.plot(across, up, marker, color=colour, markersize=3, alpha=0.5, label=_plain(name), linestyle="none")
    axes.plot([edge, high], [edge, high], "-", color="#555555", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(_plain(x))
    axes.set_ylabel(_plain(y))
    _dress(axes, title)
    if series:
        figure.legend(loc="outside lower center", ncols=2 if len(series) > 1 else 1, frameon=False, fontsize=9)
    return _svg(figure, salt or title)


def bars(values: Bars, title: str, salt: str = "") -> str:
    """One bar for each name with its interval: value, low, high."""
    figure = Canvas(figsize=(7.2, 1.0 + 0.4 * max(1, len(values))), layout="constrained")
    axes = figure.subplots()
    means = [mean for mean, _, _ in values.values()]
    below = [max(mean - low, 0.0) for mean, low, _ in values.values()]
    above = [max(high - mean, 0.0) for mean, _, high in values.values()]
    rows = range(len(values))
    if values:
        axes.barh(rows, means, 0.6, color=COLOURS[4], xerr=(below, above), ecolor=COLOURS[6], capsize=3)
    axes.set_yticks(rows, [_plain(name) for name in values])
    axes.invert_yaxis()  # the first is on top
    axes.axvline(0, color="#555555", linewidth=0.8)
    _dress(axes, title)
    axes.grid(color="#dddddd", linewidth=0.6, axis="x")
    return _svg(figure, salt or title)


def _dress(axes: Axes, title: str) -> None:
    axes.set_title(_plain(title), fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)


def _plain(text: str) -> str:
    """Escape dollars, which would begin a formula."""
    return text.replace("$", r"\$")


def _svg(figure: Canvas, salt: str) -> str:
    written = io.StringIO()
    # Without a salt ids are drawn by lot; with a salt of its own those of two figures on one page do not meet.
    with mpl.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none"}):
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = written.getvalue()
    return _without_idle_ids(text[text.index("<svg") :])


def _without_idle_ids(svg: str) -> str:
    """Remove unused ids, which would be duplicates on a page with two figures."""
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', svg))
    return re.sub(r' id="([^"]*)"', lambda match: match[0] if match[1] in used else "", svg)
