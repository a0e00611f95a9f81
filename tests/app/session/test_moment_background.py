"""Steps under a constant background load: each meets its share of it."""

from dataclasses import replace

import pytest

from app.session.evaluation import evaluate_scenario
from app.session.moments import live_moment, moment_of
from core.job import TransposePhases
from core.load.link_load import LinkLoad
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import no_progress


def test_a_step_meets_its_share_of_the_background():
    alone = Scenario(Torus(dims=(8,), gbs=1.0), TransposePhases(rows=2, cols=2), Sequential(), DimensionOrder())
    evaluation = evaluate_scenario(replace(alone, background=(LinkLoad(0, 1, 6.0),)), None, no_progress)
    job = evaluation.case.job
    for step in range(len(job.phases)):
        share = job.run_shares[job.run_of[step]]
        for moment in (moment_of(evaluation, step), live_moment(evaluation, step, LiveLoads(evaluation.report))):
            assert moment.alone.report.others.sum() == pytest.approx(6 * share)
            assert moment.alone.report.time == pytest.approx(evaluation.report.busy[step].max())
