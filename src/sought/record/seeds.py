"""Which URLs came from a person?  Seeds and loaded lists; the archive notes them, so that a rebuild has them."""

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
    """Enter the seeds of sought.toml that are not known yet."""
    config, repository, file = directory.config, directory.repository, directory.path / FILE
    fresh = [url for url in config.seeds if repository.discovery.row(url) < 0]
    if not config.seeds and not len(repository.table):
        raise BadConfig(f'{file}: no seeds: write seeds = ["https://…"], or load a list of URLs')
    for url in fresh:
        if why := repository.admission.look(url, origin(url), None, 0)[0]:
            raise BadConfig(f"{file}: the seed {url} would not be admitted: {REASONS[why]}")
    if fresh:
        directory.writer.add_urls(fresh, SEEDS, Source.SEED)
