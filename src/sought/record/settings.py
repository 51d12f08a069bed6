"""Which orders stay in force after the crawl that received them?  DIR/settings.json, which overrides sought.toml."""

from pathlib import Path

import msgspec

from sought.record.config import FILE as CONFIG
from sought.record.config import Config, load_config, rate
from sought.record.files import replace_file
from sought.web.errors import BadConfig, BadInput

FILE = "settings.json"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether the crawl is paused, a budget that replaces that of sought.toml (empty: none), names of blocked hosts,
    and URLs that were ordered and have not been fetched yet.
    """

    paused: bool = False
    budget: str = ""
    blocked: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()


def load_settings(path: Path) -> Settings:
    """The settings of a crawl directory."""
    file = path / FILE
    try:
        settings = msgspec.json.decode(file.read_bytes(), type=Settings)
        if settings.budget:
            rate(settings.budget)
        return settings
    except FileNotFoundError:
        return Settings()
    except (BadInput, ValueError, RecursionError, OSError) as error:  # msgspec's errors are ValueErrors
        raise BadConfig(f"{file}: {error}; correct it, or remove it to use sought.toml alone") from None


def in_force(config: Config, settings: Settings) -> Config:
    """The configuration with orders applied."""
    if not settings.budget:
        return config
    return msgspec.structs.replace(config, crawl=msgspec.structs.replace(config.crawl, budget=settings.budget))


def crawl_config(path: Path) -> Config:
    """The configuration of an existing crawl directory, with orders applied."""
    if not path.is_dir():
        raise BadInput(f"no crawl at {path}: make one with 'sought init {path} URL…'")
    return in_force(load_config(path / CONFIG), load_settings(path))


def save_settings(path: Path, settings: Settings) -> None:
    """On disk before this returns, so that an order reported as applied is durable."""
    replace_file(path / FILE, msgspec.json.format(msgspec.json.encode(settings)) + b"\n", sync=True)
