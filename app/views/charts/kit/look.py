"""How the parts of a chart look: theme, type and pens."""

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPen

from app.style.theme import DARK, Theme
from app.views.drawing import SMALL, blend, scaled_font


@dataclass(frozen=True)
class Look:
    """Theme and font of a chart."""

    theme: Theme
    font: QFont

    @cached_property
    def small(self) -> QFont:
        """Return the font of figures and labels."""
        return scaled_font(self.font, SMALL)

    @cached_property
    def bold(self) -> QFont:
        """Return the font of titles."""
        return scaled_font(self.font, 1.0, bold=True)

    @cached_property
    def metrics(self) -> QFontMetricsF:
        """Return the metrics of the small font."""
        return QFontMetricsF(self.small)

    def colour(self, role: str) -> QColor:
        """Return a colour of the theme, such as ``dim``."""
        return QColor(getattr(self.theme, role))

    @property
    def grid(self) -> QColor:
        """Return the colour of lines across a plot."""
        return blend(self.theme.panel, self.theme.border, 0.8)

    def pen(self, colour: QColor | str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        """Return a pen of a width at scale 1."""
        return QPen(QColor(colour), width * self.theme.scale, style)


def plain_look() -> Look:
    """Return the look of parts that are not dressed yet."""
    return Look(DARK, QFont())
