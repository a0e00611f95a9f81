"""Descriptions of changes in the history."""

from dataclasses import replace

import pytest

from app.model.scenario_diff import alike, change_between, distinguishing_name, requested_name
from core.job import Allreduce, AllToAll, Pause, Sequence
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.explicit import Explicit
from core.network import AddedCable, Mesh, NodeFault, Torus
from core.routing import DimensionOrder
from core.routing.minimal.scheme import Minimal

PARTS = AllToAll(8, message_bytes=1e6), Pause(0.5), Allreduce(tasks=8)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((PARTS[0], Pause(0.25), PARTS[2]), "part 2: Duration 0.5 → 0.25"),
        ((PARTS[0], Allreduce(tasks=8), PARTS[2]), "part 2 pause → allreduce"),
        (PARTS[:2], "3 → 2 parts"),
        (PARTS[::-1], "parts reordered"),
        ((PARTS[0], Pause(1.0), Allreduce(tasks=8, message_bytes=1.0)), "2 parts changed"),
    ],
)
def test_changes_of_a_sequence_name_the_part(parts, words):
    before = Scenario(Torus((8,)), Sequence(parts=PARTS), Sequential(), DimensionOrder())
    assert change_between(before, replace(before, job=Sequence(parts=parts))) == (words, "job.parts")


BEFORE = Scenario(Torus((8,)), PARTS[0], Sequential(), DimensionOrder())


@pytest.mark.parametrize(
    ("changes", "names", "compared"),
    [
        ({"job": AllToAll(8, "pairwise", 1e6)}, ("at-once", "pairwise"), True),
        (
            {"job": AllToAll(8, message_bytes=2e6)},
            ("Message size 1,000,000 bytes", "Message size 2,000,000 bytes"),
            True,
        ),
        ({"job": Allreduce(tasks=8)}, ("all-to-all", "allreduce"), False),
        (
            {"network": Torus((4, 2)), "job": Allreduce(tasks=8)},
            ("Dimensions 8 + all-to-all", "Dimensions 4 × 2 + allreduce"),
            False,
        ),
    ],
)
def test_states_are_named_by_their_differences(changes, names, compared):
    after = replace(BEFORE, **changes)
    assert (distinguishing_name(BEFORE, after), distinguishing_name(after, BEFORE)) == names
    assert alike(BEFORE, after) == compared


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"routing": Minimal()}, "Minimal routing"),
        ({"mapping": Random(seed=2)}, "Random mapping"),
        ({"mapping": Explicit(slots=tuple(range(8)))}, "Edited mapping"),
        ({"routing": Minimal(), "mapping": Random(seed=2)}, "Random mapping, Minimal routing"),
        ({"network": Torus((4, 2))}, "Dimensions 8 → 4 × 2"),
        ({"network": Mesh((8,)), "job": Allreduce(tasks=8)}, "Mesh"),
        ({"faults": (NodeFault(0),)}, "1 fault"),
        ({"cables": (AddedCable(0, 2), AddedCable(1, 3))}, "2 added cables"),
        ({"down": (3,)}, "Down nodes"),
        ({}, "Loads"),
    ],
)
def test_request_is_named_by_its_changes(changes, name):
    assert requested_name(BEFORE, replace(BEFORE, **changes)) == name
