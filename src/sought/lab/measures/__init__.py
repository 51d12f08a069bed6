"""By what is a run judged?  One short file for each measure; `MEASURES` has them by name.

Those of a module are its tuple `MEASURES`; others are found under the entry points `sought.measures`.
"""

from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from sought.lab.measures.age import Age
from sought.lab.measures.calibration import Calibrated
from sought.lab.measures.change_ratio import ChangeRatio
from sought.lab.measures.click_through import ClickThrough
from sought.lab.measures.crawl_and_stop import CrawlAndStop
from sought.lab.measures.freshness import Freshness
from sought.lab.measures.freshness_at import FreshnessAt
from sought.lab.measures.impact_share import ImpactShare
from sought.lab.measures.limited_buffer import LimitedBuffer
from sought.lab.measures.measure import Measure
from sought.lab.measures.precision_at import PrecisionAt
from sought.lab.measures.quality import Quality
from sought.lab.measures.threshold import Threshold
from sought.lab.measures.variation import Variation
from sought.web.errors import BadInput
from sought.web.registry import Registry

__all__ = [
    "MEASURES", "Age", "Calibrated", "ChangeRatio", "ClickThrough", "CrawlAndStop", "Freshness", "FreshnessAt",
    "ImpactShare", "LimitedBuffer", "Measure", "PrecisionAt", "Quality", "Threshold", "Variation", "parse_measure",
]  # fmt: skip


def _is_measure(value: Any) -> bool:
    """A dataclass that can be called and has a name, or a value of one."""
    kind = value if isinstance(value, type) else type(value)
    return is_dataclass(kind) and "__call__" in dir(kind) and hasattr(kind, "name")


def _names(value: Any) -> list[str]:
    return [value.__name__ if isinstance(value, type) else value.name]


# Listed are the values; classes can be named too.
MEASURES = Registry(
    "measure",
    "sought.lab.measures",
    "sought.measures",
    _is_measure,
    _names,
    is_listed=lambda value: not isinstance(value, type),
)


def parse_measure(text: str) -> Measure:
    """The measure of this name, or that of an expression; BadInput says what is wrong.

    What has its module before its name is looked for in the current directory, too.
    """
    name = text.strip()
    if "(" not in name and ":" not in name and name not in MEASURES:
        known = f"there are {', '.join(MEASURES)}, and expressions such as FreshnessAt(k=5)"
        raise BadInput(f"no measure called {name[:200]!r}; {known}")
    return MEASURES.read(name, Path.cwd())  # type: ignore[no-any-return]  # one of these
