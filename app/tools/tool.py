"""The interface of pointer tools: small state machines between press and release."""

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
        """Return whether it still shows another network than the state's: on large ones views refresh one by one."""

    @property
    def pans(self) -> bool:
        """Return whether a press that no tool handles pans the picture."""

    def hit_at(self, at: QPointF) -> Hit:
        """Return the hit at a point of the event widget."""


@dataclass(frozen=True, slots=True)
class PointerEvent:
    """The pointer in any view: a drag may end in another view than it began in."""

    surface: PointerSurface | None
    """None outside all views."""
    at: QPointF
    """Position in the event widget of the surface."""
    hit: Hit
    modifiers: Qt.KeyboardModifier
    double: bool = False
    """Whether it is the second press of a double click."""

    @property
    def coarser(self) -> int:
        """Return the number of levels by which a coarser place is selected: one with Shift."""
        return int(bool(self.modifiers & Qt.KeyboardModifier.ShiftModifier))


class Tool(ABC):
    """Turns the left button into edits. One tool is active at a time; all live as long as the window."""

    name: ClassVar[str]
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.ArrowCursor
    wants: ClassVar[str] = ""
    """What to press instead, as a hint after a press on empty space."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @abstractmethod
    def press(self, event: PointerEvent) -> bool:
        """Begin; return whether the tool handles this press, and then all events until the release."""

    @abstractmethod
    def move(self, event: PointerEvent) -> None:
        """Continue. Moves come at most 60 times a second: the tool must interpolate between points."""

    @abstractmethod
    def release(self, event: PointerEvent) -> None:
        """End, and commit the gesture as one step."""

    @abstractmethod
    def cancel(self) -> bool:
        """Cancel and undo the gesture; return whether there was one."""

    def hover(self, event: PointerEvent) -> None:
        """Follow the pointer while no button is held; by default nothing is highlighted."""
        self.session.set_drop_target(None)
