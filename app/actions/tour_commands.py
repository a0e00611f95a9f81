"""The commands of tours: open, save, and edit scenes; each change of a tour can be undone."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
from PySide6.QtWidgets import QFileDialog

from app.actions.file_commands import FileCommands
from app.actions.save_questions import Button, ChangedAnswer, ask_changed, ask_unsaved
from app.model.scenes import Scene, Tour
from app.model.state import FILE
from app.session.evaluation import unopened
from app.storage.tours import SUFFIX, tour_content
from app.tour.tour_file import decode_tour, write_tour
from core.files.regular import regular
from core.files.scenario_file import content_of
from core.spec import SpecError

Number = Callable[["TourCommands", int], object]


class SceneCommand(NamedTuple):
    """A command for a scene: for the current scene in the Tour menu, for any scene in its context menu."""

    id: str
    title: str
    run: Number
    """Runs the command for the scene with the given number."""
    enabled: Callable[[int, int], bool] = lambda number, scenes: True
    """Whether the command is enabled for a scene, by its number and the number of scenes."""
    shortcut: str = ""
    tip: str = ""


SCENE_COMMANDS = (
    SceneCommand("tour.edit", "Edit scene …", lambda c, number: c.edit(number), shortcut="Ctrl+Shift+E",
                 tip="Title, ID, caption, notes and claims of the scene, and the title of the tour"),
    SceneCommand("tour.duplicate", "Duplicate scene", lambda c, number: c.duplicate(number)),
    SceneCommand("tour.left", "Move scene left", lambda c, number: c.move(number, -1), lambda number, _: number > 0),
    SceneCommand("tour.right", "Move scene right", lambda c, number: c.move(number, 1),
                 lambda number, scenes: number < scenes - 1),
    SceneCommand("tour.delete", "Delete scene", lambda c, number: c.delete(number), lambda _, scenes: scenes > 1),
    SceneCommand("tour.present", "Present from here", lambda c, number: c.present_from(number),
                 tip="Full screen, starting with this scene"),
)  # fmt: skip

TOURS = f"Tours (*{SUFFIX});;All files (*)"


class TourCommands:
    """Commands of one window that concern tours.

    `desk` returns the state on screen as a scene, for a tour in a folder.
    """

    def __init__(self, files: FileCommands, desk: Callable[[Path | None], Scene]) -> None:
        self.session, self._files, self._desk = files.session, files, desk
        files.open_tour = self.open
        self.commit_words: Callable[[], None] = lambda: None
        """Applies text just typed into the fields of the scene, before a command reads the tour."""
        self.edit: Callable[[int], None] = lambda number: None
        """Shows a scene in the editor of the tour."""
        self.present_from: Callable[[int], None] = lambda number: None
        """Presents the tour, starting with a scene."""

    def ask_open(self) -> None:
        """Ask for a tour file and open it."""
        name, _ = QFileDialog.getOpenFileName(self._files.parent, "Open tour", self._files.folder, TOURS)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Open a tour file; an invalid one shows one line and changes nothing."""
        self._read(path, self._take)

    def _read(self, path: Path, then: Callable[[Path, Tour, bytes], None]) -> None:
        """Read a tour file, and pass the tour and the file's content to `then`; an error is shown."""

        def read() -> tuple[Tour, bytes]:
            content = content_of(regular(path))
            return decode_tour(content, path.parent), content

        self.session.evaluator.read(
            path.name,
            read,
            lambda result: then(path, *result),
            lambda error: self.session.report_error(unopened(path, error)),
        )

    def _take(self, path: Path, tour: Tour, content: bytes) -> None:
        before = self._files.disk.noted(path)
        if not self._may_replace():
            return
        if self._files.disk.noted(path) != before:  # the changes were saved to this very file
            self._read(path, self._show)
        else:
            self._show(path, tour, content)

    def _show(self, path: Path, tour: Tour, content: bytes) -> None:
        self.session.clear_transient_error()
        self._open(tour, path)
        self._files.disk.note(path, content)
        self._files.remember(path)

    def open_shipped(self, name: str) -> None:
        """Open a tour that comes with the program."""
        if self._may_replace():
            self._open(decode_tour(tour_content(name)), None)

    def _may_replace(self) -> bool:
        """Return whether scenario and tour may be replaced: nothing is unsaved, or the user saved or discarded it."""
        return self._files.may_lose_changes() and self.may_lose_changes()

    def _open(self, tour: Tour, path: Path | None) -> None:
        self.session.editing.give_up()
        self.session.tours.open(tour, path, saved=tour)
        self.session.presentation.go(0)

    def close(self) -> None:
        """Close the tour."""
        if self.may_lose_changes():
            self.session.tours.close()

    def save(self) -> bool:
        """Save to the tour's file, or ask for one if it has none; return whether it was saved."""
        self.commit_words()
        path = self.session.state.tour.tour_path
        return self._save_to(path) if path is not None else self.ask_save()

    def ask_save(self) -> bool:
        """Ask for a file and save there; return whether it was saved."""
        self.commit_words()
        path = self._files.ask_path("Save tour", TOURS, SUFFIX)
        return path is not None and self._save_to(path)

    def _save_to(self, path: Path) -> bool:
        tour = self.session.state.tour.tour
        if tour is None:
            return False
        disk = self._files.disk
        if disk.changed(path):
            answer = ask_changed(self._files.parent, path.name, None)
            if answer is ChangedAnswer.SAVE_AS:
                return self.ask_save()
            if answer is ChangedAnswer.RELOAD:
                self._read(path, self._show)
            if answer is not ChangedAnswer.OVERWRITE:
                return False
        if not self._files.written(path, lambda: disk.note(path, write_tour(path, tour))):
            return False
        self.session.tours.saved(path)
        self._files.remember(path)
        return True

    def may_lose_changes(self) -> bool:
        """Return whether the tour may be closed: nothing is unsaved, or the user saved or discarded it."""
        self.commit_words()
        if not self.session.state.tour_dirty:
            return True
        reply = self.ask_about_changes()
        return self.save() if reply == Button.Save else reply == Button.Discard

    def ask_about_changes(self) -> Button:
        """Ask what to do with unsaved changes of the tour."""
        text = "Save the changes to the tour?\n\nIf you discard them, they are lost for good."
        return ask_unsaved(self._files.parent, text)

    def add(self) -> None:
        """Add the state on screen as a new scene after the current one, in a new tour if no tour is open."""
        self.commit_words()
        scene, tour, at = self._taken(), self._tour, self._at
        if scene is None:
            return
        if tour is None:
            self.session.tours.open(Tour(1, "Tour", (scene,)), None, saved=None)
            self.session.tours.mark_shown(0)
            return
        self.session.tours.insert(len(tour.scenes) if at is None else at + 1, scene)

    def update(self) -> None:
        """Replace the current scene with the state on screen, except for its texts."""
        self.commit_words()
        scene, tour, at = self._taken(), self._tour, self._at
        if scene is None or tour is None or at is None:
            return
        old = tour.scenes[at]
        words = {name: getattr(old, name) for name in ("title", "text", "notes", "id", "claims", "minutes", "editing")}
        self.session.tours.replace(at, msgspec.structs.replace(scene, **words), f"Update scene {at + 1}")

    def duplicate(self, number: int) -> None:
        """Insert a copy of a scene after it."""
        self.commit_words()
        self.session.presentation.duplicate(number)

    def move(self, number: int, by: int) -> None:
        """Move a scene by `by` places."""
        self.commit_words()
        self.session.tours.move(number, number + by)

    def delete(self, number: int) -> None:
        """Delete a scene."""
        self.commit_words()
        self.session.presentation.delete({number})

    def undo(self) -> None:
        """Undo the last change of the tour."""
        self.commit_words()
        self.session.tours.undo()

    def redo(self) -> None:
        """Redo the last undone change."""
        self.session.tours.redo()

    def step(self, by: int) -> None:
        """Show the next scene on the desk, or the previous one."""
        self.commit_words()
        self.session.presentation.step(by)

    @property
    def _tour(self) -> Tour | None:
        return self.session.state.tour.tour

    @property
    def _at(self) -> int | None:
        return self.session.state.tour.scene

    def _taken(self) -> Scene | None:
        path = self.session.state.tour.tour_path
        try:
            return self._desk(path.parent if path is not None else None)
        except SpecError as error:
            self.session.report_error(SpecError(FILE, f"this state cannot be a scene: {error.message}"))
            return None
