"""Texts on the colour scale: what its top stands for, and that nothing is loaded. No Qt."""

from app.model.comparison_text import HOTTEST_OF_BOTH
from app.model.state import State

NO_LOAD = "no load"


def full_scale_text(state: State) -> str:
    """Return what 100 % stands for: ``the hottest link``, ``the total time``, or the name of a frozen scale."""
    if state.full_scale_name:
        return state.full_scale_name
    if state.compared_pair is not None:
        return HOTTEST_OF_BOTH
    if len(state.report.phases) > 1:
        return "the total time"
    return "this job's hottest link" if state.report.others.size else "the hottest link"
