"""The commands that compare two states, A and B."""

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec, Toggle
from app.model.state import ComparisonMode, State


def _pin(context: ActionContext) -> None:
    state = context.session.state
    mode = state.comparison.mode
    context.session.set_reference(state.evaluation, mode if mode is not ComparisonMode.OFF else ComparisonMode.SIDE)


def _toggle(comparison: ComparisonMode) -> Toggle[ComparisonMode]:
    return Toggle(
        lambda s: s.comparison.mode, lambda c, chosen: c.session.compare(chosen), comparison, ComparisonMode.OFF
    )


def _has_reference(state: State) -> bool:
    return state.comparison.reference is not None


def _can_differ(state: State) -> bool:
    return _has_reference(state) and (state.same_links or state.comparison.mode is ComparisonMode.DIFFERENCE)


COMPARING = (
    ActionSpec(
        "compare.pin", "Pin this state as A", "View/Compare", _pin, "P",
        lambda s: not s.edit.gesture, tip="later changes are B, compared with it", apart=True,
    ),
    ActionSpec(
        "compare.side", "Compare side by side", "View/Compare", _toggle(ComparisonMode.SIDE), "C", _has_reference,
        "A and B in one colour scale",
    ),
    ActionSpec(
        "compare.difference", "Show the difference", "View/Compare", _toggle(ComparisonMode.DIFFERENCE),
        "Shift+C", _can_differ,
        "B less A, link by link; needs the same network in both; always linear",
    ),
    ActionSpec(
        "compare.swap", "Swap A and B", "View/Compare", lambda c: c.session.swap_pinned(), "Shift+P",
        lambda s: _has_reference(s) and not s.edit.gesture, tip="go to A, and pin what is on screen now",
    ),
    ActionSpec(
        "compare.stop", "Stop comparing", "View/Compare", lambda c: c.session.set_reference(None), "",
        _has_reference, tip="A is forgotten",
    ),
)  # fmt: skip
