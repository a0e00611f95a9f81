"""The commands that compare two states, A and B."""

from functools import partial
from typing import TYPE_CHECKING

from app.actions.spec import ActionSpec
from app.model.state import ComparisonMode, State

if TYPE_CHECKING:
    from app.window.main_window import Window


def pin_here(window: "Window") -> None:
    """Pin what is on screen as A; what is done from here on is B."""
    comparison = window.session.state.comparison.mode
    window.session.set_reference(
        window.session.state.evaluation, comparison if comparison is not ComparisonMode.OFF else ComparisonMode.SIDE
    )


def _toggle(comparison: ComparisonMode, window: "Window") -> None:
    on = window.session.state.comparison.mode is comparison
    window.session.compare(ComparisonMode.OFF if on else comparison)


def _is(comparison: ComparisonMode, state: State) -> bool:
    return state.comparison.mode is comparison


def _pinned(state: State) -> bool:
    return state.comparison.reference is not None


def _can_differ(state: State) -> bool:
    return _pinned(state) and (state.same_links or state.comparison.mode is ComparisonMode.DIFFERENCE)


COMPARING = (
    ActionSpec(
        "compare.pin", "Pin this state as A", "View/Compare", pin_here, "P",
        lambda s: not s.edit.gesture, tip="what you do from here on is B, beside it", apart=True,
    ),
    ActionSpec(
        "compare.side", "Compare side by side", "View/Compare", partial(_toggle, ComparisonMode.SIDE), "C", _pinned,
        partial(_is, ComparisonMode.SIDE), "A and B in one colour scale",
    ),
    ActionSpec(
        "compare.difference", "Show the difference", "View/Compare", partial(_toggle, ComparisonMode.DIFFERENCE),
        "Shift+C", _can_differ, partial(_is, ComparisonMode.DIFFERENCE),
        "B less A, link by link; needs the same network in both; always linear",
    ),
    ActionSpec(
        "compare.swap", "Swap A and B", "View/Compare", lambda w: w.session.swap_pinned(), "Shift+P",
        lambda s: _pinned(s) and not s.edit.gesture, tip="go to A, and pin what is on screen now",
    ),
    ActionSpec(
        "compare.stop", "Stop comparing", "View/Compare", lambda w: w.session.set_reference(None), "",
        lambda s: s.comparison.reference is not None, tip="A is forgotten",
    ),
)  # fmt: skip
