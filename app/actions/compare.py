"""The commands that compare two states, A and B."""

from functools import partial
from typing import TYPE_CHECKING

from app.actions.spec import ActionSpec
from app.model.state import Comparison, State

if TYPE_CHECKING:
    from app.window.main_window import Window


def pin_here(window: "Window") -> None:
    """Pin what is on screen as A; what is done from here on is B."""
    comparison = window.session.state.comparison
    window.session.pin(window.session.state.answer, comparison if comparison is not Comparison.OFF else Comparison.SIDE)


def _toggle(comparison: Comparison, window: "Window") -> None:
    on = window.session.state.comparison is comparison
    window.session.compare(Comparison.OFF if on else comparison)


def _is(comparison: Comparison, state: State) -> bool:
    return state.comparison is comparison


def _pinned(state: State) -> bool:
    return state.pinned is not None


def _can_differ(state: State) -> bool:
    return _pinned(state) and (state.same_links or state.comparison is Comparison.DIFFERENCE)


COMPARING = (
    ActionSpec(
        "compare.pin", "Pin this state as A", "View/Compare", pin_here, "P",
        lambda s: not s.gesture, tip="what you do from here on is B, beside it", apart=True,
    ),
    ActionSpec(
        "compare.side", "Compare side by side", "View/Compare", partial(_toggle, Comparison.SIDE), "C", _pinned,
        partial(_is, Comparison.SIDE), "A and B in one colour scale",
    ),
    ActionSpec(
        "compare.difference", "Show the difference", "View/Compare", partial(_toggle, Comparison.DIFFERENCE),
        "Shift+C", _can_differ, partial(_is, Comparison.DIFFERENCE),
        "B less A, link by link; needs the same network in both; always linear",
    ),
    ActionSpec(
        "compare.swap", "Swap A and B", "View/Compare", lambda w: w.session.swap_pinned(), "Shift+P",
        lambda s: _pinned(s) and not s.gesture, tip="go to A, and pin what is on screen now",
    ),
    ActionSpec(
        "compare.stop", "Stop comparing", "View/Compare", lambda w: w.session.pin(None), "",
        lambda s: s.pinned is not None, tip="A is forgotten",
    ),
)  # fmt: skip
