"""Overlays of the stage: its keys, the number of a scene, a blank screen, the spotlight."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.actions.stage_commands import editable
from app.session.session import Session
from app.stage.blank_screen import BlankScreen
from app.stage.cards import KeysCard, NumberEntry
from app.stage.spotlight import Spotlight


class Overlays(QObject):
    """The overlays of a stage; nothing can be shown over the spotlight, so other overlays end it."""

    def __init__(self, session: Session, stage: QWidget, views: QWidget) -> None:
        super().__init__(stage)
        self._session = session
        self.keys, self.number = KeysCard(stage), NumberEntry(stage)
        self.blank, self.spotlight = BlankScreen(stage), Spotlight(stage, views)
        self.number.entered.connect(session.presentation.go)

    def cover(self, colour: str) -> None:
        """Blank the screen."""
        self.spotlight.hide()
        self.blank.cover(colour)

    def toggle_keys(self) -> None:
        """Show the keys that work in this scene, or hide them."""
        self.spotlight.hide()
        self.keys.toggle(edits=editable(self._session.state))

    def type_digit(self, digit: str) -> None:
        """Append a digit to the number of a scene; do nothing without a tour."""
        tour = self._session.state.tour.tour
        if tour is not None:
            self.spotlight.hide()
            self.number.add(digit, len(tour.scenes))

    def cancel(self) -> bool:
        """Hide the topmost overlay; return whether there was one."""
        for shown in (self.keys, self.spotlight):
            if not shown.isHidden():
                shown.hide()
                return True
        return self.number.cancel()

    def leave_scene(self) -> None:
        """Hide the overlays of the scene that is left."""
        self.number.cancel()
        self.spotlight.hide()

    def hide(self) -> None:
        """Hide all."""
        self.leave_scene()
        self.blank.uncover()
        self.keys.hide()

    def place(self) -> None:
        """Follow the size of the stage."""
        for overlay in (self.keys, self.number, self.blank):
            overlay.place()
        if not self.spotlight.isHidden():
            self.spotlight.place()
