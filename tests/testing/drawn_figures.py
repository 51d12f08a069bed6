"""One figure of each kind, with names that need escaping and values that are missing."""

from sought.lab.studies.figures import bars, lines

SERIES = {
    "RoundRobin()": ([1, 2, 5], [0.8, 0.9, 0.95]),
    "UserCentric(decay=0.9)": ([1, 2, 5], [0.85, float("nan"), 0.97]),
}
BARS = {"<a> & b": (0.02, 0.01, 0.03), "c $x^2$ d": (-0.01, -0.02, 0.005), "unknown": (float("nan"),) * 3}


def drawn() -> dict[str, str]:
    """Each kind of figure as SVG."""
    return {"lines": lines(SERIES, "budget", "quality", "Quality & budget"), "bars": bars(BARS, "Gain over <floor>")}
