"""The legend of link colours, for the overlay on the machine view and for pictures."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.model.measurement import Counters, LinkSource
from app.model.state import State
from app.model.what_if import FAILING
from app.style.colour import LOG_DECADES, ColourScale, Shading, lookup_table
from app.views.drawing import draw_veil, fitting, polygon
from app.views.scale_text import NO_LOAD, full_scale_text
from app.widgets.painting import painter_on
from app.wording.numbers import MINUS
from app.wording.shortened import shortened
from core.job.measure import common

LEGEND_WIDTH, LEGEND_HEIGHT = 280, 48
BAR_HEIGHT = 9
FONT_PX = 11
SIDE_PX = 18
"""Width of the mark between the bar and its text."""
STOPS = 24
TICK_GAP = 4
"""Minimum number of pixels between two ticks."""
MARGIN_PX = 6
"""Distance of the legend's frame, and of frames above it, from their left neighbour."""
HEADINGS = {
    LinkSource.PREDICTED: "Predicted bandwidth",
    LinkSource.MEASURED: "Measured bandwidth",
    LinkSource.DIFFERENCE: f"Measured {MINUS} predicted",
    LinkSource.WAIT: "Wait to send",
    LinkSource.HARM: "Slow-down if the cable fails",
}
"""Names of the quantities other than loads."""
SIDES = {LinkSource.DIFFERENCE: "blue: less, red: more", LinkSource.HARM: "blue: faster"}
"""Meaning of the colours of signed quantities."""
LEGEND_AT = (12, 10)
"""Distance of the legend from the left and the bottom of the picture."""


def legend_rect(size: tuple[float, float]) -> QRectF:
    """Return the rectangle of the legend in a picture: at the bottom left."""
    left, up = LEGEND_AT
    return QRectF(left, size[1] - up - LEGEND_HEIGHT, min(LEGEND_WIDTH, size[0] - 2 * left), LEGEND_HEIGHT)


def legend_frame(size: tuple[float, float]) -> QRectF:
    """Return the rectangle of the legend with its margins."""
    return legend_rect(size).adjusted(-MARGIN_PX, -4, MARGIN_PX, 4)


def above_legend(size: tuple[float, float], width: float, height: float, *below: QRectF) -> QRectF:
    """Return the rectangle for a further legend: above the legend, and above the rectangles `below`, if not empty."""
    frame = legend_frame(size)
    top = min(area.top() for area in (frame, *below) if not area.isEmpty())
    return QRectF(frame.left(), top - height - 2, width, height)


def diamond(painter: QPainter, x: float, y: float, reach: float) -> None:
    """Draw the mark of a bottleneck with the painter's pen and brush."""
    painter.drawPolygon(polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)]))


def arrow(painter: QPainter, middle: QPointF, reach: float) -> None:
    """Draw the mark of values beyond the scale with the painter's pen and brush."""
    x, y = middle.x(), middle.y()
    painter.drawPolygon(polygon([(x - 0.7 * reach, y - reach), (x + 0.7 * reach, y), (x - 0.7 * reach, y + reach)]))


def legend_ticks(scale: ColourScale) -> tuple[tuple[float, str], ...]:
    """Return (position on the bar from 0 to 1, text) for every tick below the last."""
    if not scale.log:
        return ((0.0, "0"), (0.5, "50 %"))
    return tuple((k / LOG_DECADES, f"{100 * scale.relative(k / LOG_DECADES):g} %") for k in range(LOG_DECADES))


def scale_ticks(scale: Shading, counters: Counters | None) -> tuple[tuple[float, str], ...]:
    """Return (position on the bar from 0 to 1, text) for every tick of a scale, of counters or loads."""
    if counters is None:
        assert isinstance(scale, ColourScale)
        return legend_ticks(scale)
    places = tuple(k / LOG_DECADES for k in range(LOG_DECADES)) if scale.log else (0.0, 0.5)
    return tuple((place, counters.number(scale.relative(place))) for place in places)


def difference_ticks(state: State) -> tuple[tuple[float, str], ...]:
    """Return (position on the bar from 0 to 1, text) for every tick of a scale of differences below the last."""
    return (0.0, f"{MINUS}{_end(state)}"), (0.5, "0")


def _end(state: State) -> str:
    return f"{100 * state.shading.relative(1.0):.4g} %"


def heading(state: State) -> str:
    """Return the heading: the quantity that the colours show."""
    if state.counters is not None:
        signed = f" · {SIDES[state.source]}" if state.shading.signed else ""
        return f"{quantity_name(state)}, {state.counters.unit}{signed}"
    if state.differing:
        return f"Load ÷ bandwidth, B {MINUS} A · blue: less, red: more"
    return f"Load ÷ bandwidth, relative to {full_scale_text(state)}"


def top_text(state: State) -> str:
    """Return the text of the last colour."""
    if state.counters is not None:
        top = state.counters.number(state.shading.relative(1.0))
        return f"{top} {state.counters.unit}"
    time = reference_text(state)
    if state.differing:
        return f"+{_end(state)} of {time}" if time else NO_LOAD
    return f"100 % = {time}" if time else NO_LOAD


def reference_text(state: State) -> str:
    """Return the time at the top of the colour scale: ``0.25 s per unit``; empty if nothing is loaded."""
    shown = state.compared_pair or (state.evaluation,)
    if state.full_scale_time <= 0:
        return ""
    return common(shown[0].case.job.measure, shown[-1].case.job.measure).time(state.full_scale_time)


def excess(state: State) -> float:
    """Return the highest utilisation or largest difference if it exceeds the scale, else 0.

    For failures, the number of links whose failure disconnects flows.
    """
    if state.counters is not None:
        return float(state.counters.disconnecting)
    highest = float(np.abs(state.link_values).max(initial=0.0))
    return highest if state.shading.exceeds(np.array(highest)) else 0.0


def side_text(state: State) -> str:
    """Return the text next to the bar: the excess over the scale, or the meaning of the diamond or square."""
    if state.counters is not None:
        if state.counters.disconnecting:
            return f"disconnects: {state.counters.disconnecting:,}"
        return f"{state.counters.no_value}: {state.counters.missing:,}" if state.counters.missing else ""
    if excess(state):
        return f"> {_end(state)} (max {100 * excess(state):.0f} %)"
    if state.differing:
        return ""
    return "bottleneck" if state.full_scale_time > 0 else ""


def legend_font(base: QFont, pixels: int = FONT_PX) -> QFont:
    """Return the font of texts in pictures: the application's family, at a size in pixels."""
    font = QFont(base)
    font.setPixelSize(pixels)
    return font


def paint_legend(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the legend into a rectangle; if it is narrower than `LEGEND_WIDTH`, its texts are shorter."""
    painter.save()
    painter.setFont(legend_font(painter.font()))
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QColor(state.style.theme.dim))
    head = shortened(heading(state), metrics.horizontalAdvance, rect.width())
    head = fitting((head, *_short_headings(state)), rect.width(), metrics)
    painter.drawText(QPointF(rect.left(), rect.top() + metrics.ascent()), head)
    narrow = rect.width() < LEGEND_WIDTH
    # The bar leaves room for the text next to it and the text below its end.
    half = metrics.horizontalAdvance(_last_tick(state)) / 2
    side = SIDE_PX + (0 if narrow else metrics.horizontalAdvance(side_text(state)))
    room = side if narrow else max(metrics.horizontalAdvance(top_text(state)) - half, side)
    bar = QRectF(rect.left(), rect.top() + metrics.height() + 3, rect.width() - room, BAR_HEIGHT)
    _paint_bar(painter, bar, state)
    _paint_side(painter, bar, metrics, state, "" if narrow else side_text(state))
    baseline = bar.bottom() + metrics.ascent() + 3
    painter.setPen(QColor(state.style.theme.dim))
    top_label = top_text(state)
    last = fitting((top_label, top_label.partition(" per ")[0], _last_tick(state)), rect.width(), metrics)
    top = min(bar.right() - half, rect.right() - metrics.horizontalAdvance(last))
    ticks = difference_ticks(state) if state.differing else scale_ticks(state.shading, state.counters)
    for place, text in ticks:
        left = bar.left() + place * bar.width() - (0.0 if place == 0 else metrics.horizontalAdvance(text) / 2)
        if left + metrics.horizontalAdvance(text) + TICK_GAP < top:
            painter.drawText(QPointF(left, baseline), text)
    painter.setPen(QColor(state.style.theme.text))
    painter.drawText(QPointF(top, baseline), last)
    painter.restore()


def quantity_name(state: State) -> str:
    """Return the name of the quantity shown, other than loads."""
    failures = state.failures if state.source is LinkSource.HARM else None
    return HEADINGS[state.source] if failures is None else f"Slow-down if {FAILING[failures.figures.what]} fails"


def _short_headings(state: State) -> tuple[str, ...]:
    if state.counters is None:
        return (f"B {MINUS} A" if state.differing else "Load",)
    name = quantity_name(state)
    return f"{name}, {state.counters.unit}", name, HEADINGS[state.source]


def _last_tick(state: State) -> str:
    if state.counters is not None:
        return state.counters.number(state.shading.relative(1.0))
    return f"+{_end(state)}" if state.differing else "100 %"


def _paint_bar(painter: QPainter, bar: QRectF, state: State) -> None:
    table = lookup_table(state.shading.map, state.style.theme.dark)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for k in range(STOPS + 1):
        red, green, blue, _ = (int(c) for c in table[round(k / STOPS * (len(table) - 1))])
        gradient.setColorAt(k / STOPS, QColor(red, green, blue))
    painter.setPen(QPen(QColor(state.style.theme.border), 1))
    painter.setBrush(QBrush(gradient))
    painter.drawRect(bar)


def _paint_side(painter: QPainter, bar: QRectF, metrics: QFontMetricsF, state: State, text: str) -> None:
    """Mark with an arrow that links exceed the scale; else write the meaning of the diamond."""
    theme, middle = state.style.theme, bar.center().y()
    beyond = excess(state) > 0
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.beyond if beyond else theme.text))
    if beyond:
        arrow(painter, QPointF(bar.right() + 8.5, middle), 5)
    elif state.counters is not None and text:
        painter.fillRect(QRectF(bar.right() + 6, middle - 4.5, 9, 9), QColor(theme.missing))
    elif side_text(state):
        diamond(painter, bar.right() + 10, middle, 4.5)
    painter.setPen(QColor(theme.beyond if beyond else theme.dim))
    at = QPointF(bar.right() + SIDE_PX, middle + metrics.ascent() / 2 - 1)
    painter.drawText(at, text)


class LegendOverlay(QWidget):
    """The legend above a canvas; transparent for the pointer."""

    def __init__(self, state: State, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(LEGEND_WIDTH + 12, LEGEND_HEIGHT + 8)

    def set_state(self, state: State) -> None:
        """Show the legend of another state."""
        self._state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the legend on a translucent background."""
        with painter_on(self, smooth=True) as painter:
            theme = self._state.style.theme
            area = QRectF(QPointF(), QSizeF(self.size()) / theme.scale)
            painter.scale(theme.scale, theme.scale)
            draw_veil(painter, area, theme)
            paint_legend(painter, area.adjusted(6, 4, -6, -4), self._state)
