"""A foldable table of the links on which the routing puts equal loads, by class."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.widgets.array_table import ArrayTable, Column
from app.widgets.labels import with_role
from app.widgets.layouts import column
from app.wording.numbers import significant
from core.job.measure import Measure
from core.load.evaluate import LoadReport

MAX_ROWS = 8
"""Maximum number of rows visible without scrolling."""


def congruence_columns(rows: list[tuple[int, int, float, float]], measure: Measure) -> tuple[Column, ...]:
    """Return the columns for (class, links, mean load, max load) of each class."""
    kind, links, mean, high = (list(values) for values in zip(*rows, strict=True))
    measure = measure.suited(max(high))
    mean, high = ([measure.converted(load) for load in loads] for loads in (mean, high))
    return (
        Column("class", "Class number", kind, str),
        Column("links", "Links in the class", links, lambda count: f"{count:,}"),
        Column(f"mean, {measure.many}", "Mean load of its links", mean, significant, elides=True),
        Column(f"max, {measure.many}", "Load of its hottest link", high, significant, elides=True),
    )


class CongruenceFold(QWidget):
    """A line that unfolds the table, which is computed only then."""

    def __init__(self) -> None:
        super().__init__()
        self._report: LoadReport | None = None
        self._shown: LoadReport | None = None
        self.button = with_role(QToolButton(), "fold")
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.toggled.connect(self._on_button_toggled)
        self.table = ArrayTable()
        self.table.setAccessibleName("Links by class")
        column(self.button, self.table, of=self, margins=(0, 6, 0, 0), spacing=2)
        self._on_button_toggled(False)

    def show_report(self, report: LoadReport) -> None:
        """Show the congruence classes of a report's network, if it has any."""
        self._report = report
        name = report.case.network.spec.congruence_name
        self.setVisible(bool(name))
        self.button.setText(f"By {name}")
        self.table.setAccessibleName(f"Links by {name}")
        if name and self.button.isChecked() and self._shown is not report:
            self._shown = report
            self.table.set_columns(congruence_columns(report.congruence(), report.case.job.measure))
            rows = min(MAX_ROWS, self.table.source.rowCount())
            self.table.keep_room(rows, rows)

    def _on_button_toggled(self, open_: bool) -> None:
        self.button.setArrowType(Qt.ArrowType.DownArrow if open_ else Qt.ArrowType.RightArrow)
        self.table.setVisible(open_)
        if self._report is not None:
            self.show_report(self._report)
