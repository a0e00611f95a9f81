"""Texts around plots: titles with shorter forms, and the legend above a plot."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsWidget, QStyleOptionGraphicsItem, QWidget

from app.views.charts.kit.look import Look, plain_look
from app.views.drawing import draw_message, fitting
from app.widgets.painting import reported_once

SAMPLE_PX = 16
"""Pixels of a line in the legend."""
APART_PX = 12
"""Pixels between entries of the legend."""


class Part(QGraphicsWidget):
    """A part of a chart outside the areas; the font determines its height, or its width if upright."""

    def __init__(self, *, upright: bool = False) -> None:
        super().__init__()
        self.look: Look = plain_look()
        self.upright = upright

    @property
    def thickness(self) -> float:
        """Return its height, or if upright its width."""
        return self.look.metrics.height() + 2

    def dress(self, look: Look) -> None:
        """Apply a theme and font."""
        self.look = look
        if self.upright:
            self.setMinimumWidth(self.thickness)
            self.setMaximumWidth(self.thickness)
        else:
            self.setMinimumHeight(self.thickness)
            self.setMaximumHeight(self.thickness)
        self.update()


class Caption(Part):
    """A line of text: the first of some forms that fits, else the last one elided.

    Parameters
    ----------
    role
        Its colour in the theme.
    bold
        Whether it is a title, larger and bold.
    upright
        Whether it is written from the bottom to the top.
    align
        Where it is in its cell.
    beyond
        Pixels that it may extend beyond its cell.
    """

    def __init__(
        self,
        forms: Sequence[str] = ("",),
        *,
        role: str = "dim",
        bold: bool = False,
        upright: bool = False,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        beyond: float = 0.0,
    ) -> None:
        super().__init__(upright=upright)
        self.forms, self.role = tuple(forms), role
        self._bold, self._align, self.beyond = bold, align, beyond

    def say(self, forms: Sequence[str], role: str | None = None) -> None:
        """Write another text, longest form first, in the colour of a role."""
        if self.forms != tuple(forms) or role not in (None, self.role):
            self.forms, self.role = tuple(forms), role or self.role
            self.update()

    @property
    def thickness(self) -> float:
        """Return its height, or if upright its width."""
        return QFontMetricsF(self.look.bold).height() + 2 if self._bold else super().thickness

    @property
    def text(self) -> str:
        """Return the text that is written."""
        font = self.look.bold if self._bold else self.look.small
        return fitting(self.forms, self._length + self.beyond, QFontMetricsF(font)) if self.forms else ""

    @property
    def _length(self) -> float:
        return self.size().height() if self.upright else self.size().width()

    def boundingRect(self) -> QRectF:
        """Return the rectangle in which it writes."""
        along = self.beyond
        rect = QRectF(QPointF(), self.size())
        return rect.adjusted(0, -along, 0, along) if self.upright else rect.adjusted(-along, 0, along, 0)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Write it."""
        with reported_once(self):
            painter.setFont(self.look.bold if self._bold else self.look.small)
            painter.setPen(self.look.colour(self.role))
            metrics = QFontMetricsF(painter.font())
            text, room = self.text, self._length
            free = room - metrics.horizontalAdvance(text)
            if self.upright or self._align == Qt.AlignmentFlag.AlignHCenter:
                left = free / 2
            else:
                left = free if self._align == Qt.AlignmentFlag.AlignRight else 0.0
            if self.upright:
                painter.translate(0, self.size().height())
                painter.rotate(-90)
            painter.drawText(QPointF(left, metrics.ascent()), text)


class PlacedPart(Part):
    """A part whose size the chart sets."""

    def dress(self, look: Look) -> None:
        """Apply a theme and font."""
        self.look = look
        self.update()

    @abstractmethod
    def draw(self, painter: QPainter) -> None:
        """Draw it: the origin is its top left corner."""

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw it; an error is reported once, not at every repaint."""
        with reported_once(self):
            self.draw(painter)


class Message(PlacedPart):
    """A text in the middle of an empty chart."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def draw(self, painter: QPainter) -> None:
        """Write it."""
        draw_message(painter, QRectF(QPointF(), self.size()), self.text, self.look.theme.dim, self.look.font)


@dataclass(frozen=True)
class Sample:
    """An entry of a legend."""

    text: str
    pen: QPen | None = None
    """The pen of its line, or None."""
    role: str = "dim"
    """The colour of the text."""
    draw: Callable[[QPainter, QPointF], None] | None = None
    """Draws a symbol around a point instead of a line."""

    @property
    def indent(self) -> float:
        """Return the pixels in front of the text."""
        return SAMPLE_PX + 4 if self.pen is not None or self.draw is not None else 0.0


class Legend(Part):
    """Samples above a plot, on as many lines as its height has room for."""

    def __init__(self) -> None:
        super().__init__()
        self.samples: tuple[Sample, ...] = ()

    def explain(self, samples: Sequence[Sample]) -> None:
        """Show other entries."""
        self.samples = tuple(samples)
        self.update()

    def height_for(self, width: float) -> float:
        """Return the height at which all entries fit into a width."""
        return max((at.y() for at, _ in self._in_lines(width)), default=0.0) + self.thickness

    def placed(self) -> list[tuple[QPointF, Sample]]:
        """Return the entries that fit, with the pixel where each begins."""
        room = self.size()
        return [
            (at, sample)
            for at, sample in self._in_lines(room.width())
            if at.y() + self.look.metrics.ascent() < room.height() and at.x() + self._length(sample) <= room.width()
        ]

    def _in_lines(self, width: float) -> Iterator[tuple[QPointF, Sample]]:
        x = y = 0.0
        for sample in self.samples:
            if x and x + self._length(sample) > width:
                x, y = 0.0, y + self.look.metrics.height()
            yield QPointF(x, y), sample
            x += self._length(sample) + APART_PX

    def _length(self, sample: Sample) -> float:
        return sample.indent + self.look.metrics.horizontalAdvance(sample.text)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Write it."""
        with reported_once(self):
            metrics = self.look.metrics
            painter.setFont(self.look.small)
            for at, sample in self.placed():
                middle = at + QPointF(0, round(metrics.ascent() * 0.62) + 0.5)
                if sample.draw is not None:
                    painter.save()
                    sample.draw(painter, middle + QPointF(SAMPLE_PX / 2, 0))
                    painter.restore()
                elif sample.pen is not None:
                    painter.setPen(sample.pen)
                    painter.drawLine(QLineF(middle, middle + QPointF(SAMPLE_PX, 0)))
                painter.setPen(self.look.colour(sample.role))
                painter.drawText(at + QPointF(sample.indent, metrics.ascent()), sample.text)
