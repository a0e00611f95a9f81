"""The results of a study as a table that grows while it runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import msgspec

from app.panels.studies.sweep import SECTIONS
from app.panels.studies.values import typed
from app.widgets.array_table import Column
from app.widgets.wide_table import WideTable
from core.figures.reference import heading
from core.figures.registry import figures
from core.spec import fields_of, members
from core.sweep.results import CPU, Row
from core.text import duration, figure, plural

DASH = "–"
MAX_COLUMN_PX = 300
DURATIONS = {
    CPU: ("CPU", "CPU time of the point; less than the elapsed time if other programs ran"),
    "seconds": ("elapsed", "Elapsed time of the point"),
}
"""Title and tool tip of columns of durations."""
OWN_TITLES = {CPU: "CPU seconds"}
MAX_LISTED = 8
"""Maximum number of entries of a list that is written out."""
TITLES: dict[str, str] = {spec.tag(): spec.title for union in SECTIONS.values() for spec in members(union)}


def _field_titles() -> dict[str, tuple[str, str]]:
    # Title and unit of every field that has the same in all families, by path.
    titles_by_path: dict[str, set[tuple[str, str]]] = {}
    for section, union in SECTIONS.items():
        for spec in members(union):
            for spec_field in fields_of(spec):
                path = f"{section}.{spec_field.name}"
                titles_by_path.setdefault(path, set()).add((spec_field.title, spec_field.unit))
    return {path: next(iter(titles)) for path, titles in titles_by_path.items() if len(titles) == 1}


FIELD_TITLES = _field_titles()


@dataclass
class ResultRows:
    """Rows by column, in the order in which they came."""

    columns: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)
    failed: int = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows of other points."""
        for row in rows:
            self.rows.append(row)
            self.failed += bool(row["error"])

    def sort(self) -> list[int]:
        """Sort the rows by point; return the previous index of each."""
        order = sorted(range(len(self.rows)), key=lambda k: int(self.rows[k]["point"]))
        self.rows = [self.rows[k] for k in order]
        return order

    def is_number(self, name: str) -> bool:
        """Return whether all known values of a column are numbers; also True without known values."""
        recorded = (row[name] for row in self.rows if row[name] is not None)
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in recorded)

    def head(self, name: str) -> str:
        """Return a column's short title."""
        if name in OWN_TITLES:
            return OWN_TITLES[name]
        if name in figures():
            return heading(figures()[name].figure)
        title, unit = self._title(name)
        return f"{title}, {unit}" if unit else title

    def named(self, name: str, row: Row) -> str:
        """Return a row's value in a column with its name: ``LL 10 GB/s``."""
        title, unit = self._title(name)
        return f"{title} {result_text(row[name])} {unit}".rstrip()

    def _title(self, name: str) -> tuple[str, str]:
        # Two fields with one title are distinguished by their paths.
        heads = {other: _short(other) for other in self.columns}
        short = _short(name)
        shared = any(other != name and title == short for other, title in heads.items())
        return (name, "") if shared or not short[0] else short


def _short(name: str) -> tuple[str, str]:
    section, _, field_name = name.partition(".")
    return FIELD_TITLES.get(name, (field_name if section in SECTIONS else name, ""))


def result_text(value: Any) -> str:
    """Return a value as text; for an object its title and its fields that differ from the defaults."""
    if value is None:
        return DASH
    if isinstance(value, float | int) and not isinstance(value, bool):
        return figure(value)
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return _plain_text(msgspec.json.decode(value))
        except msgspec.DecodeError:
            return value
    return typed(value)


def _is_long(plain: Any) -> bool:
    return isinstance(plain, list) and len(plain) > MAX_LISTED


def _plain_text(plain: Any) -> str:
    if _is_long(plain):
        return plural(len(plain), "entry")
    if not isinstance(plain, dict):
        return typed(plain)
    tag = plain.get("type", "")
    more = [
        f"{len(value):,} {name}" if _is_long(value) else f"{name} {_plain_text(value)}"
        for name, value in plain.items()
        if name != "type"
    ]
    return ", ".join([TITLES.get(tag) or tag, *more])


def result_columns(results: ResultRows) -> list[Column]:
    """Return the columns of the table."""
    names = [name for name in results.columns if name != "error"]
    if results.failed:
        # Errors follow the varied columns, before the figures, which may be many.
        first = next((k for k, name in enumerate(names[1:], 1) if name.partition(".")[0] not in SECTIONS), len(names))
        names.insert(first, "error")
    return [_column(results, name) for name in names]


def _column(results: ResultRows, name: str) -> Column:
    title = results.head(name)
    if name in DURATIONS:
        values = [inf if row[name] is None else row[name] for row in results.rows]
        return Column(*DURATIONS[name], values, _seconds)
    if results.is_number(name) and name != "error":
        numbers = [inf if row[name] is None else row[name] for row in results.rows]
        return Column(title, name, numbers, _number)
    texts = ["" if row[name] is None else result_text(row[name]) for row in results.rows]
    return Column(title, name, texts, str, number=False, elides=True)


def _number(value: float) -> str:
    return DASH if value == inf else result_text(value)


def _seconds(value: float) -> str:
    return DASH if value == inf else duration(value, 3)


class ResultsTable(WideTable):
    """A row for each finished point; a click or Enter opens its scenario."""

    def __init__(self) -> None:
        super().__init__(MAX_COLUMN_PX)
        self.setAccessibleName("Results")

    def show_results(self, results: ResultRows) -> None:
        """Show other results."""
        self.set_columns(result_columns(results))

    def grow(self, results: ResultRows) -> None:
        """Show the rows added since."""
        self.grow_columns(result_columns(results))
