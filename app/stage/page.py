"""Scenes as pages, painted without a screen: for films, documents and thumbnails."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPalette,
    QTextDocument,
)
from PySide6.QtWidgets import QApplication

from app.model.scenes import Scene
from app.model.state_groups import ComparisonMode, Glide
from app.model.view_table import SPECS
from app.session.scenes import SceneEvaluations
from app.session.session import Session
from app.stage.caption import caption_text
from app.stage.type_size import CAPTION, TITLE, scale_for
from app.storage.presets import worked_example
from app.style.palette import font_of
from app.style.theme import Theme
from app.tour.arrangement import arranged
from app.views.drawing import fitting
from app.views.machine.paint import HEAD
from app.views.machine.pinned import PinnedMachineView
from app.views.machine.view import MachineView
from app.views.view import View, view_class
from app.wording.errors import cannot_be_shown
from core.load.compare import comparable
from core.spec import Progress, SpecError, TooLarge, no_progress, subprogress

EDGE, GAP, CORNER = 14, 8, 6
"""Margin of a page, gap between its views, and radius of their corners, in pixels at scale 1."""
REFERENCE_VIEW = "pinned"


class Leaving(NamedTuple):
    """The pictures of a scene that dissolves into the next."""

    picture: QImage
    """Without the caption."""
    captioned: QImage
    foot: QRectF
    """The rectangle of the caption."""
    opacity: float


class Pages:
    """A session that shows the scenes of a tour one after the other, on pages of one size.

    `path` is the tour's file. Sets the application's font.

    Raises TooLarge, Cancelled: when `progress`, the progress of the loads of all scenes, does.
    """

    def __init__(
        self,
        evaluated: SceneEvaluations,
        path: Path | None,
        theme: Theme,
        size: tuple[int, int],
        progress: Progress = no_progress,
    ) -> None:
        self.size, self.theme = size, theme.scaled(scale_for(*size))
        QApplication.setFont(font_of(self.theme))
        self.source = evaluated.source
        """Source of the scenes, for files made of them."""
        self.session = Session.of(worked_example(), theme=self.theme, sync=True)
        self.session.tours.open(evaluated.tour, path, saved=evaluated.tour)
        scenes = self.session.tours.scenes
        assert scenes is not None
        scenes.taking_from(evaluated)
        self._count = len(evaluated.tour.scenes)
        for number in range(self._count):
            try:
                scenes.prepare(number, subprogress(progress, number, number + 1, self._count))
            except TooLarge:
                raise
            except SpecError:
                pass  # its page shows the error
        self.session.presentation.begin()
        self._views: dict[str, View] = {}
        self.leaving: Leaving | None = None
        """The previous scene while it dissolves."""
        self.caption_opacity = 1.0
        self._ease = QEasingCurve(QEasingCurve.Type.InOutCubic)

    def close(self) -> None:
        """End the session."""
        self.session.close()

    @property
    def scene(self) -> Scene:
        """Return the scene that is shown."""
        state = self.session.state.tour
        assert state.tour is not None
        return state.tour.scenes[state.scene or 0]

    @property
    def words(self) -> str:
        """Return the caption of the scene, or why it cannot be shown."""
        error = self.session.state.tour.scene_error
        if error is not None:
            return cannot_be_shown(error)
        return caption_text(self.session.state, self.session.tours.scenes)

    def show(self, number: int) -> None:
        """Show a scene, or the error if it cannot be built."""
        self.session.presentation.go(number)
        if self.session.state.tour.scene_error is None:
            self._place()

    def glide_to(self, number: int, pictures: int) -> Iterator[None]:
        """Show a scene, after `pictures` pictures of a glide to it if the network stays; yield before painting each."""
        old, machine = self.session.state, self._machine
        start, camera, size = old.utilisation, machine.picture_camera, machine.size()
        fits = old.tour.scene is not None and old.tour.scene_error is None
        self.show(number)
        now, goal = self.session.state, machine.picture_camera
        if not fits or now.tour.scene_error is not None or old.compared_pair or now.compared_pair:
            return
        if not comparable(old.evaluation.case, now.evaluation.case):
            return
        # The view's size may have changed: the glide begins with the same world in view.
        camera = camera.resized(size.toTuple(), machine.size().toTuple())
        for done in self.glide_from(start, pictures):
            machine.controller.move(camera.between(goal, done))
            yield
        self._place()

    def glide_from(self, start: NDArray[np.float64], pictures: int) -> Iterator[float]:
        """Show `pictures` pictures of a glide from utilisations `start` to the state's; yield the fraction done."""
        for k in range(1, pictures + 1):
            done = self._ease.valueForProgress(k / (pictures + 1))
            self.session.show_glide(Glide(start, done))
            yield done
        self.session.show_glide(None)

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Draw the scene as a page."""
        painter.fillRect(area, QColor(self.theme.window))
        head, rectangles, caption, foot = self._layout(area)
        self._write_head(painter, head)
        if caption is not None:
            _draw_text(painter, caption, foot, self.theme, self.caption_opacity)
        for name, rect in rectangles:
            self._paint_card(painter, name, rect)

    @property
    def foot(self) -> QRectF:
        """Return the rectangle of the caption; empty without one."""
        _, _, caption, at = self._layout(QRectF(0, 0, *self.size))
        return QRectF(at, caption.size()) if caption is not None else QRectF()

    def _layout(self, area: QRectF) -> tuple[QRectF, list[tuple[str, QRectF]], QTextDocument | None, QPointF]:
        """Return the rectangles of title and views, the caption, and its rectangle."""
        edge = self.theme.px(EDGE)
        inner = area.adjusted(edge, edge * 0.6, -edge, -edge * 0.6)
        head = QFontMetricsF(self._title_font).height() * 1.15
        caption = self._caption(inner.width())
        foot = caption.size().height() if caption is not None else 0.0
        rectangles = self._rectangles(inner.adjusted(0, head, 0, -foot - self.theme.px(GAP) / 2))
        title = QRectF(inner.left(), inner.top(), inner.width(), head)
        return title, rectangles, caption, QPointF(inner.left(), inner.bottom() - foot)

    @property
    def _title_font(self) -> QFont:
        font = font_of(self.theme, TITLE)
        font.setBold(True)
        return font

    @property
    def _machine(self) -> MachineView:
        view = self._view("machine")
        assert isinstance(view, MachineView)
        return view

    def _view(self, name: str) -> View:
        if name not in self._views:
            pinned = name == REFERENCE_VIEW
            self._views[name] = PinnedMachineView(self.session) if pinned else view_class(SPECS[name])(self.session)
        return self._views[name]

    def _place(self) -> None:
        """Resize the views to the page, and set the scene's camera."""
        names = {shown.view for shown in self.scene.views}
        for name, rect in self._layout(QRectF(0, 0, *self.size))[1]:
            self._view(name).resize(_inside(rect).size().toSize())
        if "machine" in names:
            self._machine.catch_up()
            self._machine.look(self.scene.camera, 0, HEAD)

    def _rectangles(self, area: QRectF) -> list[tuple[str, QRectF]]:
        """Return the views of the scene with their rectangles; empty if there is an error."""
        if self.session.state.tour.scene_error is not None:
            return []
        gap, rects = self.theme.px(GAP), []
        shares = self.scene.views
        side = self.session.state.comparison.mode is ComparisonMode.SIDE
        for shown, (left, top, width, height) in zip(shares, arranged([s.share for s in shares]), strict=True):
            rect = QRectF(
                area.left() + left * (area.width() + gap),
                area.top() + top * (area.height() + gap),
                width * (area.width() + gap) - gap,
                height * (area.height() + gap) - gap,
            )
            if shown.view == "machine" and side:
                half = (rect.width() - gap) / 2
                rects.append((REFERENCE_VIEW, QRectF(rect.left(), rect.top(), half, rect.height())))
                rect.setLeft(rect.right() - half)
            rects.append((shown.view, rect))
        return rects

    def _paint_card(self, painter: QPainter, name: str, rect: QRectF) -> None:
        theme, corner = self.theme, self.theme.px(CORNER)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(theme.border))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(rect, corner, corner)
        painter.setClipRect(rect.adjusted(1, 1, -1, -1))
        self._view(name).paint_to(painter, _inside(rect))
        painter.restore()

    def _write_head(self, painter: QPainter, rect: QRectF) -> None:
        font, plain, tour = self._title_font, font_of(self.theme), self.session.state.tour
        number = f"{(tour.scene or 0) + 1} / {self._count}" if self._count > 1 else ""
        room = rect.width() - QFontMetricsF(plain).horizontalAdvance(number) - self.theme.px(EDGE)
        painter.setFont(font)
        painter.setPen(QColor(self.theme.text))
        middle = Qt.AlignmentFlag.AlignVCenter
        full = self.scene.title
        shown = fitting([full, full.partition(": ")[0]], room, QFontMetricsF(font))
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignLeft, shown)
        painter.setFont(plain)
        painter.setPen(QColor(self.theme.dim))
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, number)

    def _caption(self, width: float) -> QTextDocument | None:
        """Return the caption as written on the page, or None if there is none."""
        if not self.words:
            return None
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(font_of(self.theme, CAPTION))
        if self.session.state.tour.scene_error is None:
            document.setMarkdown(self.words)
        else:
            document.setPlainText(self.words)
        document.setTextWidth(width)
        return document


def _inside(rect: QRectF) -> QRectF:
    """Return the part of a card that its view fills."""
    return rect.adjusted(2, 2, -2, -2)


def _draw_text(painter: QPainter, document: QTextDocument, at: QPointF, theme: Theme, opacity: float) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, QColor(theme.text))
    painter.save()
    painter.setOpacity(opacity)
    painter.translate(at)
    document.documentLayout().draw(painter, context)
    painter.restore()
