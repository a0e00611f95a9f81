"""A cover that dims results while they differ from the settings.

It is a widget, not an effect: effects do not reach OpenGL views, and draw all other widgets into a pixmap first.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.session.session import Session
from app.widgets.card import Card
from app.widgets.painting import painter_on
from app.widgets.session_widget import SessionWidget

OPACITY = 0.5
CHANGES = ChangeSet.STATUS | ChangeSet.TIME | ChangeSet.LOADS | ChangeSet.TOOL | ChangeSet.STYLE
"""Changes that may make results outdated, or current again."""


class OutdatedCover(QWidget):
    """Covers a widget with its background, half transparent; the pointer acts on the widget below.

    Parameters
    ----------
    over
        The widget, which becomes the parent.
    outdated
        Returns whether the contents are outdated; by default `State.outdated`.
    hole
        A widget in it that is not covered.
    """

    def __init__(
        self,
        session: Session,
        over: QWidget,
        outdated: Callable[[], bool] | None = None,
        hole: QWidget | None = None,
    ) -> None:
        super().__init__(over)
        self._session, self._over, self._outdated = session, over, outdated
        self.hole = hole
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        over.installEventFilter(self)
        session.changed.connect(self._on_session_changed)

    def follow(self) -> None:
        """Cover or uncover the widget."""
        outdated = self._session.state.outdated if self._outdated is None else self._outdated()
        if outdated == self.isHidden():
            if outdated:
                # Above children that were made, or raised, since.
                self.setGeometry(self._over.rect())
                self.raise_()
            self.setVisible(outdated)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & CHANGES:
            self.follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self.setGeometry(self._over.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim the widget below."""
        colour = QColor(self._session.state.style.theme.panel)
        colour.setAlphaF(OPACITY)
        region = QRegion(self.rect())
        if self.hole is not None and self.hole.isVisible():
            region -= QRegion(QRect(self.hole.mapTo(self._over, self.hole.rect().topLeft()), self.hole.size()))
        with painter_on(self) as painter:
            painter.setClipRegion(region)
            painter.fillRect(self.rect(), colour)


def cover_head(card: Card, body: SessionWidget) -> None:
    """Dim the title of a card, and the subtitle, while its body is outdated."""
    for label in (card.title, card.subtitle):
        OutdatedCover(body.session, label, lambda: body.outdated)
