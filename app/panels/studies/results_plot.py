"""The results of a study as a plot: any column over any other, in colours and small plots by others."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.panels.studies.results_table import ResultRows, result_text
from app.style.colour import lookup_table
from app.style.theme import DARK, Theme
from app.views.charts.scatter import ScatterPlot
from app.views.charts.scatter_data import Dot, Hue, ScatterData
from app.widgets.combo_box import ComboBox
from app.widgets.labels import link, with_role
from app.widgets.layouts import column, row
from app.widgets.wrapped import WrappedRow
from core.sweep.results import UNMEASURED, Row

NO_POINTS = "Points appear here as they are computed."
UNKNOWN = "No point has both figures."
UNPLOTTED = ("error",)
"""Columns that cannot be plotted."""
MAX_DOTS = 20_000
MAX_PANELS = 12
NO_COLUMN = "–"
"""The choice of no column for colours or small plots."""
COLOUR_MAP = "batlow"
"""Colour map for more values than there are distinct colours."""


class ResultsPlot(QWidget):
    """Boxes to choose the plotted columns, and the plot."""

    picked = Signal(int)
    """Row of the results."""

    def __init__(self) -> None:
        super().__init__()
        self.results = ResultRows()
        self._chosen, self._pinned, self._theme = -1, -1, DARK
        self._describe: Callable[[int], str] = str
        names = ("Vertical axis", "Horizontal axis", "Colour by", "Split by")
        self.up, self.along, self.colour, self.apart = self.boxes = tuple(_box(name) for name in names)
        self.plot, self.export = (
            ScatterPlot("Plot of the study"),
            link("Export …", "Export the plot as PNG, SVG or PDF"),
        )
        words = ("against", "colour by", "split by")
        named = (_named(word, box) for word, box in zip(words, self.boxes[1:], strict=True))
        head = WrappedRow(self.up, *named, self.export, spacing=8)
        head.setAlignment(self.export, Qt.AlignmentFlag.AlignRight)
        column(head, (self.plot, 1), of=self, margins=(12, 2, 12, 8), spacing=4)
        for box in self.boxes:
            box.activated.connect(self._show)
        self.plot.picked.connect(self.picked)

    def show_study(self, results: ResultRows, varied: Sequence[str], describe: Callable[[int], str]) -> None:
        """Show the results of another study, which varies some columns; `describe` describes a row."""
        self.results, self._describe = results, describe
        measured = [name for name in results.columns if name not in (*UNMEASURED, *varied)]
        usual = (measured[:1] or ["point"], [*varied[:1], "point"], [*varied[1:2], ""], [*varied[2:3], ""])
        for box, names in zip(self.boxes, usual, strict=True):
            with QSignalBlocker(box):
                box.clear()
                if box in (self.colour, self.apart):
                    box.addItem(NO_COLUMN, "")
                for name in results.columns:
                    if name not in UNPLOTTED:
                        box.addItem(results.head(name), name)
                box.setCurrentIndex(box.findData(names[0]))
        self._show()

    def show_rows(self, chosen: int, pinned: int, theme: Theme) -> None:
        """Show the current rows, with the rows `chosen` and `pinned` marked."""
        self._chosen, self._pinned, self._theme = chosen, pinned, theme
        self._show()

    def _show(self) -> None:
        scatter = scatter_of(self.results, [box.currentData() or "" for box in self.boxes], self._theme)
        self.export.setEnabled(bool(scatter.dots))
        marked = replace(scatter, chosen=self._chosen, pinned=self._pinned, describe=self._describe)
        self.plot.show_scatter(marked, self._theme, UNKNOWN if self.results.rows else NO_POINTS)


def scatter_of(results: ResultRows, names: Sequence[str], theme: Theme) -> ScatterData:
    """Return the points of results; `names`: the columns of y, x, colours and small plots, "" for none."""
    y, x, colour, apart = names
    rows = [(k, row_) for k, row_ in enumerate(results.rows) if x and y and row_[x] is not None and row_[y] is not None]
    shown = list(islice(rows, MAX_DOTS))
    values = {name: _numbers(results, name, [row_ for _, row_ in shown]) for name in names if name}
    hues, panels = (values[name][1] if name else [] for name in (colour, apart))
    panels = panels if len(panels) <= MAX_PANELS else []
    dots = tuple(
        Dot("", values[x][0][k], values[y][0][k], row_, values[colour][2][k] if hues else 0,
            values[apart][2][k] if panels else 0)
        for k, (row_, _) in enumerate(shown)
    )  # fmt: skip
    return ScatterData(
        dots,
        results.head(x) if x else "",
        results.head(y) if y else "",
        hues=tuple(map(Hue, short_texts(hues), value_colours(len(hues), theme))),
        hue_title=results.head(colour) if colour else "",
        panels=tuple(f"{results.head(apart)}: {text}" for text in short_texts(panels)) or ("",),
        x_names=_names(results, x, values),
        y_names=_names(results, y, values),
        joined=True,
    )


def _numbers(results: ResultRows, name: str, rows: Sequence[Row]) -> tuple[list[float], list[Any], list[int]]:
    # Each row's place on an axis; the distinct values in order; and the index of each row's value.
    given = [row_[name] for row_ in rows]
    if results.is_number(name):
        distinct = sorted({value for value in given if value is not None})
    else:
        order = sorted(range(len(rows)), key=lambda k: rows[k]["point"])
        distinct = list(dict.fromkeys(given[k] for k in order))
    place = {value: k for k, value in enumerate(distinct)}
    numbers = [place.get(value, 0) for value in given]
    return (given if results.is_number(name) else [float(k) for k in numbers]), distinct, numbers


def _names(results: ResultRows, name: str, values: dict[str, Any]) -> tuple[str, ...]:
    return () if not name or results.is_number(name) else tuple(short_texts(values[name][1]))


def short_texts(values: Sequence[Any]) -> list[str]:
    """Return values as text; for choices only the titles, if these are distinct."""
    texts = [result_text(value) for value in values]
    titles = [text.partition(", ")[0] for text in texts]
    return titles if len(set(titles)) == len(titles) else texts


def value_colours(count: int, theme: Theme) -> list[str]:
    """Return `count` colours: distinct ones, or, for more values, colours of a colour map in order."""
    if count <= len(theme.roles):
        return list(theme.roles[:count])
    table = lookup_table(COLOUR_MAP, theme.dark)
    low = len(table) // 3  # colours below are too near to the background
    places = [low + k * (len(table) - 1 - low) // (count - 1) for k in range(count)]
    return ["#{:02x}{:02x}{:02x}".format(*table[place, :3].tolist()) for place in places]


def _named(word: str, box: ComboBox) -> QWidget:
    both = QWidget()
    row(QLabel(word), box, of=both, spacing=8)
    return both


def _box(name: str) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    box.setToolTip(name)
    with_role(box, "short")
    return box
