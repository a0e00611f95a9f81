"""Figures printed in papers, cell by cell, beside ours; and the list of papers."""

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
    """A printed figure beside ours; if `low` and `high` differ, ours is the mean of several draws."""

    table: int | str
    row: str
    column: str
    ours: float
    printed: float | None
    """None if the paper shows it in a drawing or in words, without a number."""
    agrees: bool | None
    """Whether ours equals it as printed, or it lies within the spread of our draws; None if nothing is printed."""
    low: float
    high: float
    note: str = ""
    """Why the two differ, or what the paper states."""
    bounds: Bounds | None = None
    """Minimum and maximum possible value, by closed forms; required if nothing is printed."""

    def __post_init__(self) -> None:
        if self.printed is None and self.bounds is None:
            raise ValueError(f"{self.place}: a figure without a printed value needs bounds")

    @property
    def impossible(self) -> bool:
        """Return whether a figure lies outside its bounds: then our computation is wrong."""
        bounds = self.bounds
        return bounds is not None and any(outside(figure, bounds) for figure in (self.low, self.ours, self.high))

    @property
    def range_text(self) -> str:
        """Return the possible figures in words; empty for any."""
        if self.bounds is None:
            return ""
        least, most = map(figure, self.bounds)
        return f"must be {least}" if least == most else f"must lie between {least} and {most}"

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
    """Return a cell without draws; it agrees if ours, rounded to the printed digits, equals it."""
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
    """Return a cell of several draws; it agrees if the printed figure is in their range, or their mean as printed.

    `note` says why it does not; it is omitted for a cell that agrees, or without a printed figure.
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
    """Return whether a figure, rounded to the digits of the printed one, equals it."""
    digits = len(in_print(printed).partition(".")[2])
    return abs(ours - printed) <= 0.5 * 10.0**-digits + 1e-9 * abs(printed)


def in_print(printed: float) -> str:
    """Return a printed figure in full; for a figure that the paper gives by a formula, six digits."""
    return f"{printed:,.0f}" if float(printed).is_integer() else f"{printed:,.6g}"


def beside_print(cell: Cell) -> str:
    """Return our figure with as many digits as printed, at least four; more if it differs and would look equal."""
    if cell.printed is None:
        return figure(cell.ours)
    printed = in_print(cell.printed)
    digits = max(4, sum(map(str.isdigit, printed.lstrip("-0."))))
    texts = [figure(cell.ours, digits + more) for more in (0, 2, 5)]
    if cell.agrees or cell.ours == cell.printed:
        return texts[0]
    return next((text for text in texts if text != printed), texts[-1])


EQUAL, WITHIN, DIFFERS, UNPRINTED = "equal as printed", "within our spread", "does not follow", "not printed"
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
    """Cells of a table in independent parts."""

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
    """Its name on the command line: a number in the paper, or a word."""
    title: str
    cells: Cells
    takes: str = ""
    """Its duration in words, if long; then it is computed on request only."""

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
    """Our assumptions, and how draws are counted."""
    absent: tuple[tuple[str, str], ...] = ()
    """Published figures that no table reproduces, and why."""
    together: bool = False
    """Whether its tables share expensive results, so that one process computes all."""

    def chosen(self, names: Iterable[str] = (), *, everything: bool = False) -> tuple[PaperTable, ...]:
        """Return tables by name; without names, the fast ones, or all.

        Raises SpecError: if there is no table of a name.
        """
        tables, names = {table.name: table for table in self.tables}, tuple(names)
        for name in names:
            if name not in tables:
                raise SpecError("--table", f"{name!r} is not one of {', '.join(tables)}")
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
