"""Which experiments are there?  One file each; `EXPERIMENTS` has them by name."""

from sought.lab.experiments.bounds import BOUNDS
from sought.lab.experiments.losses import LOSSES
from sought.lab.experiments.random_crawl import RANDOM_CRAWL
from sought.lab.study import Study

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: dict[str, Study] = {study.name: study for study in (RANDOM_CRAWL, BOUNDS, LOSSES)}
