"""About the program: its version, its licence, its platform, and how to cite it."""

import platform
from importlib.metadata import version
from pathlib import Path

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

import app
from app.widgets.labels import label
from app.widgets.layouts import STRETCH, column, row

SUMMARY = "Shows which links of a supercomputer's network limit a parallel job, live as you place its tasks."
LICENSE = "MIT License"
AUTHORS = "The Fabriscope authors"
PACKAGES = {
    "PySide6-Essentials": "PySide6",
    "pyqtgraph": "pyqtgraph",
    "vispy": "vispy",
    "numpy": "NumPy",
    "scipy": "SciPy",
    "numba": "Numba",
    "networkx": "NetworkX",
}
"""Packages whose versions matter in a bug report, with their names as written."""
DOCUMENTS = {"README.md": "README", "CITATION.cff": "Citation file", "LICENSE": "Licence text"}
"""Files of a source tree; installed packages have none of them."""


def versions() -> dict[str, str]:
    """Return the versions of the program, of its packages and of the system."""
    names = {"Fabriscope": app.__version__, "Python": platform.python_version(), "Qt": qVersion()}
    return names | {title: version(name) for name, title in PACKAGES.items()} | {"System": platform.platform()}


def citation() -> str:
    """Return the reference to the program for a list of references."""
    return f"{AUTHORS}. Fabriscope, version {app.__version__}. Computer software."


class AboutWindow(QWidget):
    """The versions as a table, and buttons to copy them or the citation."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("About Fabriscope")
        lines = [f"{name} {number}" for name, number in versions().items()]
        self.text = QLabel("\n".join(lines), textFormat=Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy, self.cite = QPushButton("Copy versions"), QPushButton("Copy citation")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.text()))
        self.cite.clicked.connect(lambda: QGuiApplication.clipboard().setText(citation()))
        summary = QLabel(f"{SUMMARY}\n\n{LICENSE}. To cite: {citation()}", wordWrap=True)
        self.links = _links()
        parts = (label("title", "Fabriscope"), summary, self.links, self.text, STRETCH)
        column(*parts, row(STRETCH, self.copy, self.cite), of=self, margins=(18, 16, 18, 14), spacing=10)
        self.resize(32 * self.fontMetrics().height(), self.sizeHint().height())


def _links() -> QLabel:
    folder = Path(app.__file__).parents[1]
    files = [(folder / name, title) for name, title in DOCUMENTS.items()]
    links = [f'<a href="{path.as_uri()}">{title}</a>' for path, title in files if path.is_file()]
    return QLabel(" · ".join(links), openExternalLinks=True)
