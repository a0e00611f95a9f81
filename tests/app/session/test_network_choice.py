"""Another network keeps job and mapping as far as they fit, in one step that undo reverts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.session.session import Session
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import Explicit, Random, Sequential
from core.network import Hypercube, Percs, Torus
from core.routing import PercsDirect

DRAWN = Scenario(
    Percs(2, slots_per_node=2),
    Halo(8, 16),
    Explicit(np.random.default_rng(3).permutation(128).astype(np.int32)),
    PercsDirect(),
)


@pytest.fixture
def session(qapp):
    session = Session.of(DRAWN, sync=True)
    yield session
    session.close()


def test_smaller_network_is_one_step_with_its_adaptations(session):
    session.choose_network(Torus((8, 8)))
    state = session.state
    assert state.wanted == state.evaluation.case.scenario
    assert state.wanted.job == Halo(8, 8)
    assert isinstance(state.wanted.mapping, Explicit)
    assert len(state.history.steps) == 1
    assert state.history.adaptation.sentence.startswith("Job reduced to 8 × 8 tasks to fit 64 nodes; mapping kept for ")
    assert [remedy.title for remedy in state.remedies] == ["Use 2 tasks per node", "Grow to 8 × 16 nodes"]
    session.editing.undo()
    assert session.state.wanted == DRAWN
    assert session.state.history.adaptation is None
    session.editing.redo()
    assert session.state.history.adaptation is state.history.adaptation


def test_digits_of_a_size_end_with_the_entire_job(session):
    session.choose_network(Torus((8, 8), slots_per_node=2))
    session.accept_adaptation()
    steps = len(session.state.history.steps)
    before = session.state.wanted
    for dims in ((1, 8), (1, 1), (1, 8), (16, 8), (1, 8), (8, 16)):
        session.choose("network", Torus(dims, slots_per_node=2))
    assert session.state.wanted.job == DRAWN.job
    assert session.state.wanted.mapping == before.mapping
    assert session.state.history.adaptation is None
    assert len(session.state.history.steps) == steps + 1
    session.editing.undo()
    assert session.state.wanted == before


def test_larger_network_after_a_smaller_one_restores_the_entire_job(session):
    session.choose_network(Torus((4, 4)))
    assert session.state.wanted.job == Halo(4, 4)
    session.choose_network(Hypercube(6, slots_per_node=2))
    assert (session.state.wanted.job, session.state.wanted.mapping) == (DRAWN.job, DRAWN.mapping)


def test_accepted_reduction_is_kept(session):
    session.choose_network(Torus((4, 4)))
    reduced = session.state.wanted
    session.accept_adaptation()
    assert session.state.misfit is None
    session.choose_network(Hypercube(6))
    assert session.state.wanted.job == reduced.job
    session.editing.undo()
    session.editing.undo()
    assert session.state.wanted == DRAWN


def test_another_edit_accepts_the_reduction(session):
    session.choose_network(Torus((4, 4)))
    session.choose("mapping", Random(seed=1))
    assert session.state.history.adaptation is None
    session.choose_network(Hypercube(6))
    assert session.state.wanted.job == Halo(4, 4)


def test_a_remedy_is_one_step_with_the_entire_job(session):
    session.choose_network(Torus((8, 8)))
    session.remedy(session.state.remedies[0])
    assert session.state.wanted.network == Torus((8, 8), slots_per_node=2)
    assert (session.state.wanted.job, session.state.wanted.mapping) == (DRAWN.job, DRAWN.mapping)
    assert session.state.history.undo_name == "Use 2 tasks per node"
    session.editing.undo()
    assert session.state.history.adaptation is not None


def test_a_job_of_one_size_is_refused_with_remedies(session):
    session.choose("job", Flows(src=(0, 99), dst=(1, 0), volume=(1.0, 1.0)))
    session.choose("mapping", Sequential())
    good = session.state.evaluation
    session.choose_network(Torus((8, 8)))
    assert session.state.refusal.message.startswith("100 tasks do not fit 64 slots")
    assert session.state.evaluation is good
    assert [remedy.title for remedy in session.state.remedies] == [
        "Use 2 tasks per node",
        "Grow to 10 × 10 nodes",
    ]
    session.remedy(session.state.remedies[1])
    assert session.state.error is None
    assert session.state.wanted.network == Torus((10, 10))
    assert session.state.remedies == ()


NETWORKS = st.sampled_from([
    Torus((3, 5)), Torus((8, 8)), Torus((2, 2), slots_per_node=4), Hypercube(5), Hypercube(7), Percs(2), Percs(3, 1),
])  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NETWORKS, min_size=1, max_size=5), st.sampled_from([DRAWN.mapping, Sequential(), Random(2)]))
def test_job_is_restored_where_it_fits(qapp, networks, mapping):
    first = replace(DRAWN, mapping=mapping)
    session = Session.of(first, sync=True)
    for spec in networks:
        session.choose_network(spec)
        assert session.state.error is None
        case = session.state.evaluation.case
        assert case.scenario == session.state.wanted
        assert (case.scenario.job == first.job) == (case.network.slots >= 128)
    while session.state.history.done:
        session.editing.undo()
    assert session.state.wanted == first
    session.close()
