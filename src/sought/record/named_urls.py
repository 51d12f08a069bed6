"""URLs that a person named: seeds, and lists that were loaded.  The archive notes them, so a rebuild has them."""

from sought.record.admission import REASONS
from sought.record.config import FILE
from sought.record.directory import Directory
from sought.record.table import Source
from sought.web.errors import BadConfig
from sought.web.url import origin

SEEDS = "urn:sought:seeds"
LOADED = "urn:sought:loaded"
SOURCES = {SEEDS: Source.SEED, LOADED: Source.LOAD}


def plant_seeds(directory: Directory) -> None:
    """Make sure that the seeds of sought.toml are known."""
    config, repository, file = directory.config, directory.repository, directory.path / FILE
    fresh = [url for url in config.seeds if repository.discovery.row(url) < 0]
    if not config.seeds and not len(repository.table):
        raise BadConfig(f'{file}: no seeds: write seeds = ["https://…"], or load a list of URLs')
    for url in fresh:
        if why := repository.admission.look(url, origin(url), None, 0)[0]:
            raise BadConfig(f"{file}: the seed {url} would not be admitted: {REASONS[why]}")
    if fresh:
        directory.writer.add_urls(fresh, SEEDS, Source.SEED)
