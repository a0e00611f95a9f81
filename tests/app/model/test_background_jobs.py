"""Background jobs: adding them or bringing them into focus moves no task."""

from dataclasses import replace

import numpy as np
import pytest

from app.model.background_jobs import (
    renamed,
    slowdowns,
    slowdowns_are_quick,
    switched_to,
    with_copy,
    with_job_of,
    without,
)
from core.files import read_scenario, write_scenario
from core.job import Flows, Halo, Pencils
from core.load.evaluate import evaluate
from core.load.job_reports import job_reports
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import ColouredBlocks, Explicit, Random, RecursiveBisection, Sequential
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.spec import SpecError

RING = Scenario(Torus((12,)), Halo(2, 2), Random(3), DimensionOrder())


def where(case):
    return [job_case.mapping.slots.tolist() for job_case in (case, *case.neighbours.cases)]


def test_copy_runs_on_nodes_without_tasks_and_no_task_moves():
    case = RING.build()
    copied = with_copy(case).build()
    assert where(copied)[0] == where(case)[0]
    assert not np.intersect1d(*where(copied)).size
    again = with_copy(copied).build()
    assert where(again)[:2] == where(copied)
    with pytest.raises(SpecError, match="the job needs 4 nodes, but 0 are free"):
        with_copy(again)


@pytest.mark.parametrize("text", ["", "0,2,4,6-8"])
def test_no_task_moves_when_another_job_is_in_focus(text):
    background = (
        Neighbour(job=Halo(1, 3), mapping=Random(5)),
        Neighbour(name="C", job=Halo(1, 2), mapping=Sequential()),
    )
    case = replace(RING, allocation=text, neighbours=background).build()
    for number in (0, 1):
        other = switched_to(case, number).build()
        assert sorted(map(tuple, where(other))) == sorted(map(tuple, where(case)))
        assert where(other)[0] == where(case)[number + 1]
        assert where(switched_to(other, number).build()) == where(case)
    assert [neighbour.name for neighbour in without(case, 0).neighbours] == ["C"]


def test_no_search_is_repeated_when_a_job_is_added_or_comes_into_focus(monkeypatch):
    case = replace(RING, mapping=RecursiveBisection(), allocation="0-5").build()
    monkeypatch.setattr(RecursiveBisection, "place_on", None)
    scenario = with_job_of(case, replace(RING, mapping=Sequential()), "B")
    assert scenario.mapping == RecursiveBisection()
    both = scenario.build(case)
    other = switched_to(both, 0).build(both)
    assert where(other) == where(both)[::-1]
    assert where(switched_to(other, 0).build(other)) == where(both)


@pytest.mark.parametrize(
    ("scenario", "kept"),
    [
        (replace(RING, mapping=RecursiveBisection()), Explicit),
        (Scenario(Percs(4), Halo(16, 16), ColouredBlocks(4, 8, "in-order"), PercsDirect()), ColouredBlocks),
    ],
)
def test_no_task_moves_and_none_is_searched_when_a_job_is_added(scenario, kept, monkeypatch):
    case = scenario.build()
    with monkeypatch.context() as patch:
        patch.setattr(type(scenario.mapping), "on", None)
        copied = with_job_of(case, replace(scenario, job=Halo(1, 2), mapping=Sequential()), "B")
    assert isinstance(copied.mapping, kept)
    assert where(copied.build())[0] == where(case)[0]


def identities(scenario):
    """The name and the colour of each job, by its nodes."""
    case = scenario.build()
    nodes = [tuple(job_case.mapping.nodes.tolist()) for job_case in (case, *case.neighbours.cases)]
    return dict(zip(nodes, zip(scenario.job_names, scenario.job_colours, strict=True), strict=True))


@pytest.mark.parametrize("names", [("", "", ""), ("A", "B", "C"), ("", "Halo, 5-point", "")])
def test_each_job_keeps_its_name_and_colour(names, tmp_path):
    background = tuple(
        Neighbour(name=name, job=Halo(1, size), mapping=Sequential())
        for name, size in zip(names[1:], (3, 2), strict=True)
    )
    scenario = replace(RING, job_name=names[0], neighbours=background)
    first, file = identities(scenario), tmp_path / "jobs.fabriscope.json"
    assert len(set(first.values())) == 3
    assert sorted(colour for _, colour in first.values()) == [1, 2, 3]
    order = [scenario.job_names[job] for job in scenario.jobs_in_order]
    for number in (1, 0, 0, 1, 1):
        scenario = switched_to(scenario.build(), number)
        assert identities(scenario) == first
        assert [scenario.job_names[job] for job in scenario.jobs_in_order] == order
        write_scenario(file, scenario)
        assert identities(read_scenario(file)) == first
    for number in (0, 1):
        left = identities(without(scenario.build(), number))
        assert left.items() < first.items()
        again = identities(with_copy(without(scenario.build(), number).build()))
        assert left.items() < again.items()


def test_default_name_follows_the_pattern_and_a_given_name_stays():
    background = (Neighbour(job=Halo(1, 3), mapping=Sequential()),)
    switched = switched_to(replace(RING, neighbours=background).build(), 0)
    assert switched.job_names == ("Halo, 5-point 2", "Halo, 5-point")
    assert switched.with_choice("job", Pencils(1, 2)).job_names == (Pencils.title, "Halo, 5-point")
    assert switched.with_choice("job", Halo(1, 2)).job_names == switched.job_names
    named = renamed(switched, 0, "weather")
    assert named.with_choice("job", Pencils(1, 2)).job_names == ("weather", "Halo, 5-point")
    assert renamed(switched, 1, "ocean").job_names == ("Halo, 5-point 2", "ocean")
    with pytest.raises(SpecError, match="another job is named Halo, 5-point; job names must be unique"):
        renamed(switched, 0, "Halo, 5-point")


def test_job_of_a_file_keeps_its_allocation():
    case = replace(RING, allocation="0-5").build()
    built = with_job_of(case, replace(RING, job=Halo(1, 3), allocation="8-11"), "B").build()
    assert [nodes.nodes.tolist() for nodes in built.allocations[1:]] == [[8, 9, 10, 11]]
    assert built.scenario.job_names == ("Halo, 5-point", "B")
    assert with_job_of(case, RING, "B").build().allocations[1].nodes.tolist() == [6, 7, 8, 9]


def test_job_with_files_in_another_folder_is_refused(tmp_path):
    other = replace(RING, job=Flows(file="a.csv"), folder=tmp_path)
    with pytest.raises(SpecError, match="its file is in"):
        with_job_of(RING.build(), other, "B")


def test_slowdowns_are_quick_for_single_phases_only():
    background = Neighbour(job=Halo(2, 2), mapping=Sequential())
    case = replace(RING, mapping=Explicit(slots=[0, 3, 6, 9]), neighbours=(background,), allocation="0,3,6,9").build()
    report = evaluate(case)
    ((slowed, slows),) = slowdowns(report)
    assert slows == report.slowdown > 1
    assert slowed == list(job_reports(report))[1][1].slowdown
    assert slowdowns_are_quick(report)
    phases = evaluate(replace(case.scenario, job=Pencils(2, 2), mapping=Sequential()).build())
    assert not slowdowns_are_quick(phases)
    ((slowed, slows),) = slowdowns(phases)
    assert slows == pytest.approx(phases.slowdown)
    assert slowed == list(job_reports(phases))[1][1].slowdown
