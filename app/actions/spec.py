"""The description of a command."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.actions.context import ActionContext
from app.model.state import State

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Toggle(Generic[Value]):
    """Sets a value of the state to `on`, or back to `off`, if given, when it is already `on`."""

    read: Callable[[State], Value]
    write: Callable[[ActionContext, Value], object]
    on: Value
    off: Value | None = None

    def __call__(self, context: ActionContext) -> None:
        """Set the value."""
        off = self.off
        self.write(context, off if off is not None and self.is_on(context.session.state) else self.on)

    def is_on(self, state: State) -> bool:
        """Return whether the value is `on`: the command is then ticked."""
        return self.read(state) == self.on


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """A command of the window."""

    id: str
    title: str
    menu: str
    """Its menu; ``View/Theme`` is a submenu. Empty for the palette only."""
    run: Callable[[ActionContext], object]
    """Its effect; a `Toggle` also shows a tick."""
    shortcut: str = ""
    enabled: Callable[[State], bool] = lambda state: True
    tip: str = ""
    text: Callable[[State], str] | None = None
    """Its title in a state, if that varies."""
    apart: bool = False
    """Whether a separator precedes it in its menu."""
    icon: str = ""
    """Name of an icon in ``resources/icons``, for the toolbar."""
