"""Published and computed values side by side: tables to tick, and a row for each computed cell."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import inf

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QPushButton, QSizePolicy, QWidget

from app.background.latest_wins import Runner
from app.background.work_queue import WorkList
from app.panels.studies.results_table import DASH
from app.widgets.array_table import Column
from app.widgets.card import Card
from app.widgets.combo_box import ComboBox
from app.widgets.labels import label, message_label, say, with_role
from app.widgets.layouts import STRETCH, column, row, scroll_area
from app.widgets.progress_bar import ProgressBar
from app.widgets.wide_table import WideTable
from app.wording.numbers import signed
from core.papers.papers import (
    DIFFERS,
    EQUAL,
    IMPOSSIBLE,
    PAPERS,
    WITHIN,
    Cell,
    Paper,
    PaperTable,
    cells_of,
    for_comparison,
    in_print,
    paper,
    verdict,
)
from core.spec import Progress, SpecError
from core.text import figure, plural

EMPTY = "Tick tables and press Compute. Their cells appear here, with the published values."
APART_TIP = "Computed value relative to the published value"
HEAD_PX, MAX_COLUMN_PX = 400, 180
TITLE_PX, TIME_PX = HEAD_PX - 60, 90
"""Pixels for the title of a table, and fewer where a duration follows it; the tool tip has the full title."""


def cell_columns(cells: Sequence[Cell]) -> list[Column]:
    """Return the columns of the table."""
    tables = [str(cell.table) for cell in cells]
    printed = [inf if cell.printed is None else cell.printed for cell in cells]
    spread = [f"{figure(cell.low)} … {figure(cell.high)}" if cell.low != cell.high else "" for cell in cells]
    apart = [(cell.ours - cell.printed) / abs(cell.printed) if cell.printed else inf for cell in cells]
    verdicts = [_gap(cell) or verdict(cell) for cell in cells]
    columns, ours = [cell.column for cell in cells], {cell.ours: for_comparison(cell) for cell in cells}
    table_columns = [
        Column("table", "Table of the paper", tables, str, number=False),
        Column("row", "Row of the table", [cell.row for cell in cells], str, number=False, elides=True),
        Column("column", "Column of the table", columns, str, number=False, elides=True),
        Column("paper", "Published value", printed, lambda value: DASH if value == inf else in_print(value)),
        Column(
            "ours", "Computed value: the mean of several random draws", [cell.ours for cell in cells], ours.__getitem__
        ),
        Column(
            "difference",
            APART_TIP,
            apart,
            lambda value: DASH if value == inf else signed(value),
        ),
        Column("verdict", "Comparison of the two values, or of ours with its upper bound", verdicts, str, number=False),
        Column("note", "Explanation or note", [cell.note for cell in cells], str, number=False, elides=True),
    ]
    if any(spread):
        table_columns.insert(-1, Column("spread", "Smallest and largest computed value", spread, str, number=False))
    return table_columns


def _gap(cell: Cell) -> str:
    # The gap of a best stored mapping to its upper bound.
    return "" if verdict(cell) == IMPOSSIBLE else getattr(cell, "gap", "")


class PapersPage(QWidget):
    """The paper and its tables at the left, their cells at the right."""

    def __init__(self, *, sync: bool) -> None:
        super().__init__()
        self.paper: Paper | None = None
        self.cells: list[Cell] = []
        self.ticks: dict[str, QCheckBox] = {}
        """A box for each of the paper's tables, by name."""
        self._rows: list[QWidget] = []
        self.choice = ComboBox()
        self.choice.setAccessibleName("Paper")
        self.choice.addItems(list(PAPERS))
        self.button, self.progress = with_role(QPushButton("Compute"), "primary"), ProgressBar(140)
        self.table, self.summary = WideTable(MAX_COLUMN_PX), label("dim")
        self.title, self.remarks, self.note = (message_label(role) for role in ("plain", "dim", "plain"))
        self.empty = message_label("dim")
        self._reader = Runner("paper", self._on_read, sync=sync, parent=self)
        self.works = WorkList("papers", sync=sync, parent=self)
        self._build()
        self._connect()

    def show_paper(self) -> None:
        """Show the tables of the chosen paper."""
        name = self.choice.currentText()
        self.works.cancel()
        self._reader.request(lambda progress: paper(name))

    def compute(self) -> None:
        """Compute the cells of the ticked tables."""
        if self.paper is None:
            return
        self.cells = []
        tables = [table for table in self.paper.tables if self.ticks[table.name].isChecked()]
        self.works.start([(table.name, partial(_computed, table)) for table in tables])
        self._show()

    def cancel(self) -> None:
        """Stop; computed cells are kept."""
        self.works.cancel()
        self._show()

    def close_down(self) -> None:
        """Stop for good."""
        self._reader.close()
        self.works.close()

    def _build(self) -> None:
        self.tables = column(spacing=4)
        form, sheet = QWidget(), QWidget()
        parts = (self.choice, self.title, 6, self.tables, 6, self.remarks, STRETCH)
        column(*parts, of=form, margins=(12, 2, 12, 8), spacing=4)
        page = QWidget()
        foot = row(self.progress, STRETCH, self.button, margins=(12, 6, 12, 10), spacing=8)
        column((scroll_area(form), 1), foot, of=page)
        column(self.empty, (self.table, 1), self.note, self.summary, of=sheet, margins=(12, 2, 12, 8), spacing=4)
        self.form_card, self.cells_card = Card("Paper", page), Card("Cells", sheet)
        self.form_card.keep_width(HEAD_PX)
        row(self.form_card, (self.cells_card, 1), of=self, spacing=8)
        self.table.setAccessibleName("Cells of the paper")
        self.progress.hide()
        say(self.empty, EMPTY)

    def _connect(self) -> None:
        self.choice.activated.connect(self.show_paper)
        self.button.clicked.connect(self._on_button_clicked)
        self.table.looked_at.connect(self._on_table_looked_at)
        self.works.done.connect(self._on_works_done)
        self.works.refused.connect(self._on_works_refused)
        self.works.progressed.connect(self.progress.show_fraction)
        self.works.finished.connect(self._show)

    def _on_read(self, paper: Paper) -> None:
        self.paper, self.cells = paper, []
        for old in self._rows:
            self.tables.removeWidget(old)
            old.deleteLater()
        self.ticks = {table.name: _tick(table) for table in paper.tables}
        self._rows = [_with_time(self.ticks[table.name], table.takes) for table in paper.tables]
        for row_widget in self._rows:
            self.tables.addWidget(row_widget)
        say(self.title, paper.title)
        absent = [f"Not included: {what} ({why})" for what, why in paper.absent]
        say(self.remarks, "\n".join((*paper.remarks, *([""] if absent else []), *absent)))
        self._show()

    def _show(self) -> None:
        busy = self.works.busy
        self.button.setText("Stop" if busy else "Compute")
        self.progress.setVisible(busy)
        self.table.grow_columns(cell_columns(self.cells))
        say(self.empty, "" if self.cells or busy else EMPTY)
        if not self.cells:
            say(self.note, "")
        self.summary.setText(_summary(self.cells))

    def _on_button_clicked(self) -> None:
        if self.works.busy:
            self.cancel()
        else:
            self.progress.show_fraction(0.0)
            self.compute()

    def _on_works_done(self, name: str, cells: list[Cell]) -> None:
        self.cells += cells
        self._show()

    def _on_works_refused(self, name: str, error: SpecError) -> None:
        say(self.note, f"Table {name}: {error.message}")

    def _on_table_looked_at(self, index: int) -> None:
        cell = self.cells[index]
        limits = cell.range_text if verdict(cell) == IMPOSSIBLE else ""
        say(self.note, ": ".join(filter(None, (cell.place, limits, cell.note))))


def _summary(cells: Sequence[Cell]) -> str:
    count = Counter(map(verdict, cells))
    printed = sum(cell.printed is not None for cell in cells)
    parts = [f"{count[EQUAL] + count[WITHIN]} of {plural(printed, 'cell')} agree"] if printed else []
    return " · ".join([*parts, *(f"{kind}: {count[kind]}" for kind in (DIFFERS, IMPOSSIBLE) if count[kind])])


def _computed(table: PaperTable, progress: Progress) -> list[Cell]:
    return cells_of([table], progress)


def _tick(table: PaperTable) -> QCheckBox:
    number = f"Table {table.name}. " if table.name.replace(".", "").isdigit() else ""
    box = QCheckBox(number + table.title[:1].upper() + table.title[1:])
    box.setToolTip(f"{box.text()}\n{table.takes}".strip())
    room = TITLE_PX - (TIME_PX if table.takes else 0)
    box.setText(box.fontMetrics().elidedText(box.text(), Qt.TextElideMode.ElideRight, room))
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    box.setChecked(not table.takes)
    return box


def _with_time(box: QCheckBox, takes: str) -> QWidget:
    widget = QWidget()
    row((box, 1), *([label("dim", takes)] if takes else []), of=widget, spacing=8)
    return widget
