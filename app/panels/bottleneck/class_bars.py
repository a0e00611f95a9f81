"""A bar for each link class: its hottest link relative to the bottleneck, and the bound of all mappings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.model.evaluation import Evaluation
from app.model.state import State
from app.style.colour import lookup_table
from app.style.theme import DARK
from app.widgets.array_table import LEFT, RIGHT
from app.widgets.painting import painter_on
from app.wording.names import only_text
from app.wording.numbers import gbs, percent
from core.figures.predictions import Prediction
from core.load.bounds import Bound, bound_sentence, class_bound
from core.load.evaluate import ClassLoad
from core.text import links_of

GAP = 8
BAR = 0.62
"""Height of a bar relative to its row."""
DIAMOND = 4.5
FADED = 0.4
"""Opacity of the bars of classes that are not shown."""
STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Home: -1000, Qt.Key.Key_End: 1000}
TOGGLES = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class ClassBar:
    """The content of one row. Lengths are relative to the bottleneck, which is 1."""

    name: str
    length: float
    text: str
    colour: QColor
    bound: float | None
    """The bound: no mapping makes the bar shorter."""
    prediction: float | None
    """The length predicted by a closed form (`core.figures.predictions`); above 1 if it predicts less throughput."""
    tip: str


def bars_of(state: State) -> tuple[ClassBar, ...]:
    """Return a bar for each link class of the last good evaluation."""
    evaluation = state.shown
    return tuple(_bar(state, evaluation, c) for c in evaluation.report.classes)


def _bar(state: State, evaluation: Evaluation, figures: ClassLoad) -> ClassBar:
    report = evaluation.report
    volume, report_time = report.volume_per_node, report.time or 1.0
    time = volume / figures.throughput_gbs if figures.throughput_gbs else 0.0
    bound = class_bound(evaluation.bounds, figures.name)
    prediction = next((p for p in evaluation.predictions if p.link_class == figures.name), None)
    return ClassBar(
        figures.name,
        time / report_time,
        "—" if figures.throughput_gbs is None else gbs(figures.throughput_gbs),
        _colour(state, np.array(time / (state.full_scale_time or 1.0))),
        None if bound is None else bound.time / report_time,
        None if prediction is None else volume / prediction.gbs / report_time,
        _tip(evaluation, figures, bound, prediction),
    )


def _colour(state: State, relative: NDArray[np.float64]) -> QColor:
    if state.style.scale.exceeds(relative):
        return QColor(state.style.theme.beyond)
    table = lookup_table(state.style.scale.map, state.style.theme.dark)
    return QColor(*table[round(float(state.style.scale.coordinate(relative)) * 255)].tolist())


def _tip(evaluation: Evaluation, figures: ClassLoad, bound: Bound | None, prediction: Prediction | None) -> str:
    lines = [f"{figures.name}: {figures.links:,} links, {figures.gbs:g} GB/s per direction"]
    if figures.throughput_gbs is None:
        return lines[0] + "\nno load"
    measure = evaluation.case.job.measure.suited(figures.max_load)
    hottest, mean = measure.amount(figures.max_load), measure.number(figures.mean_load)
    which = "hottest link used by this job" if evaluation.report.others.size else "hottest link"
    lines.append(f"{which}: {hottest} (mean {mean})")
    if isinstance(figures.own_load, float) and figures.sum_load > 0:
        lines.append(f"share of this job: {percent(figures.own_load / figures.sum_load)}")
    lines.append(f"throughput if only this class limited it: {gbs(figures.throughput_gbs)} {measure.rate}")
    if bound is not None:
        lines.append(bound_sentence(evaluation.case, bound, gbs))
    if prediction is not None:
        how = "at least " if prediction.at_least else ""
        lines.append(f"Chakaravarthy et al. predict {how}{gbs(prediction.gbs)} {measure.rate}: {prediction.formula}")
    return "\n".join(lines)


class ClassBars(QWidget):
    """Paints the bars, one below the other, their throughput at the right.

    A click, or Space or Enter after the arrow keys, toggles whether only the links of a bar's class are shown; a single
    bar has nothing to toggle.
    """

    toggled = Signal(str)
    """Name of the class."""

    def __init__(self) -> None:
        super().__init__()
        self.bars: tuple[ClassBar, ...] = ()
        self._theme = DARK
        self._only = ""
        """Name of the only class shown; empty if all are."""
        self._current = 0
        """The bar of the keyboard."""
        self._ringed = False
        """Whether it is outlined: the focus came by keyboard."""
        self.setAccessibleName("Link classes")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_state(self, state: State) -> None:
        """Show the classes of the last good evaluation."""
        self._theme, self._only, bars = state.style.theme, state.style.link_class, bars_of(state)
        if len(bars) != len(self.bars):
            self.updateGeometry()
        self.bars = bars
        several = len(bars) > 1
        self._current = min(self._current, max(len(bars) - 1, 0))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if several else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if several else Qt.CursorShape.ArrowCursor)
        unit = state.report.case.job.measure.rate
        texts = [only_text(state.shown_class), *(f"{bar.name} {bar.text} {unit}" for bar in bars)]
        self.setAccessibleDescription("; ".join(filter(None, texts)))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room for all bars."""
        return QSize(160, self._row_height() * len(self.bars))

    def minimumSizeHint(self) -> QSize:
        """Return the room for all bars."""
        return self.sizeHint()

    def track(self, index: int) -> QRectF:
        """Return the rectangle of a bar of length 1."""
        metrics, height = self.fontMetrics(), self._row_height()
        left = max((metrics.horizontalAdvance(bar.name) for bar in self.bars), default=0) + GAP
        right = max((metrics.horizontalAdvance(bar.text) for bar in self.bars), default=0) + GAP
        thick = height * BAR
        return QRectF(left, index * height + (height - thick) / 2, max(1.0, self.width() - left - right), thick)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all rows."""
        with painter_on(self, smooth=True) as painter:
            for index, bar in enumerate(self.bars):
                painter.setOpacity(1.0 if self._only in ("", bar.name) else FADED)
                self._paint_row(painter, index)
                painter.setOpacity(1.0)
                if bar.name == self._only or (self._ringed and index == self._current):
                    painter.setPen(QPen(QColor(self._theme.accent), 2 if bar.name == self._only else 1))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRoundedRect(self.track(index).adjusted(-2, -2, 2, 2), 3, 3)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Toggle the bar under the pointer."""
        row = int(event.position().y()) // self._row_height()
        if event.button() == Qt.MouseButton.LeftButton and len(self.bars) > 1 and 0 <= row < len(self.bars):
            self._current = row
            self.toggled.emit(self.bars[row].name)
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the bar above or below, or toggle the current one."""
        key, self._ringed = Qt.Key(event.key()), True
        if key in STEPS:
            self._current = min(max(self._current + STEPS[key], 0), len(self.bars) - 1)
            self.update()
        elif key in TOGGLES and len(self.bars) > 1:
            self.toggled.emit(self.bars[self._current].name)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Outline the current bar if the focus came by keyboard."""
        super().focusInEvent(event)
        self._ringed = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Remove the outline."""
        super().focusOutEvent(event)
        self._ringed = False

    def event(self, event: QEvent) -> bool:
        """Explain the bar under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row = event.pos().y() // self._row_height()
            text = self._tip_of(self.bars[row]) if 0 <= row < len(self.bars) else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def row_rect(self, index: int) -> QRectF:
        """Return the rectangle of a bar with its name and figure."""
        return QRectF(0, index * self._row_height(), self.width(), self._row_height())

    def _tip_of(self, bar: ClassBar) -> str:
        if len(self.bars) < 2:
            return bar.tip
        shown = "the links of all classes" if bar.name == self._only else f"only {links_of(bar.name)}"
        return f"{bar.tip}\nClick to show {shown}."

    def _row_height(self) -> int:
        return self.fontMetrics().height() + 7

    def _paint_row(self, painter: QPainter, index: int) -> None:
        bar, track, theme = self.bars[index], self.track(index), self._theme
        row = self.row_rect(index)
        painter.setPen(QColor(theme.text))
        painter.drawText(row, LEFT, bar.name)
        painter.drawText(row, RIGHT, bar.text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.border))
        painter.drawRoundedRect(track, 2, 2)
        painter.setBrush(bar.colour)
        filled = QRectF(track)
        filled.setWidth(track.width() * min(bar.length, 1.0))
        painter.drawRoundedRect(filled, 2, 2)
        if bar.bound is not None:
            x = track.left() + track.width() * min(bar.bound, 1.0)
            # An edge in the panel's colour separates the mark from a bar of any colour.
            for half, colour in ((2, theme.panel), (1, theme.text)):
                wide = theme.px(2 * half)
                painter.fillRect(QRectF(x - wide / 2, row.top() + 2, wide, row.height() - 4), QColor(colour))
        if bar.prediction is not None:
            self._paint_prediction(painter, track, bar.prediction)

    def _paint_prediction(self, painter: QPainter, track: QRectF, place: float) -> None:
        x, y, r = track.left() + track.width() * min(place, 1.0), track.center().y(), DIAMOND * self._theme.scale
        # A diamond at its place; an arrow head at the end if its place is beyond.
        shape = [(0, -r), (r, 0), (0, r), *([(-r, 0)] if place <= 1 + 1e-9 else [])]
        painter.setPen(QPen(QColor(self._theme.text), 1.2 * self._theme.scale))
        painter.setBrush(QColor(self._theme.panel))
        painter.drawPolygon(QPolygonF([QPointF(x + dx, y + dy) for dx, dy in shape]))


def caption(bars: tuple[ClassBar, ...]) -> str:
    """Return the meaning of the marks on the bars."""
    lines = []
    if any(bar.bound is not None for bar in bars):
        lines.append("┃ lower bound for any mapping")
    if any(bar.prediction is not None for bar in bars):
        lines.append("◇ published prediction")
    return "\n".join(lines)
