"""What papers print, cell by cell, beside ours; and which papers there are."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TypeAlias

import msgspec

from core.spec import Progress, SpecError, no_progress, subprogress


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One printed figure beside ours, which is the mean of several draws where `low` and `high` differ."""

    table: int | str
    row: str
    column: str
    ours: float
    printed: float | None
    """None: the paper draws it or speaks of it, but prints no number."""
    agrees: bool | None
    """Whether it is equal as printed, or print lies within the spread of our draws; None where nothing is printed."""
    low: float
    high: float
    note: str = ""
    """Why the two differ, or what the paper says."""


def cell(table: int | str, row: str, column: str, ours: float, printed: float | None, note: str = "") -> Cell:
    """Return a cell without draws; it agrees if print is ours, rounded to the digits printed."""
    agrees = None if printed is None else as_printed(ours, printed)
    return Cell(
        table=table, row=row, column=column, ours=ours, printed=printed, agrees=agrees, low=ours, high=ours, note=note
    )


def as_printed(ours: float, printed: float) -> bool:
    """Return whether a figure is ours, rounded to as many digits as it has."""
    digits = len(f"{printed:g}".partition(".")[2])
    return abs(ours - printed) <= 0.5 * 10.0**-digits + 1e-9 * abs(printed)


EQUAL, WITHIN, DIFFERS, UNPRINTED = "equal as printed", "within our spread", "does not follow", "not printed"


def verdict(cell: Cell) -> str:
    """Return what is to be said of a cell."""
    if cell.agrees is None:
        return UNPRINTED
    if not cell.agrees:
        return DIFFERS
    return EQUAL if cell.low == cell.high else WITHIN


Cells: TypeAlias = Callable[[Progress], Iterable[Cell]]


@dataclass(frozen=True)
class TableParts:
    """Cells of a table that come in parts, none of which needs another."""

    of: tuple[Cells, ...]

    def __call__(self, progress: Progress) -> Iterator[Cell]:
        """Yield the cells of all parts."""
        for number, part in enumerate(self.of):
            yield from part(subprogress(progress, number, number + 1, len(self.of)))
            progress((number + 1) / len(self.of))


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper, or a group of figures of its text."""

    name: str
    """As on the command line: its number in the paper, or a word."""
    title: str
    cells: Cells
    takes: str = ""
    """About how long it takes where that is long: it is computed only if it is asked for. Empty: it always is."""

    @property
    def parts(self) -> tuple[Cells, ...]:
        """Return what can be computed by itself."""
        return self.cells.of if isinstance(self.cells, TableParts) else (self.cells,)


@dataclass(frozen=True)
class Paper:
    """What is printed in one paper."""

    title: str
    """Author, title, year."""
    tables: tuple[PaperTable, ...]
    remarks: tuple[str, ...] = ()
    """What ours assumes, and how draws are counted."""
    absent: tuple[tuple[str, str], ...] = ()
    """What it prints or draws that no table has, and why none can."""
    together: bool = False
    """Whether its tables share what takes long, so that they are computed in one process."""

    def chosen(self, names: Iterable[str] = (), *, everything: bool = False) -> tuple[PaperTable, ...]:
        """Return the tables of these names; of none, those that do not take long, or everything.

        Raises SpecError: if there is no table of a name.
        """
        known, names = {table.name: table for table in self.tables}, tuple(names)
        for name in names:
            if name not in known:
                raise SpecError("--table", f"{name!r} is not one of {', '.join(known)}")
        if names:
            return tuple(known[name] for name in dict.fromkeys(names))
        return tuple(table for table in self.tables if everything or not table.takes)


PAPERS = {
    "percs": "core.study.percs_tables",
    "alltoall": "core.study.all_to_all",
    "transpose": "core.study.transpose_tables",
    "shortcut": "core.study.shortcut_tables",
    "clex": "core.study.clex_tables",
    "machines": "core.study.machine_tables",
}
"""The module of each paper, which has it as PAPER, by the name on the command line."""


def paper(name: str) -> Paper:
    """Return the paper of a name of `PAPERS`; its module is imported when it is asked for."""
    found: Paper = import_module(PAPERS[name]).PAPER
    return found


def cells_of(tables: Iterable[PaperTable], progress: Progress = no_progress) -> list[Cell]:
    """Return the cells of some tables.

    Raises Cancelled: when `progress` does.
    """
    tables = tuple(tables)
    found: list[Cell] = []
    for number, table in enumerate(tables):
        found += table.cells(partial(_report, progress, number, len(tables)))
    return found


def _report(progress: Progress, done: int, whole: int, part: float) -> None:
    progress((done + part) / whole)
