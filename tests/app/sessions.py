"""Sessions on scenarios that several tests begin with: each is evaluated once, as evaluations never change."""

from functools import lru_cache

from app.model.state import Performance, State
from app.session.evaluation import EditableEvaluation, evaluate_scenario
from app.session.history import History
from app.session.optimiser import optimise_in_core
from app.session.session import Session
from app.storage.presets import worked_example
from app.style.theme import DARK
from core.load.live import LiveLoads
from core.spec import no_progress

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
    session.optimiser.search, session.optimiser.runs, session.optimiser.message = optimise_in_core, [], ""
    session.tours.close()
    report, history = first.evaluation.report, History()
    history.start(Performance.of(report))
    session.editing.resume(first, history, LiveLoads(report))


def state_of(scenario, theme=DARK):
    """What a session on a scenario shows first, for what only draws or reads it: live loads take longer."""
    return State(scenario, evaluated(scenario)).with_values(theme=theme, saved=scenario)


@lru_cache(maxsize=32)
def evaluated(scenario):
    return evaluate_scenario(scenario, None, no_progress)
