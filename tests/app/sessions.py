"""Sessions on scenarios that several tests begin with: each is evaluated once, as evaluations never change."""

from dataclasses import fields, is_dataclass, replace
from functools import lru_cache

from app.model.history import History
from app.model.performance import Performance
from app.model.state import State
from app.model.state_groups import FileState, StyleState
from app.session.evaluation import EditableEvaluation, evaluate_scenario
from app.session.optimiser import optimise_in_core
from app.session.session import Session
from app.storage.presets import worked_example
from app.style.theme import DARK
from core.load.live import LiveLoads
from core.spec import no_progress

GROUP_OF = {
    field.name: group.name
    for group in fields(State)
    if is_dataclass(group.default_factory) and group.name != "history"
    for field in fields(group.default_factory)
}
"""The group of `State` that holds each grouped field: their names differ from the state's own fields."""
PRESETS = worked_example().folder
"""Whose files stay as they are."""


def session_on(scenario, **options):
    """What `Session.of` returns, with live loads of its own."""
    if scenario.folder not in (None, PRESETS):  # its files may be others now
        return Session.of(scenario, **options)
    evaluation = evaluated(scenario)
    return Session(EditableEvaluation(evaluation, LiveLoads(evaluation.report)), **options)


def begin_again(session, first):
    """Put a session back to the state that it has shown first, without a history, a tour or runs of the optimiser."""
    session.presentation.end()
    session.editing.cancel()
    session.optimiser.search = optimise_in_core
    session.optimiser.forget_all()
    session.tours.close()
    session.editing.resume(first, LiveLoads(first.evaluation.report))


def state_of(scenario, theme=DARK):
    """Return the first state of a session on a scenario, for tests that only draw or read it: sessions take longer."""
    evaluation = evaluated(scenario)
    history = History(Performance.of(evaluation.report))
    file, style = FileState(saved=scenario), StyleState(theme)
    return State(scenario, evaluation, history=history, file=file, style=style)


def with_fields(state, **values):
    """The state with other values of its own fields or its groups', by name."""
    groups = {}
    for name in [name for name in values if name in GROUP_OF]:
        groups.setdefault(GROUP_OF[name], {})[name] = values.pop(name)
    changed = {group: replace(getattr(state, group), **parts) for group, parts in groups.items()}
    return replace(state, **values, **changed)


def field_of(state, name):
    """The value of a field of the state or of one of its groups, by name."""
    return getattr(getattr(state, GROUP_OF[name]) if name in GROUP_OF else state, name)


@lru_cache(maxsize=32)
def evaluated(scenario):
    return evaluate_scenario(scenario, None, no_progress)
