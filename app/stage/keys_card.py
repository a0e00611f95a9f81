"""The keys of the stage, shown on request."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.labels import with_role
from app.wording import keys

KEYS = (
    ("→  ↓  Page Down", "next scene"),
    ("←  ↑  Page Up", "scene before"),
    ("Home  End", "first, last scene"),
    (keys.PLAY, "play the steps, or pause"),
    (f"{keys.STEP_BACK}  {keys.STEP_ON}", "one step back, on"),
    ("V  B  D  X", "select, paint, drag, swap"),
    (f"{keys.OPTIMISE}  {keys.STOP_SEARCH}", "search for a better mapping, stop"),
    (keys.UNDO, "undo"),
    ("Backspace", "this scene again, as it was"),
    (keys.FIT, "the whole machine"),
    ("H", "these keys"),
    (keys.ESCAPE, "back to the desk"),
)


class KeysCard(QLabel):
    """A list of keys in the middle of the stage; hidden until requested."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        with_role(self, "keys")
        self.setTextFormat(Qt.TextFormat.RichText)
        rows = "".join(f"<tr><td><b>{key}</b>&nbsp;&nbsp;&nbsp;</td><td>{does}</td></tr>" for key, does in KEYS)
        self.setText(f"<table cellspacing='4'>{rows}</table>")
        self.setAccessibleName("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def toggle(self) -> None:
        """Show it, or hide it again."""
        if self.isHidden():
            self.adjustSize()
            self.place()
            self.raise_()
        self.setVisible(self.isHidden())

    def place(self) -> None:
        """Move to the middle of the stage."""
        stage = self.parentWidget()
        if stage is not None:
            self.move(stage.rect().center() - self.rect().center())
