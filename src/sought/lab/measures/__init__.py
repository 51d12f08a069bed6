"""By what is a run judged?  One short file for each measure; `MEASURES` has them by name."""

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
from sought.web.expression import evaluated

__all__ = [
    "MEASURES", "Age", "Calibrated", "ChangeRatio", "ClickThrough", "CrawlAndStop", "Freshness", "FreshnessAt",
    "ImpactShare", "LimitedBuffer", "Measure", "PrecisionAt", "Quality", "Threshold", "Variation", "parse_measure",
]  # fmt: skip

_MEASURES: tuple[Measure, ...] = (
    Quality(),
    Quality("before"),
    Quality(part="known"),
    Quality("before", "known"),
    Quality(weeks="bulk"),
    Quality(weeks="ordinary"),
    Freshness(),
    Freshness("before"),
    Age(),
    Age("before"),
    ChangeRatio(),
    ChangeRatio("default"),
    ChangeRatio("printed"),
    ChangeRatio("cho_ntoulas"),
    FreshnessAt(),
    FreshnessAt(form="printed"),
    PrecisionAt(),
    PrecisionAt(form="printed"),
    ImpactShare("click"),
    ImpactShare("view"),
    ClickThrough(),
    CrawlAndStop(),
    CrawlAndStop("pagerank"),
    Threshold(),
    Threshold(importance="pagerank"),
    LimitedBuffer(),
    LimitedBuffer(importance="pagerank"),
    Variation("host"),
    Variation("directory"),
    Calibrated("slope"),
    Calibrated("rank_correlation"),
    Calibrated("top_tenth"),
    Calibrated("sum_ratio"),
    Calibrated("slope", "known"),
    Calibrated("rank_correlation", "known"),
    Calibrated("top_tenth", "known"),
    Calibrated("sum_ratio", "known"),
)

MEASURES: dict[str, Measure] = {measure.name: measure for measure in _MEASURES}
_CLASSES: dict[str, type] = {type(measure).__name__: type(measure) for measure in _MEASURES}


def parse_measure(text: str) -> Measure:
    """The measure of this name, or that an expression stands for; BadInput, which says what is wrong, if none."""
    name = text.strip()
    if name in MEASURES:
        return MEASURES[name]
    if "(" not in name and name not in _CLASSES:
        known = f"there are {', '.join(MEASURES)}, and expressions such as FreshnessAt(k=5)"
        raise BadInput(f"no measure called {name[:200]!r}; {known}")
    return evaluated(text, _CLASSES, "measure")  # type: ignore[no-any-return]  # one of these
