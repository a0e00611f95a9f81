"""Figures printed in papers: ``resources/papers`` has a file per paper, with a line per figure.

A line gives the table, row and column of the cell that reproduces the figure. Statements of a paper about comparisons,
and formulas, are not in these files: the modules of the tables count or compute them.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib.resources import files

import resources
from core.papers.bounds import Bounds
from core.papers.papers import Cell, cell


@dataclass(frozen=True)
class PrintedFigure:
    """A line of a file."""

    table: str
    row: str
    column: str
    printed: str
    """A number, a fraction, or several numbers, of which the cell counts the matches."""
    where: str
    """A table, section or figure of the paper."""
    statement: str = ""
    """The statement of the paper there."""
    bottleneck: str = ""
    """The class of the links that limit the throughput."""

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The numbers."""
        return tuple(map(_number, self.printed.split()))

    @property
    def value(self) -> float:
        """The number with which the cell is compared: the printed number, or the count of printed numbers."""
        return self.values[0] if len(self.values) == 1 else len(self.values)

    @property
    def source(self) -> str:
        """The place in the paper, with its statement."""
        return f"{self.where}: {self.statement}" if self.statement else self.where


def _number(word: str) -> float:
    if word.isdecimal():
        return int(word)
    return float(Fraction(word))


class PrintedFigures:
    """The figures of a paper."""

    def __init__(self, figures: Iterable[PrintedFigure]) -> None:
        self.figures = tuple(figures)
        self._figures = {(figure.table, figure.row, figure.column): figure for figure in self.figures}

    def __getitem__(self, place: tuple[str, str, str]) -> PrintedFigure:
        """Return the figure of a table, row and column.

        Raises KeyError: if the paper does not print it.
        """
        return self._figures[place]

    def value(self, table: str, row: str, column: str) -> float | None:
        """Return the number printed in a cell, or None if there is no number."""
        figure = self._figures.get((table, row, column))
        return None if figure is None else figure.value

    def cell(
        self, table: str, row: str, column: str, ours: float, note: str = "", bounds: Bounds | None = None
    ) -> Cell:
        """Return the cell of our figure and the printed figure, if there is one."""
        return cell(table, row, column, ours, self.value(table, row, column), note, bounds)

    def cited_cell(self, table: str, row: str, column: str, ours: float, remark: str = "") -> Cell:
        """Return the cell of our figure and the printed figure, with its place in the paper as a note.

        Raises KeyError: if the paper does not print it.
        """
        source = self[table, row, column].source
        return self.cell(table, row, column, ours, f"{source}; {remark}" if remark else source)


def printed_figures(paper: str) -> PrintedFigures:
    """Read the figures of a paper, by its name on the command line."""
    text = (files(resources) / "papers" / f"{paper}.csv").read_text(encoding="utf-8")
    return PrintedFigures(PrintedFigure(**line) for line in csv.DictReader(text.splitlines()))
