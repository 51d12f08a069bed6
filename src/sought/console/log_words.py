"""An event of the log as a line for people: what happened, in words, and gains in searches.

Anybody may have written the log: a field that is missing, or is not what it should be, is left out of the sentence.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sought.console.answers import Unit
from sought.console.wording import change, count, exact, length, number, searches, spelled

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Phrase:
    """Some words of a sentence: a `url` has a page of its own, a gain has its exact number."""

    text: str
    exact: str = ""
    url: str = ""


Sentence = tuple[Phrase, ...]


def sentence(event: str, fields: Fields, unit: Unit) -> Sentence:
    """What happened, but for the event's name."""
    say = _SENTENCES.get(event)
    return _joined(say(fields, unit)) if say else (Phrase(_others(fields)),)


def _started(fields: Fields, _: Unit) -> list[Phrase]:
    budget = fields.get("budget")
    fetches = count(budget, "fetch", "fetches") if isinstance(budget, int) else _text(fields, "budget")
    rests = "paused until resumed" if fields.get("paused") is True else ""
    return [_after("by ", _text(fields, "policy")), _after("with a budget of ", fetches), Phrase(rests)]


def _paused(_: Fields, __: Unit) -> list[Phrase]:
    return [Phrase("by order")]


def _plan(fields: Fields, unit: Unit) -> list[Phrase]:
    chosen, hosts, known = (_whole(fields, name) for name in ("chosen", "hosts", "known"))
    words = f"{count(chosen, 'page')} chosen" if chosen is not None else ""
    words += f" on {count(hosts, 'host')}" if words and hosts is not None else ""
    words += f" of {number(known)} known" if words and known is not None else ""
    price, to_gain = _real(fields.get("price")), fields.get("to_gain")
    expected = to_gain if isinstance(to_gain, Mapping) else {}
    new, old = (_a_week(f"{name} pages would add ", _real(expected.get(name)), unit) for name in ("new", "known"))
    worth = unit.in_all(price)
    last = Phrase("") if worth is None else Phrase(f"price of a fetch {searches(worth)} searches", exact(price))
    return [Phrase(words), last, new, old]


def _commit(fields: Fields, unit: Unit) -> list[Phrase]:
    fetches = _whole(fields, "fetches")
    words = f"{count(fetches, 'fetch', 'fetches')} on disk" if fetches is not None else ""
    return [Phrase(words), _gain(fields, unit)]


def _trouble(fields: Fields, _: Unit) -> list[Phrase]:
    return [Phrase(_text(fields, "what")), Phrase(url := _text(fields, "url"), url=url)]


def _damaged(fields: Fields, _: Unit) -> list[Phrase]:
    return [_after("cannot read ", _text(fields, "what")), Phrase(_text(fields, "remedy"))]


def _clock(fields: Fields, _: Unit) -> list[Phrase]:
    seconds = _real(fields.get("seconds"))
    behind = "" if seconds is None else f"{length(seconds)} behind the last fetch"
    return [Phrase(behind), Phrase("later dates count as now")]


def _applied(fields: Fields, _: Unit) -> list[Phrase]:
    return [Phrase(_text(fields, "order")), _after("by ", _text(fields, "who"))]


def _refused(fields: Fields, unit: Unit) -> list[Phrase]:
    return [*_applied(fields, unit), Phrase(_text(fields, "why"))]


def _stopping(_: Fields, __: Unit) -> list[Phrase]:
    return [Phrase("ends when the requests in flight have finished")]


def _stopped(fields: Fields, unit: Unit) -> list[Phrase]:
    fetched, seconds = _whole(fields, "fetched"), _real(fields.get("seconds"))
    words = count(fetched, "fetch", "fetches") if fetched is not None else ""
    words += f" in {length(seconds)}" if words and seconds is not None else ""
    return [Phrase(_text(fields, "ended")), Phrase(words), _gain(fields, unit)]


def _what(fields: Fields, _: Unit) -> list[Phrase]:
    return [Phrase(_text(fields, "what"))]


_SENTENCES: Mapping[str, Callable[[Fields, Unit], list[Phrase]]] = {
    "started": _started,
    "paused": _paused,
    "plan": _plan,
    "commit": _commit,
    "trouble": _trouble,
    "damaged": _damaged,
    "clock": _clock,
    "order-applied": _applied,
    "order-refused": _refused,
    "unwritable": _what,
    "stopping": _stopping,
    "stopped": _stopped,
    "failed": _what,
}


def _gain(fields: Fields, unit: Unit) -> Phrase:
    gain = _real(fields.get("gain"))
    weekly = unit.a_week(gain)
    return Phrase("") if weekly is None else Phrase(f"{change(weekly)} searches a week answered better", exact(gain))


def _a_week(words: str, gain: float | None, unit: Unit) -> Phrase:
    weekly = unit.a_week(gain)
    return Phrase("") if weekly is None else Phrase(f"{words}{searches(weekly)} searches a week", exact(gain))


def _joined(parts: list[Phrase]) -> Sentence:
    """With a comma between those that say something."""
    words = [each for each in parts if each.text]
    return tuple(each for part in words for each in (Phrase(", "), part))[1:]


def _after(words: str, text: str) -> Phrase:
    return Phrase(f"{words}{text}" if text else "")


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _whole(fields: Fields, name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _real(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isfinite(value) else None


def _others(fields: Fields) -> str:
    """Of an event that this version does not know."""
    return ", ".join(f"{spelled(name)} {_plain(value)}" for name, value in fields.items())


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{spelled(str(name))} {_plain(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if value is None or isinstance(value, int | float) else str(value)
