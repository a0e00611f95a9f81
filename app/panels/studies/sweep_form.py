"""The fields of the scenario on screen to vary, and the figures to measure."""

from itertools import pairwise
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from app.panels.studies.sweep import SECTIONS, TICKS, USUAL, SweepRequest, fields_to_vary, offered_choices, spec_of
from app.panels.studies.vary_rows import EDITOR_SHARE, LABEL_SHARE, VaryRow, choice_row, field_row
from app.widgets.field_text import Refusal, typed_number
from app.widgets.labels import label, message_label, say, with_role
from app.widgets.layouts import STRETCH, LayoutPart, column, row
from app.widgets.segmented_control import SegmentedControl
from app.wording import keys
from core.load.evaluate import LoadReport
from core.load.scenario import Scenario
from core.spec import Spec

COMBINE_TIPS = (
    "Every combination: 3 and 4 values make 12 points",
    "First values together, then second values, and so on; all fields need the same number of values",
)
SEARCHED = "Optimise the mapping of each point for this time before measuring it"
CLUSTER_TIP = "Address of a Dask scheduler, to use its workers instead of the cores of this machine"
MORE_TIP = f"Names of further figures, separated by commas; the reference ({keys.REFERENCE}) lists all"
NO_SECONDS = "give the seconds to optimise each point"


class SweepForm(QWidget):
    """A row for each field that can be varied, by section; then figures to tick."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, VaryRow] = {}
        """By path."""
        self._shown: dict[str, Spec] = {}
        self._sections = {section: column(spacing=4) for section in SECTIONS}
        self.combine = SegmentedControl("Product", "Zip")
        self.combine.choose(0)
        self.figures = {path: QCheckBox(title) for path, title in TICKS.items()}
        self.more = QLineEdit()
        self.more.setToolTip(MORE_TIP)
        self.more.setAccessibleName("Further figures")
        self.search, self.seconds = QCheckBox("Optimise each point, s"), QLineEdit("5")
        self.cluster = QLineEdit()
        self.message = message_label("error")
        """The error of the sweep, below the form, which scrolls."""
        self._build()

    def show_scenario(self, scenario: Scenario, report: LoadReport) -> None:
        """Offer the variable fields of a scenario; ticks and typed values are kept if they still apply."""
        network = report.case.network
        for section in SECTIONS:
            spec = spec_of(scenario, section)
            if self._shown.get(section) == spec:
                continue
            self._shown[section] = spec
            rows = {f"{section}.{field.name}": field_row(spec, field) for field in fields_to_vary(spec)}
            choices = offered_choices(section, spec, nodes=network.real_nodes, slots=network.slots)
            self._replace(section, {section: choice_row(section, spec, choices)} | rows)
        self._order_tab_stops()
        self.more.setPlaceholderText(f"classes.{network.classes[0].name}.max_load, …")

    def sweep(self) -> SweepRequest | Refusal:
        """Return the sweep, or the valid values; rows show their own errors."""
        values_by_path = {path: row.values() for path, row in self.rows.items() if row.ticked}
        for path, values in values_by_path.items():
            if isinstance(values, Refusal):
                return Refusal(f"{self.rows[path].check.text()}: {values.message}")
        typed = (part.strip() for part in self.more.text().split(","))
        measure = [path for path, box in self.figures.items() if box.isChecked()]
        measure += [path for path in typed if path and path not in measure]
        if not measure:
            return Refusal("tick at least one figure to measure")
        seconds = typed_number(self.seconds.text(), float, NO_SECONDS) if self.search.isChecked() else None
        if isinstance(seconds, Refusal):
            return seconds
        if seconds is not None and seconds <= 0:
            return Refusal(NO_SECONDS)
        vary: dict[str, list[Any]] = {
            path: values for path, values in values_by_path.items() if not isinstance(values, Refusal)
        }
        return SweepRequest(vary, tuple(measure), self.combine.group.checkedId() == 1, seconds)

    @property
    def address(self) -> str | None:
        """Return the address of a Dask scheduler, or None if this machine runs the study."""
        return self.cluster.text().strip() or None

    def show_error(self, text: str) -> None:
        """Show an error of the entire sweep."""
        say(self.message, text)

    def _replace(self, section: str, rows: dict[str, VaryRow]) -> None:
        old = {path: row_ for path, row_ in self.rows.items() if path.partition(".")[0] == section}
        for path, row_ in old.items():
            if path in rows:
                rows[path].take(row_)
            row_.setParent(None)
            row_.deleteLater()
        for row_ in rows.values():
            self._sections[section].addWidget(row_)
            row_.changed.connect(self.changed)
        every = {path: row_ for path, row_ in self.rows.items() if path not in old} | rows
        self.rows = dict(sorted(every.items(), key=lambda item: list(SECTIONS).index(item[0].partition(".")[0])))

    def _order_tab_stops(self) -> None:
        # Rows are made for each new scenario, and would otherwise come last in the tab order.
        rows = [stop for row_ in self.rows.values() for stop in (row_.check, row_.editor)]
        rest = (*self.figures.values(), self.more, *self.combine.group.buttons(), self.search, self.seconds)
        for before, after in pairwise([*rows, *rest, self.cluster]):
            QWidget.setTabOrder(before, after)

    def _build(self) -> None:
        parts: list[LayoutPart] = []
        for section, body in self._sections.items():
            parts += [label("heading", section.upper()), body, 8]
        for button, tip in zip(self.combine.group.buttons(), COMBINE_TIPS, strict=True):
            button.setToolTip(tip)
        self.combine.group.idClicked.connect(self.changed)
        self.search.setToolTip(SEARCHED)
        with_role(self.seconds, "short")
        self.cluster.setPlaceholderText("this machine, or tcp://host:port")
        self.cluster.setToolTip(CLUSTER_TIP)
        self.cluster.setAccessibleName("Cluster")
        self.seconds.setAccessibleName("Seconds to optimise each point")
        for path, box in self.figures.items():
            box.setChecked(path in USUAL)
            box.setToolTip(path)
        for box in (*self.figures.values(), self.search):
            box.toggled.connect(self.changed)
        for line in (self.more, self.seconds):
            line.textEdited.connect(self.changed)
        boxes = list(self.figures.values())
        half = (len(boxes) + 1) // 2
        both = row((column(*boxes[:half], spacing=4), 1), (column(*boxes[half:], STRETCH, spacing=4), 1), spacing=8)
        figures: list[LayoutPart] = [label("heading", "MEASURE"), both, self.more, 8]
        combined = row(label("dim", "Combine values"), STRETCH, self.combine)
        searched = row(self.search, STRETCH, self.seconds)
        where = row((label("dim", "Run on"), LABEL_SHARE), (self.cluster, EDITOR_SHARE), spacing=6)
        column(*parts, *figures, label("heading", "HOW"), combined, searched, where, STRETCH, of=self,
               margins=(12, 2, 12, 8), spacing=4)  # fmt: skip
