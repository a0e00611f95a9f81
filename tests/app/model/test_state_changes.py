"""Flags follow from the fields that change: every field has one, and equal states have none."""

from dataclasses import fields, replace

import pytest

from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind
from app.model.state import GROUP_OF, State
from app.model.state_changes import FLAGS, GROUPS, OF_OTHERS, changes_between
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.sessions import session_on, state_of

SMALL = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), DimensionOrder())
STATE = state_of(SMALL)
BY_THEMSELVES = {"evaluation", "computations"}
"""Fields whose flags follow from more than that they differ."""


def test_every_field_has_a_flag():
    assert {field.name for field in fields(State)} == FLAGS.keys() | BY_THEMSELVES
    assert GROUP_OF.keys() > OF_OTHERS.keys()


def test_equal_states_differ_in_nothing():
    assert changes_between(STATE, STATE) is ChangeSet.NONE
    assert changes_between(STATE, replace(STATE, edit=replace(STATE.edit))) is ChangeSet.NONE


@pytest.mark.parametrize("name", [name for name in (*FLAGS, *GROUP_OF) if name not in GROUPS])
def test_a_field_that_differs_has_its_flag(name):
    other = STATE.with_values(**{name: object()})
    assert changes_between(STATE, other) is OF_OTHERS.get(name, FLAGS[GROUP_OF.get(name, name)])


@pytest.mark.parametrize(
    ("scenario", "flags"),
    [
        (replace(SMALL, network=Torus((4, 4), gbs=1.0)), ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.LOADS),
        (replace(SMALL, mapping=Random(seed=2)), ChangeSet.MAPPING | ChangeSet.LOADS),
        (replace(SMALL, job=Halo(2, 8)), ChangeSet.MAPPING | ChangeSet.LOADS),
    ],
)
def test_another_evaluation_changes_what_differs_in_its_case(scenario, flags):
    session = session_on(SMALL, sync=True)
    before = session.state
    session.propose(scenario)
    assert changes_between(before, replace(before, evaluation=session.state.evaluation)) is flags
    session.close()


def test_only_the_fraction_of_a_computation_is_progress():
    one, half, other = (
        replace(STATE, computations=(computation,))
        for computation in (
            Computation(Kind.FILE, "a"), Computation(Kind.FILE, "a", 0.5), Computation(Kind.FILE, "b"),
        )
    )  # fmt: skip
    assert changes_between(one, half) is ChangeSet.PROGRESS
    assert changes_between(one, other) is changes_between(STATE, one) is ChangeSet.STATUS


def test_a_flag_that_was_not_declared_is_emitted(qapp):
    session, heard = session_on(SMALL, sync=True), []
    session.changed.connect(heard.append)
    session.show(ChangeSet.STYLE, brush=8)
    assert heard == [ChangeSet.STYLE | ChangeSet.TOOL]
    session.close()
