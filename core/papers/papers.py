"""Figures printed in papers, compared with our figures cell by cell, and the list of papers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from statistics import mean
from typing import TypeAlias

import msgspec

from core.papers.bounds import Bounds, outside
from core.spec import Progress, SpecError, no_progress, subprogress
from core.text import figure


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A printed figure and our figure. If `low` and `high` differ, `ours` is the mean of several draws."""

    table: int | str
    row: str
    column: str
    ours: float
    printed: float | None
    """None if the paper gives it only in a drawing or in words."""
    agrees: bool | None
    """Whether `ours` rounds to `printed`, or `printed` is in the range of our draws; None if nothing is printed."""
    low: float
    high: float
    note: str = ""
    """The reason for a difference, or the statement of the paper."""
    bounds: Bounds | None = None
    """Minimum and maximum possible value, by closed forms; required if nothing is printed."""

    def __post_init__(self) -> None:
        if self.printed is None and self.bounds is None:
            raise ValueError(f"{self.place}: a figure without a printed value needs bounds")

    @property
    def impossible(self) -> bool:
        """Return whether a figure is outside its bounds, which means that our computation is wrong."""
        bounds = self.bounds
        return bounds is not None and any(outside(figure, bounds) for figure in (self.low, self.ours, self.high))

    @property
    def range_text(self) -> str:
        """Return the possible range in words, or empty if there are no bounds."""
        if self.bounds is None:
            return ""
        least, most = map(figure, self.bounds)
        return f"must be {least}" if least == most else f"must be between {least} and {most}"

    @property
    def place(self) -> str:
        """Return the place where the figure is printed."""
        return f"table {self.table}, {self.row}, {self.column}"


def cell(
    table: int | str,
    row: str,
    column: str,
    ours: float,
    printed: float | None,
    note: str = "",
    bounds: Bounds | None = None,
) -> Cell:
    """Return a cell without draws; it agrees if `ours`, rounded to the printed digits, equals `printed`."""
    return Cell(
        table=table,
        row=row,
        column=column,
        ours=ours,
        printed=printed,
        agrees=None if printed is None else as_printed(ours, printed),
        low=ours,
        high=ours,
        note=note,
        bounds=bounds,
    )


def drawn_cell(
    table: str,
    row: str,
    column: str,
    values: Sequence[float],
    printed: float | None,
    note: str = "",
    bounds: Bounds | None = None,
) -> Cell:
    """Return a cell of several draws; it agrees if `printed` is in their range, or equals their rounded mean.

    `note` gives the reason for a difference; it is dropped if the cell agrees, or has no printed figure.
    """
    low, high, ours = min(values), max(values), mean(values)
    agrees = None if printed is None else low <= printed <= high or as_printed(ours, printed)
    return Cell(
        table=table,
        row=row,
        column=column,
        ours=ours,
        printed=printed,
        agrees=agrees,
        low=low,
        high=high,
        note="" if printed is None or agrees else note,
        bounds=bounds,
    )


def as_printed(ours: float, printed: float) -> bool:
    """Return whether a figure, rounded to the digits of the printed figure, equals it."""
    digits = len(in_print(printed).partition(".")[2])
    return abs(ours - printed) <= 0.5 * 10.0**-digits + 1e-9 * abs(printed)


def in_print(printed: float) -> str:
    """Return a printed figure in full, or with six digits if the paper gives it by a formula."""
    return f"{printed:,.0f}" if float(printed).is_integer() else f"{printed:,.6g}"


def for_comparison(cell: Cell) -> str:
    """Return our figure with the printed number of digits, at least four, and more if a difference would be hidden."""
    if cell.printed is None:
        return figure(cell.ours)
    printed = in_print(cell.printed)
    digits = max(4, sum(map(str.isdigit, printed.lstrip("-0."))))
    texts = [figure(cell.ours, digits + more) for more in (0, 2, 5)]
    if cell.agrees or cell.ours == cell.printed:
        return texts[0]
    return next((text for text in texts if text != printed), texts[-1])


EQUAL, WITHIN, DIFFERS, UNPRINTED = "exact match", "within seed variation", "not reproduced", "not printed"
IMPOSSIBLE = "impossible"


def verdict(cell: Cell) -> str:
    """Return a cell's verdict in words."""
    if cell.impossible:
        return IMPOSSIBLE
    if cell.agrees is None:
        return UNPRINTED
    if not cell.agrees:
        return DIFFERS
    return EQUAL if cell.low == cell.high else WITHIN


Cells: TypeAlias = Callable[[Progress], Iterable[Cell]]


@dataclass(frozen=True)
class TableParts:
    """Cells of a table that is computed in independent parts."""

    of: tuple[Cells, ...]

    def __call__(self, progress: Progress) -> Iterator[Cell]:
        """Yield the cells of all parts."""
        for number, part in enumerate(self.of):
            yield from part(subprogress(progress, number, number + 1, len(self.of)))
            progress((number + 1) / len(self.of))


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper, or a group of figures from its text."""

    name: str
    """Name on the command line: the number in the paper, or a word."""
    title: str
    cells: Cells
    takes: str = ""
    """Duration in words of a slow table, which is computed only on request."""

    @property
    def parts(self) -> tuple[Cells, ...]:
        """Return the parts that can be computed independently."""
        return self.cells.of if isinstance(self.cells, TableParts) else (self.cells,)


@dataclass(frozen=True)
class Paper:
    """The figures of a paper."""

    title: str
    """Author, title, year."""
    tables: tuple[PaperTable, ...]
    remarks: tuple[str, ...] = ()
    """Our assumptions and conventions."""
    absent: tuple[tuple[str, str], ...] = ()
    """Published figures that no table reproduces, with the reasons."""
    together: bool = False
    """Whether its tables share expensive results, so that one process computes all tables."""

    def chosen(self, names: Iterable[str] = (), *, everything: bool = False) -> tuple[PaperTable, ...]:
        """Return tables by name; without names, the fast tables or, with `everything`, all tables.

        Raises SpecError: if a name is unknown.
        """
        tables, names = {table.name: table for table in self.tables}, tuple(names)
        for name in names:
            if name not in tables:
                raise SpecError("--table", f"unknown table {name!r}; tables: {', '.join(tables)}")
        if names:
            return tuple(tables[name] for name in dict.fromkeys(names))
        return tuple(table for table in self.tables if everything or not table.takes)


PAPERS = {
    "percs": "core.papers.percs_tables",
    "alltoall": "core.papers.all_to_all",
    "transpose": "core.papers.transpose_tables",
    "shortcut": "core.papers.shortcut_tables",
    "clex": "core.papers.clex_tables",
    "machines": "core.papers.machine_tables",
}
"""Modules of the papers, each with a constant PAPER, by name on the command line."""


def paper(name: str) -> Paper:
    """Return a paper by name, importing its module."""
    loaded: Paper = import_module(PAPERS[name]).PAPER
    return loaded


def cells_of(tables: Iterable[PaperTable], progress: Progress = no_progress) -> list[Cell]:
    """Return the cells of some tables.

    Raises Cancelled: when `progress` does.
    """
    tables = tuple(tables)
    cells: list[Cell] = []
    for number, table in enumerate(tables):
        cells += table.cells(partial(_report, progress, number, len(tables)))
    return cells


def _report(progress: Progress, done: int, total: int, part: float) -> None:
    progress((done + part) / total)
