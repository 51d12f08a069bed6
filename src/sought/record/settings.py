"""What has been ordered and outlives the crawl that was told: DIR/settings.json, which overrides sought.toml."""

from pathlib import Path

import msgspec

from sought.record.config import FILE as CONFIG
from sought.record.config import Config, load_config, rate
from sought.record.files import replace_file
from sought.web.errors import BadConfig, BadInput

FILE = "settings.json"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whether the crawl rests, a budget in place of that of sought.toml (empty: none), names of hosts that are never
    asked, and URLs that were asked for and have not been fetched since.
    """

    paused: bool = False
    budget: str = ""
    blocked: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()


def load_settings(path: Path) -> Settings:
    """Those of a crawl directory."""
    file = path / FILE
    try:
        settings = msgspec.json.decode(file.read_bytes(), type=Settings)
        if settings.budget:
            rate(settings.budget)
        return settings
    except FileNotFoundError:
        return Settings()
    except (BadInput, ValueError, RecursionError, OSError) as error:  # msgspec's errors are ValueErrors
        raise BadConfig(f"{file}: {error}; mend it, or remove it to go by sought.toml alone") from None


def in_force(config: Config, settings: Settings) -> Config:
    """What sought.toml says, but for what has been ordered since."""
    if not settings.budget:
        return config
    return msgspec.structs.replace(config, crawl=msgspec.structs.replace(config.crawl, budget=settings.budget))


def crawl_config(path: Path) -> Config:
    """The configuration of an existing crawl directory, with what has been ordered in place of what is written."""
    if not path.is_dir():
        raise BadInput(f"no crawl at {path}: make one with 'sought init {path} URL…'")
    return in_force(load_config(path / CONFIG), load_settings(path))


def save_settings(path: Path, settings: Settings) -> None:
    """On disk before this returns: whoever was told that an order is applied may rely on it."""
    replace_file(path / FILE, msgspec.json.format(msgspec.json.encode(settings)) + b"\n", sync=True)
