"""The list of choices that are pending or were refused, to take them back one by one."""

from app.model.scenario_diff import change_between
from app.model.state import State
from app.model.state_groups import Draft
from core.load.scenario import Scenario


def with_draft(state: State, scenario: Scenario, name: str) -> tuple[Draft, ...]:
    """Return the drafts with the choice of another scenario, which continues the last one if its topic is the same."""
    last = state.drafts[-1] if state.drafts else None
    what, topic = change_between(state.wanted, scenario)
    if last is not None and topic and not name and topic == last.topic:
        what, _ = change_between(last.before, scenario)
        return (*state.drafts[:-1], last._replace(name=what))
    return (*state.drafts, Draft(name or what, "" if name else topic, state.wanted)) if topic else state.drafts
