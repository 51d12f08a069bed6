"""In which order does a policy fetch the pages of a web that stands still?"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sought.lab.replay.setting import Setting, pages_at_start
from sought.lab.studies.cells import read_log
from sought.lab.studies.experiment import Report, grid, run_all
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING, Numbers
from sought.web.policy import Policy

_SPARE = 3  # times as many fetches as there are pages: some links lead elsewhere, or nowhere


def crawl_orders(
    folder: Path, policies: Sequence[Policy], results: Path, cores: int, report: Report, rounds: int = 100
) -> list[Numbers]:
    """The pages of a world in the order in which each policy fetches them from the seeds on, until none are left.

    The policy ranks anew after every 1/`rounds` of the pages.  Addresses that are no page are left out.  What was
    crawled before is kept in `results`.
    """
    world = open_world(folder)
    budget = float(_SPARE * max(1, pages_at_start(world)))
    setting = Setting(start="cold", rounds=_SPARE * rounds, split="none", units=1)
    cells = grid(policies, folder, [budget], [0], setting)
    run_all(cells, folder, [], results, cores, report)
    orders = []
    for cell in cells:
        log = read_log(cell, results)
        pages, versions = log["page"].to_numpy(), log["version"].to_numpy()
        fetched = pages[np.where(versions == NOTHING, False, world.is_page[versions])]
        orders.append(fetched[np.sort(np.unique(fetched, return_index=True)[1])])
    return orders
