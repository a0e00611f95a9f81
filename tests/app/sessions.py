"""Sessions on scenarios that several tests begin with: each is evaluated once, as evaluations never change."""

from functools import lru_cache

from app.session.evaluation import EditableEvaluation, evaluate_scenario
from app.session.session import Session
from core.load.live import LiveLoads
from core.spec import no_progress


def session_on(scenario, **options):
    """What `Session.of` returns, with live loads of its own."""
    if scenario.folder is not None:  # its files may be others now
        return Session.of(scenario, **options)
    evaluation = evaluated(scenario)
    return Session(EditableEvaluation(evaluation, LiveLoads(evaluation.report)), **options)


@lru_cache(maxsize=32)
def evaluated(scenario):
    return evaluate_scenario(scenario, None, no_progress)
