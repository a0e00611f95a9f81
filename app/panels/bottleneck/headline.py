"""The throughput, the largest number on the screen, with what limits it and how the last change moved it."""

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.model.state import LAST, Baseline, Performance, State
from app.style.colour import lookup_table
from app.widgets.card import ElidedLabel
from app.wording.names import brief
from app.wording.numbers import gbs, rate
from core.load.evaluate import TOLERANCE
from core.text import duration

LARGEST, LEAST = 4.4, 2.2
"""Size of the number relative to the text around it, and the least it shrinks to where there is no room."""
TIME_TIP = "The time until all flows have arrived, and what flows over the fewest nodes that hold the job in that time"
HOT = 204
"""Where on the colour map the name of the limiting class takes its colour: hot, and readable on the panel."""


class Change(ElidedLabel):
    """How the throughput moved; where there is no room, without since when."""

    short = ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, or what is most important of it."""
        fits = self.fontMetrics().horizontalAdvance(self.text()) <= self.width()
        painter = QPainter(self)
        painter.drawText(self.contentsRect(), self.alignment(), self.text() if fits else self.short)


class Headline(QWidget):
    """One number and three short lines."""

    def __init__(self) -> None:
        super().__init__()
        self.number = QLabel("…")
        self.number.setProperty("role", "big")
        self.unit, self.limit, self.change = QLabel(""), QLabel(""), Change("")
        self.unit.setProperty("role", "dim")
        # Several classes that limit take two lines, and so do a unit with a time or a proviso.
        for label in (self.unit, self.limit):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            label.setWordWrap(True)
        beside = QVBoxLayout()
        beside.setSpacing(1)
        beside.addStretch(1)
        for label in (self.unit, self.limit, self.change):
            beside.addWidget(label)
        beside.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        layout.addWidget(self.number)
        layout.addLayout(beside, 1)

    def show_state(self, state: State) -> None:
        """Show the throughput of the last good evaluation."""
        report = state.report
        value = report.throughput_gbs
        self.number.setText("—" if value is None else gbs(value))
        took = "" if report.seconds is None else f" · {duration(report.seconds)}"
        measure = report.case.job.measure
        self.unit.setText(measure.rate + took)
        # A condition is not to be lost where there is no room for it.
        self.unit.setToolTip(TIME_TIP if took else "" if measure.timed else measure.rate)
        names = list(report.limiting)
        self.limit.setText(f"{brief(names)} limit" if len(names) > 1 else report.limit)
        self.limit.setToolTip(report.limit)
        self._paint_limit(state)
        self._show_change(value, state.baseline)
        self.fit_number()

    def _paint_limit(self, state: State) -> None:
        red, green, blue, _ = lookup_table(state.style.scale.map, state.style.theme.dark)[HOT].tolist()
        sheet = f"color: rgb({red}, {green}, {blue}); font-weight: 600;"
        if sheet != self.limit.styleSheet():  # to set the same costs as much as to set another
            self.limit.setStyleSheet(sheet)

    def _show_change(self, value: float | None, before: Baseline | None) -> None:
        (old, seconds, measure), name = before or (Performance(), LAST)
        self.change.setVisible(value is not None and old is not None)
        if value is None or old is None:
            return
        difference = value - old
        if abs(difference) <= TOLERANCE * max(value, old):
            role, text = "dim", f"as with {name}" if name != LAST else f"as before {LAST}"
        else:
            arrow, sign, role = ("▲", "+", "good") if difference > 0 else ("▼", "−", "bad")
            text = f"{arrow} {sign}{gbs(abs(difference))} since {name}"
        self.change.short = text.partition(" since ")[0]
        self.change.setText(text)
        self.change.setToolTip(f"{rate((old,), (seconds,), measure.rate)} before: {name}.")
        if role != self.change.property("role"):
            self.change.setProperty("role", role)
            self.change.style().polish(self.change)

    def fit_number(self) -> None:
        """Set a long number smaller: numbers never elide."""
        font = self.font()
        size = font.pointSizeF()
        factor = LARGEST if len(self.number.text()) <= 4 else max(LEAST, LARGEST * 5 / (len(self.number.text()) + 1.5))
        font.setPointSizeF(size * factor)
        font.setBold(True)
        if font != self.number.font():
            self.number.setFont(font)
