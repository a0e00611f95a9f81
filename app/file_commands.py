"""Opening, saving and exporting: what the File menu does."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.evaluation import unopened
from app.export import save_picture
from app.presets import preset
from app.state import FILE
from app.views.view import View
from core.files import SUFFIX, read_scenario, write_links, write_scenario
from core.spec import SpecError

if TYPE_CHECKING:
    from app.window import Window

SCENARIOS = f"Scenarios (*{SUFFIX});;All files (*)"
SHOWN_MS = 4000
"""How long a file that was written is named."""
Answer = QMessageBox.StandardButton


class FileCommands:
    """File commands of one window. Whatever goes wrong is one line in the window; nothing on screen is lost."""

    def __init__(self, window: "Window") -> None:
        self._window = window

    def ask_open(self) -> None:
        """Ask for a scenario file and open it."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open scenario", self._folder(), SCENARIOS)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Open a scenario file."""
        if not self.may_lose_changes():
            return
        try:
            scenario = read_scenario(path)
            self._window.session.open(scenario, path)
            self._window.settings.add_recent(path)
        except SpecError as error:
            self._window.session.refuse(unopened(path, error))

    def open_preset(self, name: str) -> None:
        """Open a scenario that comes with the program."""
        if self.may_lose_changes():
            self._window.session.open(preset(name), None)

    def save(self) -> bool:
        """Save to the file it came from, or ask for one; return whether it was saved."""
        path = self._window.session.state.path
        return self._save_to(path) if path is not None else self.ask_save()

    def ask_save(self) -> bool:
        """Ask for a file and save there; return whether it was saved."""
        name, _ = QFileDialog.getSaveFileName(self._window, "Save scenario", self._folder(), SCENARIOS)
        if not name:
            return False
        return self._save_to(Path(name if name.endswith(".json") else name + SUFFIX))

    def _save_to(self, path: Path) -> bool:
        if not self._written(path, lambda: write_scenario(path, self._window.session.state.wanted)):
            return False
        self._window.session.saved(path)
        self._window.settings.add_recent(path)
        return True

    def ask_links(self) -> None:
        """Ask for a file and write the load of every link."""
        report = self._window.session.state.report
        name, _ = QFileDialog.getSaveFileName(self._window, "Export link loads", self._folder(), "CSV (*.csv)")
        if name and report is not None:
            path = Path(name).with_suffix(".csv")
            self._written(path, lambda: write_links(path, report))

    def ask_picture(self, view: View) -> None:
        """Ask for a file and draw a view into it."""
        kinds = "PNG picture (*.png);;SVG drawing (*.svg)"
        name, kind = QFileDialog.getSaveFileName(self._window, f"Export {view.title}", self._folder(), kinds)
        if name:
            ending = ".svg" if "svg" in kind else ".png"
            self.save_picture(view, Path(name if Path(name).suffix else name + ending))

    def save_picture(self, view: View, path: Path) -> None:
        """Draw a view into a file, at its size on screen (PNG: twice the pixels)."""
        size = max(view.width(), 64), max(view.height(), 64)
        theme = self._window.session.state.theme
        self._written(path, lambda: save_picture(path, size, theme, view.paint_to, scale=2.0))

    def may_lose_changes(self) -> bool:
        """Return whether the scenario may go: nothing is unsaved, or the user saved it or let it go."""
        if not self._window.session.state.dirty:
            return True
        answer = self.ask_about_changes()
        return self.save() if answer == Answer.Save else answer == Answer.Discard

    def ask_about_changes(self) -> Answer:
        """Ask what to do with unsaved changes."""
        buttons = Answer.Save | Answer.Discard | Answer.Cancel
        text = "Save the changes to this scenario?"
        return QMessageBox.question(self._window, "Unsaved changes", text, buttons, Answer.Save)

    def _written(self, path: Path, work: Callable[[], None]) -> bool:
        """Write a file, tell how it went, and return whether it went well."""
        try:
            work()
        except SpecError as error:
            self._window.session.refuse(SpecError(FILE, error.message))
            return False
        self._window.session.forgive()
        self._window.statusBar().showMessage(f"Wrote {path}", SHOWN_MS)
        return True

    def _folder(self) -> str:
        path = self._window.session.state.path
        return str(path.parent if path is not None else Path.cwd())
