"""Films and documents, made by a child process, which reads its subject from standard input."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QProcessEnvironment, Qt, QTimer
from PySide6.QtWidgets import QProgressDialog, QWidget

import app
from app.model.state import FILE
from app.session.session import Session
from app.tour.tour_file import WITH_ERRORS
from core.spec import SpecError

ROOT = Path(app.__file__).resolve().parent.parent
"""The folder from which the program is imported."""
FORMS = {
    "MP4 video, 1080p (*.mp4)": "1080p",
    "MP4 video, 720p (*.mp4)": "720p",
    "Animated GIF, 720p (*.gif)": "720p",
}
"""File kinds of the dialog, with the size of pictures of each."""
TIDY_MS = 5000
"""Time limit for the process to clean up after it was cancelled."""


class FilmExport(QObject):
    """One running export; it deletes itself when it is done or cancelled.

    `arguments` are the arguments of the command line, which reads `content` from standard input in `folder`.
    """

    def __init__(
        self,
        session: Session,
        arguments: list[str],
        content: bytes,
        folder: Path | None,
        path: Path,
        done: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session, self._path, self._done, self._cancelled = session, path, done, False
        self.dialog = QProgressDialog(f"Exporting {path.name} …", "Cancel", 0, 100, parent)
        self.dialog.setWindowTitle(f"Export {path.name}")
        self.dialog.setWindowModality(Qt.WindowModality.NonModal)
        self.dialog.setMinimumDuration(0)
        self.dialog.setAutoReset(False)
        self.dialog.setAutoClose(False)
        self.dialog.canceled.connect(self._on_dialog_canceled)
        self.dialog.show()
        self._errors: list[str] = []
        """Lines on standard error, apart from progress."""
        self.process = QProcess(self)
        self.process.setReadChannel(QProcess.ProcessChannel.StandardError)
        self.process.setProcessEnvironment(_environment())
        if folder is not None:
            self.process.setWorkingDirectory(str(folder))
        self.process.readyReadStandardError.connect(self._on_progressed)
        self.process.finished.connect(self._on_finished)
        self.process.errorOccurred.connect(self._on_failed)
        program, *first = command()
        application = QCoreApplication.instance()
        assert application is not None
        application.aboutToQuit.connect(self.close)
        self.process.start(program, [*first, *arguments, "--out", str(path.absolute()), "--theme", self._theme])
        self.process.write(content)
        self.process.closeWriteChannel()

    @property
    def _theme(self) -> str:
        return self._session.state.style.theme.name

    def _on_progressed(self) -> None:
        while self.process.canReadLine():
            line = bytes(self.process.readLine().data()).decode(errors="replace").strip()
            if not line.startswith("{"):
                self._errors.append(line)
            elif not self._cancelled:
                self._show(json.loads(line))

    def _show(self, progress: dict[str, Any]) -> None:
        self.dialog.setLabelText(f"Exporting {self._path.name}: {progress['stage']} …")
        self.dialog.setValue(round(100 * progress.get("done", 0)))

    def close(self) -> None:
        """Cancel, and wait until the process has ended, because the program is closing."""
        self._on_dialog_canceled()
        self.process.waitForFinished(TIDY_MS)

    def _on_dialog_canceled(self) -> None:
        self._cancelled = True
        self.dialog.hide()
        # The process cleans up on SIGTERM; on Windows, which has no such signal, it is killed.
        self.process.terminate()
        QTimer.singleShot(TIDY_MS, self.process, self.process.kill)

    def _on_failed(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._end("", f"cannot export {self._path.name}: {self.process.errorString()}")

    def _on_finished(self, status: int) -> None:
        self._on_progressed()
        written = b"written: " in bytes(self.process.readAllStandardOutput().data())
        if self._cancelled:
            self._end("")
        elif status == WITH_ERRORS and written:
            self._end(f"Wrote {self._path}, but some captions or claims fail; fabriscope tour lists them")
        elif status == 0 or written:
            self._end(f"Wrote {self._path}")
        else:
            failed = f"cannot export {self._path.name}"
            self._end("", self._errors[-1].removeprefix("fabriscope: ") if self._errors else failed)

    def _end(self, message: str, trouble: str = "") -> None:
        self.dialog.close()
        self.dialog.deleteLater()
        self.deleteLater()
        if trouble:
            self._session.report_error(SpecError(FILE, trouble))
        self._done(message)


def command() -> list[str]:
    """Return the command that runs this program without a window."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "app.fabriscope"]


def _environment() -> QProcessEnvironment:
    variables = QProcessEnvironment.systemEnvironment()
    variables.insert("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), variables.value("PYTHONPATH")])))
    variables.remove("DISPLAY")
    variables.remove("WAYLAND_DISPLAY")
    return variables
