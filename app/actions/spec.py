"""What a command of the window is, as data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.model.state import State

if TYPE_CHECKING:
    from app.window.main_window import Window


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """A command of the window."""

    id: str
    title: str
    menu: str
    """Menu it stands in; ``View/Theme`` is a submenu. Empty: palette only."""
    run: "Callable[[Window], object]"
    shortcut: str = ""
    enabled: Callable[[State], bool] = lambda state: True
    checked: Callable[[State], bool] | None = None
    """Whether it shows a tick; None: it has none."""
    tip: str = ""
    text: Callable[[State], str] | None = None
    """What it is called in a state, where that is not always the title."""
    apart: bool = False
    """Whether a line parts it from what stands before it in its menu."""
    icon: str = ""
    """Name of a drawing in ``resources/icons``, for the toolbar."""
