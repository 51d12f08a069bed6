"""A crawl whose answers a test makes up: a hub, and pages it links to."""

import numpy as np

from sought.operate.rebuild import rebuild
from sought.record.directory import Directory
from sought.record.history import finished_fetches
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.table import LIFE
from tests.testing.demand_site import answer, write_config

NEVER = -np.inf
HOST = "http://a.example/"
HUB, OTHER = "", "other"  # pages; the hub is the seed


class Web:
    """A crawl whose answers a test makes up; each second brings one."""

    def __init__(self, path):
        self.path = write_config(path)
        self.clock = 1e9
        self.directory = open_directory(path)
        plant_seeds(self.directory)

    def get(self, name, links=(), status=200, words="", head="", commit=True, **headers):
        """Fetch a page with these links; its time."""
        self.clock += 1.0
        text = words or " ".join(f"{name}word{i}" for i in range(40))
        body = f"<html lang=en><head>{head}</head><body><p>{text}</p>{''.join(map(_link, links))}</body></html>"
        response = answer(HOST + name, body if status == 200 else "", status, time=self.clock, **headers)
        row = self.directory.repository.known_row(response.url, self.clock)
        self.directory.writer.record(row, response)
        if commit:
            self.directory.writer.commit()
        return self.clock

    def row(self, name):
        return self.directory.repository.discovery.row(HOST + name)

    def at(self, name, column="linked"):
        return float(self.directory.repository.table[column][self.row(name)])

    def is_doubted(self, name):
        seen = max(self.at(name, "last_fetch"), self.at(name))
        return self.at(name, "unlinked") > seen

    def restart(self):
        self.directory.close()
        self.directory = open_directory(self.path)

    def crash(self):
        """What is on record and not in the tables yet is replayed."""
        self.directory.archive.flush(sync=True)
        self.directory.abandon()
        self.directory = open_directory(self.path)

    def rebuild(self):
        self.directory.close()
        rebuild(self.path, lambda _: None)
        self.directory = open_directory(self.path)


def _link(name):
    return f"<a href={name if ':' in name else '/' + name}>to {name}</a> "


def snapshot(directory: Directory):
    """Columns bit by bit, and the whole history."""
    table = directory.repository.table
    fetches = [(each.row, each.outcome) for some in finished_fetches(directory.store, NEVER) for each in some]
    for _, outcome in fetches:
        outcome.gain = None  # measured by other statistics after a rebuild
        outcome.size = 0  # nor does the archive keep the same bytes twice
    return {name: table[name].tobytes() for name in (*LIFE, "inlinks")}, fetches


def same_however_opened(web):
    """The tables as they are, after a restart, and after a rebuild."""
    columns, fetches = snapshot(web.directory)
    for again in (web.restart, web.rebuild):
        again()
        anew, others = snapshot(web.directory)
        assert [name for name in columns if columns[name] != anew[name]] == []
        assert others == fetches
