"""Objectives and methods as declarations: weights, units, and the texts that forms and the command line read."""

import pytest

from core.job.measure import UNITS
from core.optimise.method import AnyMethod
from core.optimise.objective import (
    AllJobs,
    AnyObjective,
    Contention,
    HopBytes,
    Mix,
    Seconds,
    Throughput,
    TotalHops,
    WorstFailure,
)
from core.optimise.tables import CONTENTION, HOP_BYTES, HOPS, JOBS, SECONDS, TIME, WORST
from core.spec import fields_of, from_plain, members, to_plain


@pytest.mark.parametrize(
    ("objective", "term"),
    [
        (Throughput(), TIME),
        (HopBytes(), HOP_BYTES),
        (TotalHops(), HOPS),
        (Contention(), CONTENTION),
        (Seconds(), SECONDS),
        (AllJobs(), JOBS),
        (WorstFailure(), WORST),
    ],
)
def test_a_single_figure_has_all_the_weight(objective, term):
    assert objective.figure == term
    assert objective.weights == tuple(float(k == term) for k in range(7))
    assert objective.unit_in(UNITS)


def test_a_mix_of_one_objective_equals_it():
    assert Mix(throughput=0, hop_bytes=0, hops=3, contention=0).figure == HOPS
    assert Mix().figure is None
    assert Mix(1, 2, 3, 4).weights == (1, 2, 3, 4, 0, 0, 0)


@pytest.mark.parametrize("spec", [*members(AnyObjective), *members(AnyMethod)], ids=lambda spec: spec.tag())
def test_every_choice_has_defaults_and_a_description(spec):
    assert spec.title
    assert (spec.__doc__ or "").partition(":")[2]
    assert all(not field.required and field.description for field in fields_of(spec))
    union = AnyObjective if spec in members(AnyObjective) else AnyMethod
    assert from_plain(to_plain(spec()), union) == spec()
