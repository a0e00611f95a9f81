"""Search settings and runs: levels that every network has, figures as text, curves that continue."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from app.model.run_changes import cooling, describe_changes, movement
from app.model.search_run import MAX_SAMPLES, SearchRun, SearchSettings, bounds_on, cores, units_on
from app.session.evaluation import evaluate_for_editing
from core.job import Flows, Halo
from core.job.measure import MEASURES
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.explicit import Explicit
from core.network import Dragonfly, Percs, Torus
from core.network.nics import on_hosts
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes, Mix, Seconds
from core.optimise.request import Request, SearchResult
from core.optimise.restart_statistics import Spread
from core.routing import DimensionOrder, PercsDirect
from core.spec import no_progress

SMALL = Scenario(Percs(supernodes=4, d_links=4), Halo(rows=16, cols=32), Random(seed=3), PercsDirect())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Random(seed=14), DimensionOrder())
SLOTS = np.arange(12, dtype=np.int32)


def search_result(best, current=None, seconds=1.0, steps=10, start=4.0, slots=SLOTS):
    return SearchResult(slots, start, best, best if current is None else current, seconds, steps)


@pytest.fixture
def run():
    return replace(SearchRun.begun(3, TORUS.build(), Request()), scale=lambda lost: 2.0 - lost, bound=0.5)


def test_levels_of_the_network_are_offered():
    percs, torus = SMALL.build().network, TORUS.build().network
    assert units_on(percs) == ["task", "node", "drawer", "supernode"]
    assert bounds_on(percs, "task") == ["anywhere", "supernode", "drawer", "node"]
    assert bounds_on(percs, "drawer") == ["anywhere", "supernode"]
    assert bounds_on(percs, "supernode") == ["anywhere"]
    assert "node" not in bounds_on(torus, "task")
    hosts = Dragonfly(2, 1, 3, nodes_per_router=4, slots_per_node=2, nics=2).build()
    assert units_on(hosts) == ["task", "node", "host", "router", "group"]
    assert bounds_on(hosts, "host") == ["anywhere", "group", "router"]
    # Also without a level: these hosts have different numbers of NICs.
    assert "host" in units_on(on_hosts(hosts, np.array([1, 3, *[2] * 10], np.int32)))


def test_settings_fit_every_network():
    percs, torus = SMALL.build().network, TORUS.build().network
    settings = SearchSettings(unit="drawer", within="supernode")
    assert settings.on(percs) == settings
    assert (settings.on(torus).unit, settings.on(torus).within) == ("task", "anywhere")
    assert replace(settings, within="drawer").on(percs).within == "anywhere"


@pytest.mark.parametrize("scenario", [SMALL, TORUS], ids=["percs", "torus"])
def test_all_offered_settings_leave_something_to_move(scenario):
    case = scenario.build()
    for unit in units_on(case.network):
        for within in bounds_on(case.network, unit):
            none = np.zeros(0, np.int32)
            request = SearchSettings(unit=unit, within=within).request(case, none, none)
            assert request.constraints.moves(case.network, case.mapping).slots.size


def test_default_number_of_workers_is_the_number_of_cores():
    assert SearchSettings().budget.workers == cores() >= 1


def test_times_are_shown_as_throughputs(run):
    run = run.with_result(search_result(2.0, current=2.5))
    assert (run.start, run.best, run.limit, run.unit) == (0.5, 1.0, 4.0, "GB/s per node")
    assert run.gap == pytest.approx(3.0)
    assert run.name == "Optimise: 0.5 → 1.0 GB/s"
    of_nodes = replace(run, request=replace(run.request, constraints=MoveConstraints("node")))
    assert of_nodes.name == "Optimise nodes: 0.5 → 1.0 GB/s"
    assert (run.restricted, of_nodes.restricted) == (False, True)
    assert run.better
    assert run.pace == 10


def test_other_figures_are_shown_unscaled():
    run = SearchRun.begun(1, TORUS.build(), Request(objective=HopBytes()))
    run = run.with_result(search_result(3.0))
    assert (run.start, run.best, run.unit, run.gap, run.limit) == (4.0, 3.0, "unit hops", None, None)
    assert run.name == "Optimise hop-bytes: 4 → 3"
    mix = SearchRun.begun(2, TORUS.build(), Request(objective=Mix()))
    mix = mix.with_result(search_result(3.0))
    assert (mix.start, mix.best, mix.unit) == (100.0, 75.0, "% of the start")
    assert mix.name == "Optimise weighted mix: 100 → 75 %"


@pytest.mark.parametrize(("unit", "shown"), [("messages", ("% of the start", 100, 75)), ("MB", ("s", 4, 3))])
def test_seconds_of_message_counts_are_shown_relative_to_the_start(unit, shown):
    job = Flows(tasks=12, src=(0,), dst=(5,), volume=(30.0,), unit=unit)
    run = SearchRun.begun(1, replace(TORUS, job=job).build(), Request(objective=Seconds()))
    run = run.with_result(search_result(3.0))
    assert (run.unit, run.start, run.best) == shown
    assert run.curve()[2].tolist() == [shown[2]]


def test_run_has_no_figures_until_its_start_is_evaluated():
    run = SearchRun.begun(1, TORUS.build(), Request(objective=Seconds()))
    run = run.with_result(search_result(nan, steps=0, start=nan))
    assert (run.start, run.best, run.name) == (None, None, "Optimise")
    run = run.with_result(search_result(3.0))
    assert (run.start, run.best, run.unit) == (4.0, 3.0, "s")
    assert run.name == "Optimise seconds: 4 → 3"


def test_resumed_run_continues_its_counts(run):
    run = run.with_result(search_result(2.0, seconds=1.0, steps=10))
    run = run.with_result(search_result(1.5, seconds=2.0, steps=20))
    run = run.resumed(60.0)
    other = SLOTS[::-1].copy()
    run = run.with_result(search_result(1.8, seconds=0.5, steps=5, start=1.5, slots=other))
    assert (run.seconds, run.steps) == (2.5, 25)
    assert run.best == pytest.approx(2.0 / 1.5)
    assert run.slots is SLOTS
    assert run.start == pytest.approx(0.5)
    run = run.with_result(search_result(1.0, seconds=0.6, steps=6, start=1.5, slots=other))
    assert run.slots is other
    seconds, current, best = run.curve()
    assert seconds.tolist() == [1.0, 2.0, 2.5, 2.6]
    np.testing.assert_allclose(best, [1.0, 2.0 / 1.5, 2.0 / 1.5, 2.0])
    np.testing.assert_allclose(current, [1.0, 2.0 / 1.5, 2.0 / 1.8, 2.0])


def test_resumed_run_ends_after_its_additional_time():
    run = SearchRun.begun(1, TORUS.build(), Request(seconds=60.0))
    run = run.with_result(search_result(2.0, seconds=40.0))
    assert run.until == 60.0
    run = run.resumed(30.0)
    run = run.with_result(search_result(1.5, seconds=5.0))
    assert (run.seconds, run.until) == (45.0, 70.0)
    run = run.resumed(None)
    run = run.with_result(search_result(1.5, seconds=5.0))
    assert run.until is None


def test_curve_of_a_long_search_has_bounded_length(run):
    for k in range(20_000):
        run = run.with_result(search_result(4.0 - k / 10_000, seconds=k / 10, steps=k))
    seconds, _, best = run.curve()
    assert 1000 < seconds.size <= MAX_SAMPLES
    assert (np.diff(seconds) > 0).all()
    assert (seconds[-1], best[-1]) == (1999.9, pytest.approx(run.best))


def test_run_fits_all_mappings_of_its_case(run):
    other = Explicit.of(TORUS.build().mapping)
    assert run.fits(TORUS.with_choice("mapping", other))
    assert not run.fits(TORUS.with_choice("job", Halo(rows=2, cols=4)))
    assert not run.fits(TORUS.with_choice("network", Torus(dims=(4, 4), gbs=(7.0, 7.0))))


def test_moved_tasks_are_counted_by_level():
    before = evaluate_for_editing(SMALL, None, no_progress).evaluation
    slots = before.case.mapping.slots.copy()
    sn, drawer = 128, 32  # slots of a supernode, and of a drawer
    by_slot = {int(slot): task for task, slot in enumerate(slots)}

    def exchange(a, b):
        first, second = by_slot[a], by_slot[b]
        slots[[first, second]] = slots[[second, first]]

    exchange(0, 4)
    exchange(8, 8 + drawer)
    exchange(12, 12 + sn)
    mapping = Explicit.of(replace(before.case.mapping, slots=slots))
    after = evaluate_for_editing(SMALL.with_choice("mapping", mapping), before.case, no_progress).evaluation
    text = movement(before, after)
    assert text.startswith("6 of 512 tasks moved to another node: ")
    for part in ("2 within their drawer", "2 to another drawer", "2 to another supernode"):
        assert part in text
    assert movement(before, before) == "No task moved to another node."
    lines = cooling(before, after)
    assert [line.partition(":")[0] for line in lines] == ["LL", "LR", "D", "Limiting links"]
    assert describe_changes(before, after) == (text, *lines)
    assert "unchanged" in cooling(before, before)[0]


def test_traced_flows_have_times_and_throughputs(run):
    run = replace(run, timed=True)
    run = run.with_result(search_result(2.0))
    assert run.times == (4.0, 2.0)
    assert run.name == "Optimise: 0.5 → 1.0 GB/s, 4 s → 2 s"


def test_fewer_disconnected_flows_are_better_for_any_objective(run):
    run = run.with_result(SearchResult(SLOTS, 4.0, 8.0, 8.0, 1.0, 10, start_lost=1, lost=0))
    assert run.better
    assert (run.start, run.best) == (0.25, 0.25)
    assert run.name == "Optimise, all flows connected: 0.25 → 0.25 GB/s"
    run = run.with_result(SearchResult(SLOTS, 4.0, 1.0, 1.0, 2.0, 20, start_lost=1, lost=1))
    assert (run.result.lost, run.result.best) == (0, 8.0)


def test_volumes_are_in_the_unit_of_the_job():
    run = SearchRun.begun(1, TORUS.build(), Request(objective=HopBytes()))
    run = replace(run, measure=MEASURES["MB"])
    run = run.with_result(search_result(3.0))
    assert (run.start, run.best, run.unit) == (4000.0, 3000.0, "MB hops")


def test_run_reports_its_restarts(run):
    run = run.with_result(search_result(2.0))
    assert run.restarts == (0, ())
    run = run.with_result(replace(search_result(2.0), spread=Spread(3, 2.0, 4.0, 5.0)))
    assert run.restarts == (3, (1.0, 0.5, 0.4))
