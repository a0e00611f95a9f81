"""Cards over the stage: its keys, on request, and the number of a scene while it is typed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.labels import with_role
from app.wording.stage_keys import STAGE_KEYS

MAX_DIGITS = 4
BOTTOM = 0.12
"""Distance of the number from the bottom of the stage, in heights of the stage."""


class KeysCard(QLabel):
    """A list of keys in the middle of the stage; hidden until requested."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        with_role(self, "keys")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAccessibleName("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def toggle(self, *, edits: bool) -> None:
        """Show it, or hide it again; `edits`: whether the scene allows editing."""
        if self.isHidden():
            rows = (
                f"<tr><td><b>{key.shown}</b>&nbsp;&nbsp;&nbsp;</td><td>{key.does}</td></tr>"
                for key in STAGE_KEYS
                if edits or not key.edits
            )
            self.setText(f"<table cellspacing='2'>{''.join(rows)}</table>")
            self.adjustSize()
            self.place()
            self.raise_()
        self.setVisible(self.isHidden())

    def place(self) -> None:
        """Move to the middle of the stage."""
        stage = self.parentWidget()
        if stage is not None:
            self.move(stage.rect().center() - self.rect().center())


class NumberEntry(QLabel):
    """Shows the digits typed so far; hidden while there are none."""

    entered = Signal(int)
    """The index, from 0 on, of an existing scene."""

    def __init__(self, stage: QWidget) -> None:
        super().__init__(stage)
        with_role(self, "keys")
        self._digits, self._scenes = "", 0
        self.setAccessibleName("Scene number")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def add(self, digit: str, scenes: int) -> None:
        """Append a digit to the number of a scene; `scenes`: the number of scenes of the tour."""
        self._digits, self._scenes = (self._digits + digit)[-MAX_DIGITS:], scenes
        self._show(f"Scene {self._digits} of {scenes:,}")

    def enter(self) -> None:
        """Go to the scene, or report that it does not exist."""
        if not self._digits:
            return
        number = int(self._digits)
        self._digits = ""
        if 1 <= number <= self._scenes:
            self.hide()
            self.entered.emit(number - 1)
        else:
            self._show(f"No scene {number:,} (1 to {self._scenes:,})")

    def cancel(self) -> bool:
        """Discard the digits; return whether anything was shown."""
        shown = not self.isHidden()
        self._digits = ""
        self.hide()
        return shown

    def place(self) -> None:
        """Move to the middle of the lower edge of the stage."""
        stage = self.parentWidget()
        if stage is not None:
            bottom = round(stage.height() * (1 - BOTTOM))
            self.move((stage.width() - self.width()) // 2, bottom - self.height())

    def _show(self, text: str) -> None:
        self.setText(text)
        self.adjustSize()
        self.place()
        self.raise_()
        self.show()
