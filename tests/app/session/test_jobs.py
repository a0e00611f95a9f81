"""Background jobs are added, brought into focus and removed in steps that can be undone."""

import numpy as np

from app.session.jobs import add_copy, remove_all, rename, switch_to_job, switch_to_next_job
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.edit import Edit
from core.network import Torus
from core.routing import DimensionOrder

BACKGROUND = tuple(Neighbour(name=name, job=Halo(1, size), mapping=Random(size)) for name, size in (("B", 3), ("C", 4)))
RING = Scenario(Torus((12,)), Halo(2, 2), Random(1), DimensionOrder(), job_name="A", neighbours=BACKGROUND)


def test_switching_cycles_through_all_jobs_and_no_task_moves(session_of):
    session = session_of(RING)
    first = session.state.evaluation.report
    for name in "BCA":
        switch_to_next_job(session)
        assert session.state.wanted.job_name == name
        assert abs(session.state.report.total_load - first.total_load).max() < 1e-12
    assert (session.state.report.case.mapping.slots == first.case.mapping.slots).all()
    for _ in range(3):
        session.editing.undo()
    assert session.state.wanted == RING


def test_next_job_follows_a_fixed_order(session_of):
    session = session_of(RING)
    switch_to_job(session, 1)
    assert session.state.wanted.job_name == "C"
    for name in "ABC":
        switch_to_next_job(session)
        assert session.state.wanted.job_name == name


def test_a_job_is_renamed_in_a_step_that_is_undone(session_of):
    session = session_of(RING)
    rename(session, 2, " ocean ")
    assert session.state.wanted.job_names == ("A", "B", "ocean")
    assert session.state.history.undo_name == "Rename C to ocean"
    rename(session, 1, "A")
    assert session.state.error.message == "another job is named A; job names must be unique"
    session.editing.undo()
    session.editing.undo()
    assert session.state.wanted == RING


def test_switching_twice_restores_the_first_job(session_of):
    session = session_of(RING)
    switch_to_job(session, 1)
    assert session.state.history.undo_name == "Switch to C"
    switch_to_job(session, 1)
    assert session.state.wanted.job_name == "A"
    assert (session.state.report.total_load == session_of(session.state.wanted).state.report.total_load).all()


def test_job_without_room_is_refused_and_changes_nothing(session_of):
    session = session_of(RING)
    add_copy(session)
    assert session.state.error.field == "neighbours"
    assert session.state.wanted == RING
    remove_all(session)
    assert session.state.evaluation.case.neighbours.cases == ()
    assert session.state.error is None
    assert session.state.history.undo_name == "Remove all background jobs"


def test_edits_are_live_with_background_jobs(session_of):
    session = session_of(RING)
    before, slots = session.state.report, session.state.report.case.mapping.slots
    session.editing.apply(Edit(np.array([0, 1], np.int32), slots[:2].copy(), slots[1::-1].copy()), "Swap")
    report = session.state.report
    assert report.others is before.others
    assert report.time == evaluate(report.case).time
