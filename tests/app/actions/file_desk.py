"""What files need of a window, without the views, and with a user who answers questions."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox, QPushButton

from app.actions.file_commands import FileCommands
from app.actions.tour_commands import TourCommands
from app.window.status_bar import StatusLine


class FileDesk(QMainWindow):
    """The file commands of a window with its status line, without the views."""

    def __init__(self, session, settings):
        super().__init__()
        self.session = session
        self.files = FileCommands(session, settings, self, lambda view: (view,))
        self.tours = TourCommands(self.files, lambda folder: None)
        self.studies = []
        self.files.open_study = self.studies.append
        self.setStatusBar(StatusLine(session, self))

    def cancel(self):
        button = next(child for child in self.statusBar().findChildren(QPushButton) if child.text() == "Cancel")
        assert button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def answer(name, asked=None):
    """Press a button of the next question, by its name without the mnemonic; record the question in `asked`."""

    def press():
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        if asked is not None:
            asked.append(box)
        names = {button.text().replace("&", ""): button for button in box.buttons()}
        if name in names:
            QTest.mouseClick(names[name], Qt.MouseButton.LeftButton)
        else:
            QTest.keyClick(box, Qt.Key.Key_Escape)
        assert name in names or name == "", names

    QTimer.singleShot(0, press)
