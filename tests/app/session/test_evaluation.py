"""Work off the GUI thread leaves no kernel to compile in it."""

import numpy as np
import pytest

from app.session import evaluation
from app.session.evaluation import evaluate_for_editing, rehearse
from core.job import Halo
from core.kernels import compile_events
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network.families.torus import Torus
from core.routing import DimensionOrder

SMALL = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())


def no_progress(fraction):
    pass


@pytest.fixture
def rehearsed(monkeypatch):
    rehearsals = []
    monkeypatch.setattr(evaluation, "rehearse", rehearsals.append)
    return rehearsals


def test_edit_is_rehearsed_only_after_a_compilation(rehearsed, monkeypatch):
    evaluate_for_editing(SMALL, None, no_progress)
    rehearsed.clear()
    evaluate_for_editing(SMALL, None, no_progress)
    assert not rehearsed
    count = iter([3, 4])
    monkeypatch.setattr(compile_events, "compiled", lambda: next(count))
    result = evaluate_for_editing(SMALL, None, no_progress)
    assert rehearsed == [result.live]


@pytest.mark.parametrize("job", [Halo(4, 4), Halo(1, 2), Halo(1, 1)], ids=["16", "2", "1"])
def test_rehearsal_changes_nothing(job):
    report = evaluate_for_editing(
        Scenario(Torus((4, 4)), job, Sequential(), DimensionOrder()), None, no_progress
    ).evaluation.report
    live = LiveLoads(report)
    rehearse(live)
    np.testing.assert_array_equal(live.mapping.slots, report.case.mapping.slots)
    assert live.report().time == report.time
    for phase, before in enumerate(report.phases):
        np.testing.assert_array_equal(live.phase(phase), before)
