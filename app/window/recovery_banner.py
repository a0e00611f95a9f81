"""Offers to recover work after a crash, in a line at the top of the window."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton

from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.scenes import Tour
from app.model.state import FILE
from app.session.autosave import BEST, Autosave
from app.session.session import Session
from app.storage.disk_watch import DiskWatch
from app.storage.safety_copy import SafetyCopy, Unsaved, leftovers
from app.widgets.labels import with_role
from app.widgets.layouts import column, row
from app.window.snapshot_menu import scenario_text
from core.spec import SpecError
from core.text import plural


class RecoveryBanner(QFrame):
    """Offers the copies in `folder` one after the other, newest first; hidden if there are none.

    `may_lose` asks about unsaved changes on screen, and returns whether they may be discarded. `disk` notices changes
    by others to the file of the work since the copy.
    """

    def __init__(
        self, session: Session, autosave: Autosave, folder: Path, may_lose: Callable[[], bool], disk: DiskWatch
    ) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self._session, self._autosave, self._may_lose, self._disk = session, autosave, may_lose, disk
        self._left = leftovers(folder, autosave.kind.form)
        self.offered: Unsaved | None = None
        """The offered work; None if the copy could not be read."""
        self._opening = False
        self._old_error: SpecError | None = None
        self.text, self.detail = (QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True) for _ in range(2))
        with_role(self.text, "title")
        self.recover, self.discard = QPushButton("Recover"), QPushButton("Discard")
        self.recover.setToolTip("Open the recovered work; its file does not change until you save")
        self.recover.clicked.connect(self._on_recover_clicked)
        self.discard.clicked.connect(self._on_discard_clicked)
        # The second click of a double click must not discard the next copy too.
        self.pause = timer(self, QApplication.doubleClickInterval(), single_shot=True)
        self.pause.timeout.connect(partial(self._enable, True))
        words = column(self.text, self.detail, spacing=1)
        buttons = ((button, 0, Qt.AlignmentFlag.AlignVCenter) for button in (self.recover, self.discard))
        row((words, 1), *buttons, of=self, margins=(12, 7, 10, 7), spacing=8)
        session.changed.connect(self._on_session_changed)
        self._offer()

    def release(self) -> None:
        """Keep unanswered copies for the next start."""
        for copy in self._left:
            copy.release()
        self._left.clear()
        self.pause.stop()
        self.hide()

    def _offer(self) -> None:
        self._opening, self.offered = False, None
        if not self._left:
            self.hide()
            return
        try:
            self.offered = self._left[0].read()
        except (SpecError, OSError) as error:
            self._show_broken(self._left[0], error)
        else:
            self._show_found(self.offered)
        self.recover.setVisible(self.offered is not None)
        self._enable(True)

    def _show_found(self, unsaved: Unsaved) -> None:
        more = f" · {plural(len(self._left) - 1, 'more copy')}" if len(self._left) > 1 else ""
        on = f" on {unsaved.path.name}" if unsaved.path is not None else ""
        self.text.setText(
            f"Fabriscope closed unexpectedly. Unsaved work{on} from {clock(unsaved.time, datetime.now())}"
            " can be recovered."
        )
        self.detail.setText(f"{self._words_of(unsaved.work)}{more}")
        self.discard.setText("Discard")
        self.discard.setToolTip("Delete this copy of the unsaved work permanently")

    def _show_broken(self, copy: SafetyCopy, error: Exception) -> None:
        try:
            where = f"It was renamed to {copy.set_aside()}."
        except OSError:
            where = f"It is in {copy.file}."
        self.text.setText("Fabriscope closed unexpectedly, and a copy of unsaved work cannot be read.")
        reason = error.message if isinstance(error, SpecError) and error.field == FILE else str(error)
        reason = f"It {reason}" if reason.startswith("is ") else reason
        self.detail.setText(f"{reason}. {where}")
        self.discard.setText("Close")
        self.discard.setToolTip("")

    def _on_recover_clicked(self) -> None:
        unsaved = self.offered
        if unsaved is not None and self._may_lose():
            self._opening, self._old_error = True, self._session.state.error
            self._enable(False)
            self._open(unsaved)

    def _words_of(self, work: Any) -> str:
        """Return a one-line description of the work."""
        searched = any(snapshot.name == BEST for snapshot in work.snapshots)
        return scenario_text(work) + (f" · with the snapshot {BEST}" if searched else "")

    def _open(self, unsaved: Unsaved) -> None:
        """Open the work as unsaved; `_on_session_changed` notices when it is open."""
        self._session.open(unsaved.work, unsaved.path, unsaved=True)

    def _shown(self) -> Any:
        """Return the work on screen."""
        return self._session.state.wanted

    def _on_discard_clicked(self) -> None:
        copy = self._left.pop(0)
        try:
            if self.offered is not None:
                copy.remove()
        except OSError as error:
            self._session.report_error(SpecError(FILE, f"{copy.file} cannot be deleted: {error.strerror or error}"))
        copy.release()
        self._offer()
        if self._left:
            self._enable(False)
            self.pause.start()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if not self._opening or self.offered is None:
            return
        state = self._session.state
        if self._shown() == self.offered.work:
            # The session takes over this copy, so the work is always on disk.
            self._autosave.adopt(self._left.pop(0), self.offered.work)
            if self.offered.path is not None:
                self._disk.note_older(self.offered.path, self.offered.time)
            self._offer()
        elif ChangeSet.LOADS in changes or state.error not in (None, self._old_error):
            # Refused, or something else was opened meanwhile: the offer remains.
            self._opening = False
            self._enable(True)

    def _enable(self, enabled: bool) -> None:
        for button in (self.recover, self.discard):
            button.setEnabled(enabled)


class TourRecoveryBanner(RecoveryBanner):
    """Offers to recover tours."""

    def _words_of(self, work: Tour) -> str:
        return f"Tour {work.title}, {plural(len(work.scenes), 'scene')}"

    def _open(self, unsaved: Unsaved) -> None:
        self._session.tours.open(unsaved.work, unsaved.path, saved=None)

    def _shown(self) -> Tour | None:
        return self._session.state.tour.tour


def clock(then: datetime, now: datetime) -> str:
    """Return ``14:32`` for today, or ``3 May, 14:32``, or ``3 May 2025, 14:32``."""
    time = f"{then:%H:%M}"
    if then.date() == now.date():
        return time
    year = f" {then.year}" if then.year != now.year else ""
    return f"{then.day} {then:%B}{year}, {time}"
