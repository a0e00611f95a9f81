"""Files dragged over a window: it highlights the places where they can be dropped, and uses them as the place says."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from app.actions.exchange import AMBIGUOUS, COUNTERS
from app.background.latest_wins import Runner
from app.session.session import Session
from app.window.drop_overlay import DropOverlay
from core.spec import Progress, SpecError

LABELS = {
    "network": "Use as network",
    "job": "Use as trace",
    "mapping": "Use as mapping",
    "routing": "Use as routing",
    "counters": "Use as counters",
    "scenario": "Open scenario",
    "tour": "Open tour",
    "study": "Open study",
    "background": "Add as background job",
}
"""Label of each place where files can be dropped."""
NOT_READ = "Fabriscope cannot read this file"
EDGE_PX = 7
"""Distance of the frame around the entire window from its edges."""
READ = "Supported: networks, traces, mappings, forwarding tables, counters, scenarios, tours and studies."


class Take(Protocol):
    """Takes files dropped at a place of `LABELS`; at None their kind is recognised."""

    def __call__(self, paths: Sequence[Path], place: str | None, /) -> object:
        """Take them."""


class DraggedFiles(NamedTuple):
    """Where dragged files can be dropped, judged by their names and first bytes."""

    places: tuple[str, ...]
    """The places where they can be dropped."""
    refusal: str = ""
    """Why they cannot be dropped, and which files can."""


class FileDrops(QObject):
    """Accepts local files from the desktop; other drags are passed on to the window.

    `parts` are the parts of the window for each place, of which the first visible one is highlighted; for a place
    without parts, the entire window is.
    """

    def __init__(self, window: QWidget, session: Session, take: Take, parts: Mapping[str, Sequence[QWidget]]) -> None:
        super().__init__(window)
        self._window, self._session, self._take, self._parts = window, session, take, parts
        self.overlay = DropOverlay(window)
        self._runner = Runner("dragged files", self._on_examined, sync=session.sync, parent=self)
        self._pointer = QPoint()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept files while dragged, show where they can be dropped, and take them when dropped."""
        if event.type() == QEvent.Type.DragLeave:
            self._end()
        elif isinstance(event, QDropEvent) and (paths := _paths(event.mimeData())):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self._pointer = event.position().toPoint()
            if isinstance(event, QDragEnterEvent):
                self._runner.request(lambda progress: examined(paths, progress))
            self.overlay.follow(self._pointer)
            if not isinstance(event, QDragMoveEvent):
                place = self.overlay.near or None
                self._end()
                self._take(paths, place)
            return True
        return super().eventFilter(watched, event)

    def _end(self) -> None:
        self._runner.cancel()
        self.overlay.show_nothing()

    def _on_examined(self, files: DraggedFiles) -> None:
        theme = self._session.state.style.theme
        if files.refusal:
            self.overlay.show_refusal(files.refusal, theme)
        else:
            self.overlay.show_places({place: self._area(place) for place in files.places}, LABELS, theme)
            self.overlay.follow(self._pointer)

    def _area(self, place: str) -> QRect:
        window = self._window
        for part in self._parts.get(place, ()):
            seen = part.visibleRegion().boundingRect()
            if not seen.isEmpty():
                return QRect(part.mapTo(window, seen.topLeft()), seen.size())
        return window.rect().adjusted(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX)


def examined(paths: Sequence[Path], progress: Progress) -> DraggedFiles:
    """Return where files can be dropped, by their names and first bytes."""
    from core.files.recognise import SCENARIO, AmbiguousFile, choices_of, may_count  # loads all readers
    from core.files.regular import regular

    try:
        files = choices_of(map(regular, paths))
    except AmbiguousFile:
        return DraggedFiles(AMBIGUOUS)
    except SpecError as error:
        return DraggedFiles((), f"{NOT_READ}\n{error.message}.\n{READ}")
    places = tuple(files)
    if places == (SCENARIO,):
        return DraggedFiles((*places, "background"))
    return DraggedFiles((*places, COUNTERS) if places == ("job",) and may_count(files["job"][0]) else places)


def _paths(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
