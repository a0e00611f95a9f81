"""Axes: figures along an area, lines across it, and a mark of a chosen value."""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsSceneWheelEvent, QStyleOptionGraphicsItem, QWidget

from app.views.charts.kit.area import Area
from app.views.charts.kit.look import Look, plain_look
from app.views.charts.kit.scales import Mark, Marks, spread
from app.views.charts.kit.setup import pg
from app.views.drawing import blend, fitting, polygon
from app.widgets.painting import reported_once

LABEL_PX = 6
"""Pixels between the figures at the left and the plot."""
GAP_PX = 5
"""Pixels between the figures below and the plot."""
LINES_APART = 2.0
"""Distance of figures at the left, in lines of text."""
TICK_PX = 70
"""Distance of figures below at type scale 1."""

PlacedText = tuple[QRectF, Mark]


class Axis(pg.AxisItem):
    """An axis at the left of an area, or below it.

    Parameters
    ----------
    marks
        Its figures, or None for the figures of the area's scale. Can be changed by `set_marks`.
    widest
        The widest text, which fixes its width, so that plots do not move while figures change.
    grid
        Whether lines cross the area at the figures.
    base
        Strength of the line along the axis, from 0 for none to 1 for the colour of the text.
    gap
        Pixels between the area and the figures below it.
    beyond
        Pixels that figures below the area may extend beyond its left end.
    unit
        Written at the end of the axis below; figures that would touch it are omitted.
    """

    def __init__(
        self,
        side: str,
        area: Area,
        *,
        marks: Marks | Sequence[Mark] | None = None,
        widest: str = "1,000.0",
        grid: bool = False,
        base: float = 0.0,
        gap: float = GAP_PX,
        beyond: float = 0.0,
        unit: str = "",
    ) -> None:
        self.area, self.unit, self.texts, self.lines = area, unit, True, grid
        self.look: Look = plain_look()
        self._marks, self._widest, self._base, self._gap, self._beyond = marks, widest, base, gap, beyond
        self._pointed: float | None = None
        super().__init__(side, linkView=area)
        self.enableAutoSIPrefix(False)
        self.setZValue(-200)  # below the area, so that its lines are below the drawings

    def set_marks(self, marks: Marks | Sequence[Mark] | None) -> None:
        """Set other figures."""
        self._marks = marks
        self.update()

    def set_unit(self, unit: str) -> None:
        """Set another unit."""
        self.unit = unit
        self.update()

    def set_widest(self, text: str) -> None:
        """Set another widest text."""
        self._widest = text
        self.dress(self.look)

    def point_at(self, value: float | None) -> None:
        """Mark a value by a triangle, or none."""
        if value != self._pointed:
            self._pointed = value
            self.update()

    def dress(self, look: Look) -> None:
        """Apply a theme and font, which determine the size."""
        self.look = look
        # pyqtgraph's own sizes give no room to an axis that is hidden at first, as behind a message.
        if self._upright:
            width = look.metrics.horizontalAdvance(self._widest) + LABEL_PX
            self.setMinimumWidth(width)
            self.setMaximumWidth(width)
        else:
            height = look.metrics.height() + self._gap
            self.setMinimumHeight(height)
            self.setMaximumHeight(height)
        self.update()

    @property
    def _upright(self) -> bool:
        return bool(self.orientation == "left")

    def shown_marks(self) -> list[Mark]:
        """Return the figures of the range that is shown."""
        low, high = self.area.rise if self._upright else self.area.span
        marks = self._marks if self._marks is not None else self.area.scales[self._upright].marks
        if callable(marks):
            return list(marks(low, high, self.limit()))
        slack = 1e-9 * max(abs(low), abs(high))
        return [mark for mark in marks if low - slack <= mark.value <= high + slack]

    def limit(self) -> int:
        """Return how many figures fit."""
        if self._upright:
            return max(int(self.area.rect().height() / (LINES_APART * self.look.metrics.height())), 2)
        return max(int(self.area.rect().width() / (TICK_PX * self.look.theme.scale)), 2)

    def placed(self, marks: Sequence[Mark]) -> list[PlacedText]:
        """Return where figures are written, from the corner of the axis; figures that would overlap are omitted."""
        return self._placed_up(marks) if self._upright else self._placed_along(marks)

    def _placed_up(self, marks: Sequence[Mark]) -> list[PlacedText]:
        line, texts, previous = self.look.metrics.height(), list[PlacedText](), float("inf")
        room, top = self.size().width() - LABEL_PX, self._shift().y()
        for mark in sorted(marks):
            y = top + self._snapped_y(mark.value)
            if previous - y >= line:
                previous = y
                text = fitting([mark.text], room, self.look.metrics)
                texts.append((QRectF(0, y - line / 2, room, line), mark._replace(text=text)))
        return texts

    def _placed_along(self, marks: Sequence[Mark]) -> list[PlacedText]:
        metrics, left = self.look.metrics, self._shift().x()
        room = self.area.rect().width()
        if self.unit:
            room -= metrics.horizontalAdvance(self.unit) + LABEL_PX
            wide = metrics.horizontalAdvance
            marks = [mark for mark in marks if float(self.area.x_of(mark.value)) + wide(mark.text) / 2 <= room]
        marks = sorted(marks)
        widths = [metrics.horizontalAdvance(mark.text) for mark in marks]
        places = [float(self.area.x_of(mark.value)) for mark in marks]
        line, top = metrics.height(), self._gap
        return [
            (QRectF(left + x, top, widths[k], line), marks[k]) for k, x in spread(places, widths, room, self._beyond)
        ]

    def _shift(self) -> QPointF:
        """Return the corner of the area relative to the corner of the axis."""
        return QPointF(self.mapFromItem(self.area, QPointF()))

    def _snapped_y(self, value: float) -> float:
        # In the middle of a pixel of the chart, for a sharp line.
        top = self.area.scenePos().y()
        return float(round(top + float(self.area.y_of(value))) + 0.5 - top)

    def wheelEvent(self, event: QGraphicsSceneWheelEvent) -> None:
        """Zoom the area along the axis, or pass the wheel on."""
        if self.area.frame.contains(event.scenePos()):
            event.ignore()  # its lines are there
        else:
            self.area.wheelEvent(event, axis=int(self._upright))

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the axis and of its lines across the area."""
        line = self.look.metrics.height()
        own = QRectF(QPointF(), self.size()).adjusted(-line, -line, line, line)
        # Without lines it is not drawn again when something moves in the area.
        return own | QRectF(self._shift(), self.area.rect().size()) if self.lines else own

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw it, never through the QPicture of the base class."""
        with reported_once(self):
            marks = self.shown_marks()
            placed = self.placed(marks)
            if self.lines:
                self._draw_lines(painter, [mark for _, mark in placed] if self._upright else marks)
            self._draw_base(painter)
            if self.texts:
                self._draw_texts(painter, placed)
            if self._pointed is not None:
                self._draw_pointer(painter, self._pointed)

    def _draw_lines(self, painter: QPainter, marks: Sequence[Mark]) -> None:
        shift, size = self._shift(), self.area.rect().size()
        painter.setPen(self.look.grid)
        left = self.area.scenePos().x()
        for mark in marks:
            if self._upright:
                y = shift.y() + self._snapped_y(mark.value)
                painter.drawLine(QLineF(shift.x(), y, shift.x() + size.width(), y))
            else:
                x = shift.x() + round(left + float(self.area.x_of(mark.value))) + 0.5 - left
                painter.drawLine(QLineF(x, shift.y(), x, shift.y() + size.height()))

    def _draw_base(self, painter: QPainter) -> None:
        if not self._base:
            return
        theme, shift, size = self.look.theme, self._shift(), self.area.rect().size()
        bottom = self.area.scenePos().y() + size.height()
        y = shift.y() + size.height() + round(bottom) - bottom + 0.5
        painter.setPen(blend(theme.panel, theme.text, self._base))
        painter.drawLine(QLineF(shift.x(), y, shift.x() + size.width(), y))

    def _draw_texts(self, painter: QPainter, placed: Sequence[PlacedText]) -> None:
        painter.setFont(self.look.small)
        metrics = self.look.metrics
        for where, mark in placed:
            painter.setPen(self.look.colour(mark.role))
            x = where.right() - metrics.horizontalAdvance(mark.text) if self._upright else where.left()
            painter.drawText(QPointF(x, where.top() + metrics.ascent()), mark.text)
        if self.unit and not self._upright:
            painter.setPen(self.look.colour("dim"))
            right = self._shift().x() + self.area.rect().width()
            at = QPointF(right - metrics.horizontalAdvance(self.unit), self._gap + metrics.ascent())
            painter.drawText(at, self.unit)

    def _draw_pointer(self, painter: QPainter, value: float) -> None:
        shift, size = self._shift(), self.look.theme.scale
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("accent"))
        if self._upright:
            x, y = shift.x() - 1, shift.y() + float(self.area.y_of(value))
            corners = [(x - 7 * size, y - 5 * size), (x - 7 * size, y + 5 * size), (x, y)]
        else:
            x, y = shift.x() + float(self.area.x_of(value)), shift.y() + self.area.rect().height() + 1
            corners = [(x - 5 * size, y + 7 * size), (x + 5 * size, y + 7 * size), (x, y)]
        painter.drawPolygon(polygon(corners))
