"""The File commands: opening, saving and exporting."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow

from app.actions.exchange import Exchange
from app.actions.save_questions import (
    Button,
    ChangedAnswer,
    InvalidAnswer,
    ask_changed,
    ask_invalid,
    ask_replace,
    ask_unsaved,
)
from app.model.state import FILE
from app.session.evaluation import unopened
from app.session.session import Session
from app.storage.disk_watch import DiskWatch
from app.storage.pictures import KINDS, PICTURES, Paint, picture_content, save_picture
from app.storage.presets import preset
from app.storage.routes import routes_folder, with_own_tables
from app.storage.settings import Settings
from app.storage.tours import SUFFIX as TOUR
from app.views.charts.timeline_measured import bands_shown
from app.views.view import View
from app.wording.numbers import throughput_text
from core.files import SUFFIX, decode, write_links, write_scenario, write_steps
from core.files.digest import source_of
from core.files.regular import regular
from core.files.scenario_file import content_of
from core.load.scenario import Scenario
from core.spec import SpecError

SCENARIOS = f"Scenarios (*{SUFFIX});;All files (*)"
MESSAGE_MS = 4000
"""Duration of messages on written files."""
FITTING = "The scenario is still being adapted to the network; save it once it is shown."


class FileCommands:
    """File commands of one window. Errors are shown as one line in it; nothing on screen is lost.

    `pictures` returns the views in the picture of a view, from left to right.
    """

    def __init__(
        self, session: Session, settings: Settings, parent: QMainWindow, pictures: Callable[[View], tuple[View, ...]]
    ) -> None:
        self.session, self.parent, self._settings, self._pictures = session, parent, settings, pictures
        self.exchange = Exchange(self)
        self.disk = DiskWatch()
        """Detects changes that other programs make to the files of this window."""
        self.open_tour: Callable[[Path], None] = lambda path: None
        """Opens a tour file; set by the commands of tours."""
        self.open_study: Callable[[Path], None] = lambda path: None
        """Shows a study file or its results; set by the window."""

    @property
    def recent(self) -> list[Path]:
        """Return the files that were opened or saved last."""
        return self._settings.recent

    def remember(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        self._settings.add_recent(path)

    @property
    def openers(self) -> dict[str, Callable[[Path], None]]:
        """Return the functions that open our own files, by kind as in `core.files.recognise`."""
        from core.files import recognise  # loads all readers

        return {recognise.SCENARIO: self.open, recognise.TOUR: self.open_tour, recognise.STUDY: self.open_study}

    def ask_open(self) -> None:
        """Ask for a scenario file and open it."""
        name, _ = QFileDialog.getOpenFileName(self.parent, "Open scenario", self.folder, SCENARIOS)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Open a scenario file, or a tour; ask about unsaved changes once the file has been read."""
        if path.name.endswith(TOUR):
            self.open_tour(path)
            return
        self._read(path, self._take)

    def _read(self, path: Path, then: Callable[[Path, Scenario, bytes], None]) -> None:
        """Read a scenario file, and pass it and the file's content to `then`; an error is shown."""

        def read() -> tuple[Scenario, bytes]:
            content = content_of(regular(path))
            return decode(content, path.parent), content

        self.session.evaluator.read(
            path.name,
            read,
            lambda result: then(path, *result),
            lambda error: self.session.report_error(unopened(path, error)),
        )

    def _take(self, path: Path, scenario: Scenario, content: bytes) -> None:
        before = self.disk.noted(path)
        if not self.may_lose_changes():
            return
        if self.disk.noted(path) != before:  # the changes were saved to this very file
            self._read(path, self._show)
        else:
            self._show(path, scenario, content)

    def _show(self, path: Path, scenario: Scenario, content: bytes, reference: Scenario | None = None) -> None:
        """Show a scenario that was read from a file; `reference` becomes A."""

        def opened() -> None:
            self.disk.note(path, content)
            self.remember(path)

        self.session.open(scenario, path, reference=reference, then=opened)

    def open_preset(self, name: str) -> None:
        """Open a preset; if it has a snapshot, compare with the snapshot at once."""
        if not self.may_lose_changes():
            return
        scenario = preset(name)
        snapshots = [snapshot.kept for snapshot in scenario.snapshots[:1]]
        self.session.open(scenario, None, reference=next(iter(snapshots), None))

    def save(self) -> bool:
        """Save to the scenario's file, or ask for one if it has none; return whether it was saved."""
        path = self.session.state.file.path
        return self._save_to(path) if path is not None else self.ask_save()

    def ask_save(self) -> bool:
        """Ask for a file and save there; return whether it was saved."""
        path = self.ask_path("Save scenario", SCENARIOS, SUFFIX)
        return path is not None and self._save_to(path)

    def _save_to(self, path: Path) -> bool:
        if self.disk.changed(path):
            answer = ask_changed(self.parent, path.name, self._own)
            if answer is not ChangedAnswer.OVERWRITE:
                return self._settle(answer, path)
        self.session.drop_note()
        scenario = self._scenario_to_save()
        if scenario is None or not self.written(path, lambda: self.disk.note(path, _saved(path, scenario))):
            return False
        self.session.saved(path, scenario)
        self.remember(path)
        return True

    def _settle(self, answer: ChangedAnswer, path: Path) -> bool:
        """Carry out an answer other than to overwrite the file; return whether the scenario was saved elsewhere."""
        if answer is ChangedAnswer.SAVE_AS:
            return self.ask_save()
        if answer is ChangedAnswer.RELOAD:
            self._read(path, partial(self._show, reference=self._on_screen if self._own is not None else None))
        elif answer is ChangedAnswer.COMPARE:
            self._read(path, lambda path, scenario, content: self.session.pin_scenario(scenario))
        return False

    @property
    def _own(self) -> str | None:
        """Return the user's name for the scenario on screen, or None if it only replaces one with an error."""
        state = self.session.state
        if state.file.stand_in is not None:
            return None
        return "your version" if state.refusal is None else "your last valid state"

    @property
    def _on_screen(self) -> Scenario:
        return self.session.noted(self.session.state.evaluation.case.scenario)

    def _scenario_to_save(self) -> Scenario | None:
        """Return the scenario to save; None while it is being adapted, or if the user saves none with an error."""
        state = self.session.state
        if self.session.evaluator.fitting:
            self.session.report_error(SpecError(FILE, FITTING))
            return None
        if state.refusal is None:
            return state.wanted
        valid = throughput_text(state.evaluation.report) if state.file.stand_in is None else None
        answer = ask_invalid(self.parent, state.refusal.message, valid)
        if answer is InvalidAnswer.SAVE_VALID:
            return self._on_screen
        return state.wanted if answer is InvalidAnswer.SAVE_ANYWAY else None

    def ask_links(self) -> None:
        """Ask for a file and write the load of every link."""
        report = self.session.state.evaluation.report
        path = self.ask_path("Export link loads", "CSV (*.csv)", ".csv")
        if path is not None:
            self.written(path, lambda: write_links(path, report))

    def ask_steps(self) -> None:
        """Ask for a file and write the timeline: when each step runs, and the utilisation of each row."""
        bands = bands_shown(self.session.state)
        if bands is None:
            return
        path = self.ask_path("Export timeline", "CSV (*.csv)", ".csv")
        if path is not None:
            self.written(path, lambda: write_steps(path, bands.timeline, more=bands.columns))

    def ask_picture(self, view: View) -> None:
        """Ask for a file and draw a view into it."""
        path = self.ask_path(f"Export {view.title}", PICTURES, *KINDS)
        if path is not None:
            self.save_picture(view, path)

    def save_picture(self, view: View, path: Path) -> None:
        """Draw a view into a file at its size on screen, with A's machine if compared; a PNG has twice the pixels."""
        size, paint = self._picture(view)
        theme = self.session.state.style.theme
        source = source_of(self.session.state.evaluation.case.scenario)
        self.written(path, lambda: save_picture(path, size, theme, paint, scale=2.0, source=source))

    def copy_picture(self, view: View) -> None:
        """Copy the same picture to the clipboard."""
        size, paint = self._picture(view)
        content = picture_content(".png", size, self.session.state.style.theme, paint, scale=2.0)
        QApplication.clipboard().setImage(QImage.fromData(content))

    def _picture(self, view: View) -> tuple[tuple[int, int], Paint]:
        """Return the size of the picture of a view, and the function that draws it."""
        views = self._pictures(view)
        widths = [max(shown.width(), 64) for shown in views]

        def paint(painter: QPainter, area: QRectF) -> None:
            left = area.left()
            for shown, width in zip(views, widths, strict=True):
                shown.paint_to(painter, QRectF(left, area.top(), width, area.height()))
                left += width

        return (sum(widths), max(view.height(), 64)), paint

    def may_lose_changes(self) -> bool:
        """Return whether the scenario may be replaced: nothing is unsaved, or the user saved or discarded it."""
        if not self.session.state.dirty:
            return True
        reply = self.ask_about_changes()
        return self.save() if reply == Button.Save else reply == Button.Discard

    def ask_about_changes(self) -> Button:
        """Ask what to do with unsaved changes."""
        path = self.session.state.file.path
        to = path.name if path is not None else "a file"
        return ask_unsaved(self.parent, f"Save the changes to {to}?\n\nIf you discard them, they are lost for good.")

    def written(self, path: Path, work: Callable[[], object], note: str = "") -> bool:
        """Write a file, show the result with a note, and return whether it succeeded."""
        try:
            work()
        except SpecError as error:
            self.session.report_error(SpecError(FILE, error.message))
            return False
        self.session.clear_transient_error()
        self.say(f"Wrote {path}{note}")
        return True

    def say(self, text: str) -> None:
        """Show a message for a moment."""
        self.parent.statusBar().showMessage(text, MESSAGE_MS)

    def ask_path(self, title: str, kinds: str, *endings: str) -> Path | None:
        """Ask for a file to write; the ending of the chosen kind is added, and replacing a file is confirmed."""
        return self.ask_path_and_kind(title, kinds, *endings)[0]

    def ask_path_and_kind(self, title: str, kinds: str, *endings: str) -> tuple[Path | None, str]:
        """Ask for a file to write, and also return the chosen kind."""
        own_path = self.session.state.file.path
        stem = own_path.name.removesuffix(SUFFIX) if own_path is not None else "untitled"
        proposed = Path(self.folder) / (stem if len(endings) > 1 else stem + endings[0])
        name, kind = QFileDialog.getSaveFileName(self.parent, title, str(proposed), kinds)
        if not name:
            return None, kind
        if name.lower().endswith((*endings, endings[0][endings[0].rindex(".") :])):
            return Path(name), kind
        # The dialog has confirmed the name as typed, without an added ending.
        path = Path(name + next((ending for ending in endings if ending in kind), endings[0]))
        return (path if not path.exists() or self.ask_to_replace(path) else None), kind

    def ask_to_replace(self, path: Path) -> bool:
        """Ask whether an existing file may be replaced."""
        return ask_replace(self.parent, path.name)

    @property
    def folder(self) -> str:
        """Return the initial folder of dialogs."""
        path = self.session.state.file.path
        return str(path.parent if path is not None else Path.cwd())


def _saved(path: Path, scenario: Scenario) -> bytes:
    # Tables that searches made are copied to the scenario's folder; on screen, it still names the originals.
    return write_scenario(path, with_own_tables(scenario, path, routes_folder()))
