"""Which files make up an archive?  `crawl-00000001.warc.gz` and so on, without gaps, each with its `.cdxj`."""

import os
import re
from itertools import pairwise
from pathlib import Path

from sought.web.errors import CrawlDamaged

_NAME = re.compile(r"crawl-(\d{8,})\.warc\.gz")


def warc_name(number: int) -> str:
    return f"crawl-{number:08d}.warc.gz"


def warc_path(folder: Path, number: int) -> Path:
    return folder / warc_name(number)


def cdxj_path(folder: Path, number: int) -> Path:
    return folder / f"crawl-{number:08d}.cdxj"


def numbers(folder: Path) -> list[int]:
    """The numbers of the files, in order; raises CrawlDamaged if one is missing in between."""
    found = present(folder)
    for before, after in pairwise(found):
        if after != before + 1:
            raise missing(folder, before + 1)
    return found


def present(folder: Path) -> list[int]:
    """The numbers of existing files, in order; there may be gaps."""
    return sorted(
        int(name[1]) for entry in os.scandir(folder) if (name := _NAME.fullmatch(entry.name)) and entry.is_file()
    )


def next_number(folder: Path) -> int:
    """A number that no file in this folder has."""
    taken = [int(name[1]) for entry in os.scandir(folder) if (name := re.match(r"crawl-(\d{8,})\.", entry.name))]
    return max(taken, default=0) + 1


def missing(folder: Path, number: int) -> CrawlDamaged:
    return CrawlDamaged(f"{warc_path(folder, number)} is missing; restore it from a copy")
