"""What a pointer tool is: a small state machine between press and release."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QWidget

from app.model.pointing import Hit
from app.session.session import Session


class PointerSurface(Protocol):
    """A view on which tools work."""

    @property
    def event_widget(self) -> QWidget:
        """Return the widget that gets the pointer's events."""

    @property
    def behind(self) -> bool:
        """Return whether it shows another network than the state's: on a large machine views are drawn in turn."""

    @property
    def pans(self) -> bool:
        """Return whether a press that no tool takes begins to move the picture."""

    def hit_at(self, at: QPointF) -> Hit:
        """Return what is at a point of the event widget."""


@dataclass(frozen=True, slots=True)
class PointerEvent:
    """Where the pointer is, in whichever view: a drag may end in another view than it began."""

    surface: PointerSurface | None
    """None: beside all views."""
    at: QPointF
    """In the event widget of the surface."""
    hit: Hit
    modifiers: Qt.KeyboardModifier
    double: bool = False
    """Whether it is the second press of a double click."""

    @property
    def coarser(self) -> int:
        """Return how many levels coarser a place is meant: Shift takes the next."""
        return int(bool(self.modifiers & Qt.KeyboardModifier.ShiftModifier))


class Tool(ABC):
    """Turns the left button into edits. One tool is taken up at a time; all of them live as long as the window."""

    name: ClassVar[str]
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.ArrowCursor
    wants: ClassVar[str] = ""
    """What to press instead, said of a press on nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @abstractmethod
    def press(self, event: PointerEvent) -> bool:
        """Begin; return whether the tool takes this press, and with it all until the release."""

    @abstractmethod
    def move(self, event: PointerEvent) -> None:
        """Go on. Moves come at most 60 times a second: what lies between two points is the tool's to fill in."""

    @abstractmethod
    def release(self, event: PointerEvent) -> None:
        """End, and commit what was done as one step."""

    @abstractmethod
    def cancel(self) -> bool:
        """Give up what was begun and put everything back; return whether there was anything."""

    def hover(self, event: PointerEvent) -> None:
        """Point without a button held: nothing is aimed at."""
        self.session.set_drop_target(None)
