"""The keys of the stage, for its shortcuts, the card that lists them, and the reference."""

from typing import NamedTuple

from app.wording import keys


class StageKey(NamedTuple):
    """A function of the stage."""

    name: str
    """Name of the function; empty for a command of the window that also works on the stage."""
    sequences: str
    """Its shortcuts, in Qt's notation, separated by semicolons."""
    shown: str
    """The shortcuts as written for people."""
    does: str
    """The effect, as a noun phrase or verb, without a full stop."""
    edits: bool = False
    """Whether it works only in scenes that allow editing."""

    @property
    def meaning(self) -> str:
        """Return the effect, and where it applies."""
        return f"{self.does}, if the scene allows editing" if self.edits else self.does


STAGE_KEYS = (
    StageKey("next", "Space; Right; Down; PgDown", "Space, →, ↓, Page Down", "next scene"),
    StageKey("previous", "Backspace; Shift+Space; Left; Up; PgUp", "Backspace, ←, ↑, Page Up", "previous scene"),
    StageKey("first", "Home", "Home", "first scene"),
    StageKey("last", "End", "End", "last scene"),
    StageKey("number", "", "Number, Enter", "scene with that number"),
    StageKey("black", "B; .", "B or .", "black screen; any key returns"),
    StageKey("white", "W; ,", "W or ,", "white screen; any key returns"),
    StageKey("spotlight", "L; Ctrl+L", "L", "spotlight; the wheel sets its size"),
    StageKey("again", "Ctrl+Backspace", "Ctrl+Backspace", "reset this scene"),
    StageKey("", keys.PLAY, keys.PLAY, "play or pause the steps"),
    StageKey("", "", f"{keys.STEP_BACK}, {keys.STEP_ON}", "previous step, next step"),
    StageKey("", keys.UNDO, keys.UNDO, "undo"),
    StageKey("", "", "V, Shift+B, D, X", "select, paint, drag, swap", edits=True),
    StageKey("", "", f"{keys.OPTIMISE}, {keys.STOP_SEARCH}", "start or stop a search for a better mapping", edits=True),
    StageKey("", "", keys.FIT, "show the whole machine", edits=True),
    StageKey("keys", "H", "H", "show these keys"),
    StageKey("escape", keys.ESCAPE, keys.ESCAPE, "cancel, or return to the main window"),
)
