"""A crawl with weeks of history, for the budget dial."""

import random
import time
from dataclasses import replace

from sought.demand import QueryLog, import_file
from sought.lab.worlds.world import WEEK
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.workload_refresh import Refresh
from sought.web.message import Why
from tests.testing.demand_site import answer, page, write_config


def recorded_crawl(path, weeks):
    """Thirty pages on a home page, each fetched once a week, of which one in three changed; until today."""
    write_config(path)
    (path / "asked.tsv").write_text("query\tcount\nboats\t5\ncities\t3\nrivers\t2\n")
    import_file(QueryLog(path / "queries"), path / "asked.tsv")
    directory, dice, begin = open_directory(path), random.Random(1), time.time() - weeks * WEEK
    plant_seeds(directory)
    Refresh(directory).before_the_first_page(time.time())
    bodies = {"": page(dice, "home", "".join(f"<a href=/p{i}>boats {i}</a> " for i in range(30)))}
    for week in range(weeks):
        for number, name in enumerate(["", *(f"p{i}" for i in range(30))]):
            if name and (not week or dice.random() < 1 / 3):
                bodies[name] = page(dice, f"{name}v{week}")
            response = answer(f"http://a.example/{name}", bodies[name], time=begin + week * WEEK + 60.0 * number)
            row = directory.repository.known_row(response.url, response.time)
            directory.writer.record(row, replace(response, why=Why(1, 0.5, 0.05, None, policy="Worth()")))
        directory.writer.commit()
    directory.close()
    return path
