"""Files dropped on the window, wherever its widgets are; texts and web pages are not accepted."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from app.window.file_drops import FileDrops

COPY, LEFT, NO_KEYS = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def dropped(qtbot):
    taken, window = [], QMainWindow()
    qtbot.addWidget(window)
    FileDrops(window, taken.append)

    def drop(urls):
        data = QMimeData()
        data.setUrls([QUrl(url) for url in urls])
        enter = QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NO_KEYS)
        enter.ignore()
        QApplication.sendEvent(window, enter)
        event = QDropEvent(QPoint(5, 5), COPY, data, LEFT, NO_KEYS)
        event.ignore()
        QApplication.sendEvent(window, event)
        return enter.isAccepted(), event.isAccepted(), taken

    return drop


def test_files_are_taken(dropped):
    assert dropped(["file:///tmp/a%20b.txt", "https://host/c.txt", "file:///d"]) == (
        True, True, [[Path("/tmp/a b.txt"), Path("/d")]],
    )  # fmt: skip


def test_what_is_no_file_is_left_alone(dropped):
    assert dropped(["https://host/c.txt"]) == (False, False, [])
