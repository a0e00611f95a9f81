"""The commands of tours and of the stage."""

from app.actions.spec import ActionSpec
from app.model.state import State


def _open(state: State) -> bool:
    return state.tour.tour is not None


def _at_scene(state: State) -> bool:
    return state.tour.tour is not None and state.tour.scene is not None


def _named(verb: str, name: str) -> str:
    return f"{verb} {name[:1].lower()}{name[1:]}".rstrip()


TOURING = (
    ActionSpec("view.present", "Present", "Tour", lambda c: c.shell.present(full=True), "F11",
               tip="full screen, type for the last row: the scenes of the tour, or what is on screen"),
    ActionSpec("view.present-window", "Present beside the desk", "Tour", lambda c: c.shell.present(full=False),
               "Shift+F11", tip="the stage in a window of its own; the desk shows notes, next scene and clock"),
    ActionSpec("tour.open", "Open tour …", "Tour", lambda c: c.tours.ask_open(), "Ctrl+Shift+O", apart=True),
    ActionSpec("tour.save", "Save tour", "Tour", lambda c: c.tours.save(), "", _open),
    ActionSpec("tour.save-as", "Save tour as …", "Tour", lambda c: c.tours.ask_save(), "", _open),
    ActionSpec("tour.close", "Close tour", "Tour", lambda c: c.tours.close(), "", _open),
    ActionSpec("tour.add", "Add scene", "Tour", lambda c: c.tours.add(), "Ctrl+Shift+F11", apart=True,
               tip="takes the desk as it is: scenario, views, camera, selection, colours, step"),
    ActionSpec("tour.update", "Update scene from the desk", "Tour", lambda c: c.tours.update(), "", _at_scene,
               tip="the scene on screen takes the desk as it is now; its words stay"),
    ActionSpec("tour.delete", "Delete scene", "Tour", lambda c: c.tours.delete(), "", _at_scene),
    ActionSpec("tour.undo", "Undo in the tour", "Tour", lambda c: c.tours.undo(), "Ctrl+Alt+Z",
               lambda s: bool(s.tour.tour_undo), text=lambda s: _named("Undo", s.tour.tour_undo or "in the tour")),
    ActionSpec("tour.redo", "Redo in the tour", "Tour", lambda c: c.tours.redo(), "Ctrl+Alt+Y",
               lambda s: bool(s.tour.tour_redo), text=lambda s: _named("Redo", s.tour.tour_redo or "in the tour")),
    ActionSpec("tour.next", "Next scene", "Tour", lambda c: c.tours.step(1), "Ctrl+PgDown", _open, apart=True),
    ActionSpec("tour.previous", "Scene before", "Tour", lambda c: c.tours.step(-1), "Ctrl+PgUp", _open),
    ActionSpec("film.tour", "Tour as film …", "Tour", lambda c: c.shell.open("film-tour"), "", _open, apart=True,
               tip="MP4 or GIF, made beside the window"),
    ActionSpec("film.document", "Tour as PDF …", "Tour", lambda c: c.shell.open("document"), "", _open,
               tip="one scene a page"),
)  # fmt: skip
