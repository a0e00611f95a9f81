"""Export of the machine view as an animation: the cursor goes through the steps, and each picture goes to the file."""

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QProgressDialog, QWidget

from app.model.state import FILE
from app.session.session import Session
from app.storage.animations import RATES, Animation
from app.views.charts.timeline import LOOKING
from app.views.view import View
from core.spec import SpecError
from core.timing.timeline import Timeline

TICK_MS = 5
SECONDS = 10.0
"""How long it plays, as on screen at the speed of 1."""


class AnimationExport(QObject):
    """One export, on its way; it goes when it is done or given up."""

    def __init__(self, session: Session, view: View, path: Path, done: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._view, self._path, self._done = session, view, path, done
        self._before = session.state.time.step
        self._animation = Animation(path, (max(view.width(), 64), max(view.height(), 64)))
        self._left: list[tuple[int, int]] | None = None
        """What is still to be drawn; None: it is not known yet when each step runs."""
        self._finishing = False
        """Whether all is drawn and the file is being put into its place."""
        self._whole = round(SECONDS * RATES[path.suffix.lower()])
        self.dialog = QProgressDialog(LOOKING, "Cancel", 0, self._whole, parent)
        self.dialog.setWindowTitle(f"Export {path.name}")
        self.dialog.setWindowModality(Qt.WindowModality.WindowModal)
        self.dialog.setMinimumDuration(0)
        self.dialog.setAutoReset(False)
        self.dialog.setAutoClose(False)
        self.dialog.canceled.connect(self._on_dialog_canceled)
        self.dialog.show()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self._tick.start()

    def _on_tick(self) -> None:
        if self._animation.busy:
            return
        try:
            if self._left is None:
                self._left = self._schedule()
            elif self._left:
                self._draw_next(self._left)
            elif not self._finishing:
                self._finishing = True
                self._animation.finish()
            else:
                self._animation.wait()
                self._animation.drop()
                self._end(f"Wrote {self._path}")
        except SpecError as error:
            self._animation.drop()
            self._end("")
            self._session.report_error(SpecError(FILE, error.message))

    def _schedule(self) -> list[tuple[int, int]] | None:
        self._session.timekeeper.look()
        refused, found = self._session.state.time.timeline_refused, self._session.timekeeper.current
        if refused:
            raise SpecError(FILE, f"no animation of steps without times: {refused}")
        if found is None:
            return None
        self.dialog.setLabelText("Drawing step after step …")
        return schedule(found, self._whole)

    def _draw_next(self, left: list[tuple[int, int]]) -> None:
        step, times = left[0]
        self._session.timekeeper.go_to(step)
        moment = self._session.state.moment
        if moment is None or moment.step != step:
            return  # its loads are being found
        left.pop(0)
        self._animation.add(self._picture(), times)
        self.dialog.setValue(self._whole - sum(times for _, times in left))

    def _picture(self) -> QImage:
        image = QImage(self._view.size(), QImage.Format.Format_RGB32)
        image.fill(QColor(self._session.state.style.theme.panel))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._view.paint_to(painter, QRectF(image.rect()))
        painter.end()
        return image

    def _on_dialog_canceled(self) -> None:
        self._animation.drop()
        self._end("")

    def _end(self, message: str) -> None:
        self._tick.stop()
        self._session.timekeeper.go_to(self._before)
        self.dialog.deleteLater()
        self.deleteLater()
        self._done(message)


def schedule(timeline: Timeline, pictures: int) -> list[tuple[int, int]]:
    """Return the steps that are seen in so many pictures, each with how many of these it takes."""
    steps = (timeline.step_at((k + 0.5) * timeline.seconds / pictures) for k in range(pictures))
    return [(step, len(list(same))) for step, same in groupby(steps)]
