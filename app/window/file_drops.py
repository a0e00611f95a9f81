"""Files dropped on a window."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class FileDrops(QObject):
    """Accepts local files from the desktop; other drags are passed on to the window."""

    def __init__(self, window: QWidget, take: Callable[[Sequence[Path]], None]) -> None:
        super().__init__(window)
        self._take = take
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept files while dragged, and take them when dropped."""
        if isinstance(event, QDragEnterEvent | QDropEvent) and (paths := _paths(event.mimeData())):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                self._take(paths)
            return True
        return super().eventFilter(watched, event)


def _paths(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
