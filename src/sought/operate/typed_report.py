"""Results for people and programs: frozen dataclasses that know their JSON, and tables of them.

Commands print `to_json()`.  Notebooks show `_repr_html_()`.  A table is a sequence of results; it also becomes a frame.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from sought.web.errors import BadInput

if TYPE_CHECKING:  # a result must not wait for polars to load
    import polars as pl

_TIMES = ("time", "found", "last_fetch", "not_before", "signal", "about", "next_request_at", "first_time", "last_time")
_JSON = "json"


@dataclass(frozen=True)
class JsonKey:
    """How a field appears in JSON.

    `name` is its key, if that is not the name of the field.  `optional`: None and () are left out.  `or_empty`: None is
    written as {}.  `inline`: the items of a mapping take the place of the field.  `hidden`: it is not in the JSON.
    """

    name: str = ""
    optional: bool = False
    or_empty: bool = False
    inline: bool = False
    hidden: bool = False

    @property
    def metadata(self) -> dict[str, "JsonKey"]:
        """For `dataclasses.field`."""
        return {_JSON: self}


OPTIONAL = JsonKey(optional=True).metadata
OR_EMPTY = JsonKey(or_empty=True).metadata
INLINE = JsonKey(inline=True).metadata
HIDDEN = JsonKey(hidden=True).metadata


class TypedReport:
    """A base of frozen dataclasses that commands print and notebooks show."""

    def to_json(self) -> dict[str, Any]:
        """The keys and values that `--json` prints."""
        values: dict[str, Any] = {}
        for each in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            values |= _item(each, getattr(self, each.name))
        return values

    def _repr_html_(self) -> str:
        """A table of names and values, as Jupyter shows it."""
        return _tree(self.to_json())


def _item(each: "Field[Any]", value: Any) -> dict[str, Any]:
    key: JsonKey = each.metadata.get(_JSON, JsonKey())
    if key.inline:
        return dict(value)
    if key.hidden or (key.optional and value in (None, ())):
        return {}
    if key.or_empty and value is None:
        value = {}
    return {key.name or each.name: [_plain(one) for one in value] if isinstance(value, tuple) else _plain(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, TypedReport):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return value


class HtmlTable:
    """Something with rows, which a notebook shows as a table."""

    def to_json(self) -> list[dict[str, Any]]:
        """The rows."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return _grid(self.to_json())


_Row = TypeVar("_Row", bound=TypedReport)


@dataclass(frozen=True)
class ReportTable(HtmlTable, Sequence[_Row], Generic[_Row]):
    """Results of one kind, in order: a sequence that also becomes a frame."""

    kind: type[_Row]
    rows: tuple[_Row, ...]

    @classmethod
    def of_rows(cls, kind: type[_Row], rows: Iterable[_Row]) -> "ReportTable[_Row]":
        """A table with these rows."""
        return cls(kind, tuple(rows))

    @overload
    def __getitem__(self, index: int) -> _Row: ...

    @overload
    def __getitem__(self, index: slice) -> "ReportTable[_Row]": ...

    def __getitem__(self, index: int | slice) -> "_Row | ReportTable[_Row]":
        return ReportTable(self.kind, self.rows[index]) if isinstance(index, slice) else self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_json(self) -> list[dict[str, Any]]:
        """The rows as `--json` prints them."""
        return [row.to_json() for row in self.rows]

    def to_polars(self) -> "pl.DataFrame":
        """One row per result, one column per key."""
        import polars as pl

        if not self.rows:
            return pl.DataFrame(schema=dict.fromkeys(self._columns, pl.Null))
        return pl.DataFrame(self.to_json(), infer_schema_length=None)

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame; BadInput if pandas is not installed."""
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError:
            raise BadInput("pandas is not installed: pip install pandas, or use to_polars()") from None
        return pandas.DataFrame(self.to_json(), columns=None if self.rows else self._columns)

    @property
    def _columns(self) -> list[str]:
        return [each.name for each in fields(self.kind)]  # type: ignore[arg-type]  # as above


def _tree(data: Mapping[str, Any]) -> str:
    rows = (f"<tr><th>{escape(str(name))}</th><td>{_cell(name, value)}</td></tr>" for name, value in data.items())
    return f"<table>{''.join(rows)}</table>"


def _grid(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "<p>no rows</p>"
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(name, row.get(name))}</td>' for name in names)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(name: str, value: Any) -> str:
    if value is None or value in ({}, [], ()):
        return "–"
    if isinstance(value, Mapping):
        return _tree(value)
    if isinstance(value, list | tuple):
        is_grid = all(isinstance(each, Mapping) for each in value)
        return _grid(value) if is_grid else "<br>".join(_cell("", each) for each in value)
    if isinstance(value, float):
        is_time = name in _TIMES and value > 0
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value)) if is_time else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else escape(str(value))
