"""What changed, in the words of the history."""

from dataclasses import replace

import pytest

from app.model.scenario_diff import change
from core.job import Allreduce, AllToAll, Pause, Sequence
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder

PARTS = AllToAll(8, message_bytes=1e6), Pause(0.5), Allreduce(tasks=8)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((PARTS[0], Pause(0.25), PARTS[2]), "part 2: Seconds 0.5 → 0.25"),
        ((PARTS[0], Allreduce(tasks=8), PARTS[2]), "part 2 pause → allreduce"),
        (PARTS[:2], "3 → 2 parts"),
        (PARTS[::-1], "parts in another order"),
        ((PARTS[0], Pause(1.0), Allreduce(tasks=8, message_bytes=1.0)), "2 parts changed"),
    ],
)
def test_changes_of_a_sequence_name_the_part(parts, words):
    before = Scenario(Torus((8,)), Sequence(parts=PARTS), Sequential(), DimensionOrder())
    assert change(before, replace(before, job=Sequence(parts=parts))) == (words, "job.parts")
