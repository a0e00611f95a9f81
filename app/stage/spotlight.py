"""A spotlight that follows the pointer: a bright disc in a darkened picture of the stage.

The picture is taken when the spotlight is switched on, and again after changes; a move of the pointer copies two small
rectangles of it, and no view is repainted.
"""

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QCursor,
    QHideEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.background.timer import timer
from app.widgets.painting import painter_on

RADIUS = 0.16
"""Radius in screen heights at first."""
MIN_RADIUS, MAX_RADIUS = 0.03, 0.6
STEP = 1.15
"""Ratio of two radii, one notch of the wheel apart."""
SHADE = QColor(0, 0, 0, 165)
RIM = QColor(255, 255, 255, 150)
RENEW_MS = 150
"""Minimum time between two pictures of the stage."""


class Spotlight(QWidget):
    """Covers its parent while it is on, and takes the pointer.

    It is a window of its own, and the views below it are hidden meanwhile: where any of them is drawn by OpenGL, Qt
    would recompose the entire stage at each move, which takes 50 ms without a graphics card.
    """

    def __init__(self, stage: QWidget, views: QWidget) -> None:
        super().__init__(stage)
        self._views = views
        policy = views.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        views.setSizePolicy(policy)
        self._covers = False
        """Whether the views are hidden because this is on."""
        self._bright, self._dark = QPixmap(), QPixmap()
        self._radius = RADIUS
        self._at = QPoint()
        self._taking = False
        """Whether the picture of the stage, without the spotlight, is being taken."""
        self._renewal = timer(self, RENEW_MS, single_shot=True)
        self._renewal.timeout.connect(self._take_picture)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DontCreateNativeAncestors)
        self.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)
        self.setAccessibleName("Spotlight")
        self.hide()

    def toggle(self) -> None:
        """Switch it on, at the pointer, or off."""
        if not self.isHidden():
            self.hide()
            return
        self._at = self.mapFromGlobal(QCursor.pos())
        self.place()
        self.raise_()
        self.show()
        self._covers = not self._views.isHidden()
        self._views.setVisible(False)

    def place(self) -> None:
        """Cover all of the stage."""
        stage = self.parentWidget()
        if stage is not None:
            self.setGeometry(stage.rect())
            self._take_picture()

    def hideEvent(self, event: QHideEvent) -> None:
        """Show the views again."""
        super().hideEvent(event)
        if self._covers:
            self._covers = False
            self._views.setVisible(True)

    def renew(self) -> None:
        """Take another picture soon: the stage has changed."""
        if not self.isHidden() and not self._renewal.isActive():
            self._renewal.start()

    @property
    def disc(self) -> QRect:
        """Return the square around the bright disc."""
        radius = round(self._radius * self.height())
        return QRect(self._at - QPoint(radius, radius), self._at + QPoint(radius, radius))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        self._move(event.position().toPoint(), self._radius)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep clicks from the views below."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Resize the disc."""
        notches = event.angleDelta().y() / 120
        self._move(event.position().toPoint(), min(max(self._radius * STEP**notches, MIN_RADIUS), MAX_RADIUS))
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the part of the picture that has changed."""
        if self._taking:
            return
        disc = QPainterPath()
        disc.addEllipse(self.disc)
        with painter_on(self, smooth=True) as painter:
            painter.setClipRect(event.rect())
            painter.drawPixmap(0, 0, self._dark)
            painter.setClipPath(disc, Qt.ClipOperation.IntersectClip)
            painter.drawPixmap(0, 0, self._bright)
            painter.setClipRect(event.rect())
            painter.setPen(QPen(RIM, 2))
            painter.drawEllipse(self.disc)

    def _move(self, at: QPoint, radius: float) -> None:
        before = self.disc
        self._at, self._radius = at, radius
        self.update(before.united(self.disc).adjusted(-3, -3, 3, 3))

    def _take_picture(self) -> None:
        stage = self.parentWidget()
        if stage is None:
            return
        self._taking = True
        self._views.setVisible(self._covers or not self._views.isHidden())
        self._bright = stage.grab()
        self._views.setVisible(not self._covers and not self._views.isHidden())
        self._taking = False
        self._dark = self._bright.copy()
        painter = QPainter(self._dark)
        painter.fillRect(self._dark.rect(), SHADE)
        painter.end()
        self.update()
