"""The best mapping of a scenario: never worse than the start, and equal to an evaluation of a file with it."""

from dataclasses import replace

import numpy as np
import pytest

from core.files import decode, encode
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.optimise.best import search_best, with_slots
from core.optimise.move_constraints import MoveConstraints
from core.optimise.request import Request
from core.routing import DimensionOrder
from core.spec import SpecError

SCENARIO = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=3), DimensionOrder())
FEW = Request(seconds=None, steps=64, workers=1)


def test_the_best_is_evaluated_as_a_file_with_its_mapping():
    best = search_best(SCENARIO.build(), FEW)
    assert best.better.time <= best.start.time == evaluate(SCENARIO.build()).time
    assert 0 < best.result.steps <= 64
    read = evaluate(decode(encode(best.better.case.scenario)).build())
    np.testing.assert_array_equal(read.load, best.better.load)
    assert best.better.time == pytest.approx(best.result.best)


def test_progress_covers_the_first_evaluation_and_results_are_reported():
    told, done = [], []
    search_best(SCENARIO.build(), FEW, done.append, told.append)
    assert done
    assert told


def test_a_level_that_the_network_lacks_is_refused_before_anything_is_evaluated():
    request = replace(FEW, constraints=MoveConstraints(unit="supernode"))
    with pytest.raises(SpecError):
        search_best(SCENARIO.build(), request, lambda fraction: pytest.fail("evaluated"))


def test_a_case_with_given_slots_has_these_slots():
    case = SCENARIO.build()
    slots = np.arange(16, dtype=np.int32)[::-1].copy()
    np.testing.assert_array_equal(with_slots(case, slots).mapping.slots, slots)
