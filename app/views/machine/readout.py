"""The readout of the hovered or selected item, in a corner of the machine view."""

import re
from html import escape

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QWidget

from app.style.theme import Theme
from app.views.legend import legend_font

READOUT_PX = 10
"""Distance from the borders."""
LEGEND_GAP = 4
"""Distance from a legend below it."""
TEXT_PX = 12
"""Type size at scale 1."""
TOGETHER = re.compile(r"(?<=[0-9]) (?=(?:%|units?\b|GB/s))|(?<=<) (?=[0-9])|(?<=\b[AB]) (?=[0-9<])")
"""Spaces that must not be broken: between a figure and its unit."""


class Readout(QLabel):
    """A few lines at the bottom right, transparent for the pointer."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.hide()

    def write(self, lines: tuple[str, ...], theme: Theme) -> None:
        """Show lines of text, the first one as a heading."""
        panel = QColor(theme.panel)
        self.setStyleSheet(
            f"background: rgba({panel.red()}, {panel.green()}, {panel.blue()}, 225); color: {theme.text};"
            f"border: 1px solid {theme.border}; border-radius: 5px; padding: {theme.px(4)}px {theme.px(7)}px;"
        )
        first, *others = (escape(TOGETHER.sub("\N{NO-BREAK SPACE}", line)) for line in lines)
        self.setFont(legend_font(self._room.font(), theme.px(TEXT_PX)))
        self.setText("<br>".join([f"<b>{first}</b>", *others]))
        self._fit()

    def _fit(self) -> None:
        # Lines are wrapped only if the view is too narrow.
        self.setWordWrap(False)
        self.adjustSize()
        room = self._room.width() - 2 * READOUT_PX
        if self.width() > room:
            self.setWordWrap(True)
            self.resize(room, self.heightForWidth(room))

    def place(self, legend: QRect) -> bool:
        """Move to the bottom right, above the legend if there is no room next to it; return whether there is."""
        room = self._room.size()
        x = max(room.width() - self.width() - READOUT_PX, READOUT_PX)
        fits = x > legend.right()
        below = room.height() - READOUT_PX if fits else legend.top() - LEGEND_GAP
        self.move(x, max(below - self.height(), 0))
        return fits
