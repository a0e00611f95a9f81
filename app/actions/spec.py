"""What a command of the window is, as data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.actions.context import ActionContext
from app.model.state import State

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Toggle(Generic[Value]):
    """Sets a value of the state to `on`; back to `off`, where there is one, if it is `on` already."""

    read: Callable[[State], Value]
    write: Callable[[ActionContext, Value], object]
    on: Value
    off: Value | None = None

    def __call__(self, context: ActionContext) -> None:
        """Set the value."""
        off = self.off
        self.write(context, off if off is not None and self.is_on(context.session.state) else self.on)

    def is_on(self, state: State) -> bool:
        """Return whether the value is `on`: then a tick stands beside the command."""
        return self.read(state) == self.on


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """A command of the window."""

    id: str
    title: str
    menu: str
    """Menu it stands in; ``View/Theme`` is a submenu. Empty: palette only."""
    run: Callable[[ActionContext], object]
    """What it does; a `Toggle` shows a tick too."""
    shortcut: str = ""
    enabled: Callable[[State], bool] = lambda state: True
    tip: str = ""
    text: Callable[[State], str] | None = None
    """What it is called in a state, where that is not always the title."""
    apart: bool = False
    """Whether a line parts it from what stands before it in its menu."""
    icon: str = ""
    """Name of a drawing in ``resources/icons``, for the toolbar."""
