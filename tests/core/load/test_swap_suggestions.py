"""Suggested swaps: never overstated, the best if all can be tried, and deterministic."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.job import AllToAll, Flows, Halo, Sweep, Transpose
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.load.swap_suggestions import MAX_CAUSES, SwapSearch, causes, quick, suggest_swaps
from core.mapping import ModColour, Random, Sequential
from core.mapping.edit import EMPTY, no_edit, occupants, swapped
from core.mapping.explicit import Explicit
from core.network import Circulant, Mesh, NodeFault, Percs, Torus
from core.network.faults import LinkFault
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect, PercsIndirect
from core.spec import Cancelled

SMALL = {
    "halo on a torus": Scenario(Torus((3, 4)), Halo(3, 4), Random(seed=3), DimensionOrder()),
    "free slots": Scenario(Torus((4, 4)), Halo(3, 4), Random(seed=5), DimensionOrder()),
    "adaptive": Scenario(Torus((3, 3)), Halo(3, 3), Random(seed=1), Adaptive()),
    "transpose": Scenario(Torus((4, 4)), Transpose(4, 4), Random(seed=2), DimensionOrder()),
    "several phases": Scenario(Torus((2, 3)), AllToAll(5), Random(seed=4), DimensionOrder()),
    "percs": Scenario(
        Percs(2, 1, drawers=2, nodes_per_drawer=4, slots_per_node=1), Halo(2, 6), Random(seed=7), PercsDirect()
    ),
}
LINE = Mesh((6,), slots_per_node=2)
SMALL |= {
    "a slow link": replace(SMALL["halo on a torus"], faults=(LinkFault(src=0, dst=1, speed=0.3),)),
    "a failed link": Scenario(LINE, Transpose(3, 4), Random(4), DimensionOrder(), faults=(LinkFault(src=0, dst=1),)),
}
LARGE = {
    "worked example": Scenario(Percs(32, 4), Halo(64, 64), ModColour(), PercsDirect()),
    "at random": Scenario(Percs(32, 4), Halo(64, 64), Random(seed=1), PercsIndirect()),
    "cube": Scenario(Torus((8, 8, 8)), Halo(16, 32), Sequential(), DimensionOrder()),
}


@cache
def advised(name):
    """The report of a case and its suggestions, computed once."""
    report = evaluated((SMALL | LARGE)[name])
    return report, suggest_swaps(report)


def evaluated(scenario):
    return evaluate(scenario.build())


def after(report, edit):
    """The report of the same scenario with the edit's mapping, from a new evaluation."""
    mapping = Explicit.of(edit.applied(report.case.mapping))
    return evaluate(replace(report.case.scenario, mapping=mapping).build(report.case))


def all_swaps(report):
    """The result (time, hottest links) of every swap of two slots that disconnects no more flows, each evaluated."""
    mapping, slots = report.case.mapping, report.case.network.slots
    occupant = occupants(mapping, slots)
    edits = [swapped(mapping, [a], [b], occupant) for a in range(slots) for b in range(a)]
    outcomes = [after(report, edit) for edit in edits if edit.count]
    return [
        (outcome.time, outcome.bottleneck_links.size)
        for outcome in outcomes
        if outcome.disconnected.count <= report.disconnected.count
    ]


@pytest.mark.parametrize("name", SMALL)
def test_the_best_of_all_swaps_is_found_where_all_can_be_tried(name):
    report, advice = advised(name)
    assert advice.complete
    everything = all_swaps(report)
    least = min(time for time, _ in everything)
    now = report.time, report.bottleneck_links.size
    if least < now[0] * (1 - 1e-9):
        assert advice.best[0].after.time == pytest.approx(least, rel=1e-9)
        return
    fewest = min(hot for time, hot in everything if time == pytest.approx(now[0], rel=1e-9))
    if fewest < now[1]:
        assert advice.best[0].after.hot == fewest
    else:
        assert not advice.best


def test_the_small_cases_include_a_gain_and_a_tie():
    best_swaps = [advised(name)[1].best for name in SMALL]
    assert any(best and best[0].gain_gbs > 0 for best in best_swaps)
    assert any(not best or best[0].gain_gbs == 0 for best in best_swaps)


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_each_suggestion_reaches_its_predicted_figures(name):
    report, advice = advised(name)
    assert len(advice.best) <= 5
    for swap in advice.best:
        real = after(report, swap.edit)
        assert real.time == pytest.approx(swap.after.time, rel=1e-9)
        assert real.throughput_gbs == pytest.approx(swap.after.throughput_gbs, rel=1e-9)
        assert real.bottleneck_links.size == swap.after.hot
        assert real.disconnected.count <= report.disconnected.count
        if swap.gain_gbs:
            assert swap.gain_gbs == pytest.approx(real.throughput_gbs - report.throughput_gbs, rel=1e-6)
        else:
            assert real.time == pytest.approx(report.time, rel=1e-9)
            assert real.bottleneck_links.size < report.bottleneck_links.size


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_suggestions_are_distinct_single_swaps_best_first(name):
    report, advice = advised(name)
    best, mapping = advice.best, report.case.mapping
    assert (np.diff([swap.gain_gbs for swap in best]) <= 1e-9).all()
    ways = [frozenset({int(mapping.nodes[swap.task]), swap.node}) for swap in best]
    assert len(set(ways)) == len(ways)
    for swap in best:
        assert swap.edit.count == (1 if swap.partner == EMPTY else 2)
        assert set(swap.edit.tasks.tolist()) == {swap.task, swap.partner} - {EMPTY}
        np.testing.assert_array_equal(swap.edit.old, mapping.slots[swap.edit.tasks])
        moved = swap.edit.applied(mapping)
        assert np.unique(moved.slots).size == moved.slots.size
        assert moved.nodes[swap.task] == swap.node


def test_a_mistaken_swap_is_suggested_in_reverse():
    good = LARGE["worked example"].build()
    occupant = occupants(good.mapping, good.network.slots)
    mistake = swapped(good.mapping, good.mapping.slots[[5]], [3000], occupant)
    report = after(evaluate(good), mistake)
    best = suggest_swaps(report).best[0]
    assert report.throughput_gbs == pytest.approx(40)
    assert best.gain_gbs == pytest.approx(24)
    assert best.name == f"Swap task {best.task:,} with {best.partner:,}"
    assert set(best.edit.tasks.tolist()) == set(mistake.tasks.tolist())


def test_no_figure_is_given_when_no_link_is_loaded():
    job = Flows(src=(0,), dst=(1,), volume=(1.0,))
    scenario = Scenario(Mesh(dims=(4,), slots_per_node=2), job, Explicit((0, 2)), DimensionOrder())
    best = suggest_swaps(evaluate(scenario.build())).best
    assert (best[0].gain_gbs, best[0].after.hot, best[0].after.throughput_gbs) == (0, 0, None)


def test_disconnecting_flows_is_no_improvement():
    report = evaluated(SMALL["a failed link"])
    case, before = report.case, LiveLoads(report).outcome()
    search = SwapSearch(case, LiveLoads(report), lambda fraction: None)
    search.run((a, b) for a in range(case.network.slots) for b in range(a))
    faster = [swap.after for swap in search.tried.values() if swap.after.time < before.time * (1 - 1e-9)]
    assert any(after.disconnected > before.disconnected for after in faster)
    assert all(swap.after.disconnected <= before.disconnected for swap in search.helpful())


BROKEN = Torus((6,), slots_per_node=2)
WEIGHED = Flows(src=(0, 2), dst=(1, 3), volume=(1.0, 10.0))


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(Circulant(8, (1, 4), slots_per_node=2), Sweep(2, 2), Explicit((1, 5, 14, 2)), Minimal()),
        Scenario(BROKEN, WEIGHED, Explicit((14 - 3, 0, 2, 4)), Minimal()),
        Scenario(BROKEN, Halo(2, 5), Random(3), DimensionOrder()),
    ],
)
def test_no_suggestion_uses_a_failed_node_or_disconnects_more(scenario):
    failed = scenario.network.build().nodes - 1
    report = evaluated(replace(scenario, faults=(NodeFault(node=failed),)))
    cut = report.disconnected
    assert cut.stranded
    best = suggest_swaps(report, limit=100).best
    assert best
    for swap in best:
        report_after = after(report, swap.edit)
        assert failed not in swap.edit.new // 2
        assert report_after.disconnected.stranded <= cut.stranded
        assert report_after.disconnected.volume <= cut.volume * (1 + 1e-12)
        assert swap.after.cut_volume == pytest.approx(report_after.disconnected.volume)


def test_a_larger_flow_is_not_disconnected_instead_of_a_smaller_one():
    flows = Flows(src=(0, 2), dst=(1, 3), volume=(1.0, 10.0))
    link = LinkFault(src=0, dst=1)
    scenario = Scenario(Mesh((4,), slots_per_node=2), flows, Explicit((0, 2, 3, 5)), DimensionOrder(), faults=(link,))
    report = evaluated(scenario)
    assert (report.disconnected.count, report.disconnected.volume) == (1, 1.0)
    search = SwapSearch(report.case, LiveLoads(report), lambda fraction: None)
    search.run((home, slot) for home in (0, 2, 3, 5) for slot in range(report.case.network.slots))
    tried = [swap.after for swap in search.tried.values()]
    assert any(outcome.disconnected == 1 and outcome.cut_volume == 10 for outcome in tried)
    assert all(swap.after.cut_volume <= 1 for swap in search.helpful())


def test_a_move_to_an_empty_slot_names_the_node():
    best = advised("free slots")[1].best
    moves = [swap for swap in best if swap.partner == EMPTY]
    assert moves
    label = SMALL["free slots"].build().network.label
    assert [swap.name for swap in moves] == [f"Move task {swap.task} to node {label(swap.node)}" for swap in moves]


@pytest.mark.parametrize("each", [1, 2])
def test_no_suggestion_gives_a_host_more_ranks_than_its_cores_allow(each):
    # Task 0 would move to node 3, where tasks 1 and 2 are, but two ranks of two cores fill a node.
    mapping = Explicit((0, 12, 13), cores_per_rank=each)
    job = Flows(tasks=3, src=(0, 0), dst=(1, 2), volume=(8.0, 8.0))
    report = evaluated(Scenario(Torus((6,), slots_per_node=4), job, mapping, DimensionOrder()))
    targets = {swap.node for swap in suggest_swaps(report, limit=100).best if swap.partner == EMPTY and swap.task == 0}
    assert (3 in targets) == (each == 1)


def test_the_same_report_gives_the_same_suggestions():
    report, advice = advised("at random")
    first, second = (
        [(swap.name, swap.after) for swap in suggestions.best] for suggestions in (advice, suggest_swaps(report))
    )
    assert first == second


def test_causes_are_the_tasks_of_flows_that_cross_a_hottest_link():
    report = evaluated(SMALL["halo on a torus"])
    tasks, everything = causes(report)
    assert everything
    case, expected = report.case, set()
    block = next(iter(case.job.phases[0].blocks()))[1]
    for s, d in zip(block.src.tolist(), block.dst.tolist(), strict=True):
        route = case.router.route(int(case.mapping.nodes[s]), int(case.mapping.nodes[d]))
        if s != d and np.isin(route.links, report.bottleneck_links).any():
            expected |= {s, d}
    assert set(tasks.tolist()) == expected


def test_nothing_is_suggested_without_load():
    report = evaluated(Scenario(Percs(2, 1), Halo(2, 2, periodic=False), Sequential(), PercsDirect()))
    assert report.time == 0
    advice = suggest_swaps(report)
    assert advice.best == ()
    assert advice.complete


def test_the_search_stops_at_its_limit_and_when_cancelled():
    report = evaluated(LARGE["worked example"])
    told = []
    advice = suggest_swaps(report, told.append)
    assert not advice.complete
    assert advice.tried <= 5000
    assert told == sorted(told)
    assert 0 < told[0] <= told[-1] <= 1

    def stop(fraction):
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        suggest_swaps(report, stop)


def test_a_search_leaves_the_loads_as_they_are():
    report = evaluated(LARGE["cube"])
    live = LiveLoads(report)
    search = SwapSearch(report.case, live, lambda fraction: None)
    before = live.outcome(), live.report().load.copy()
    search.explore(causes(report)[0][:MAX_CAUSES])
    assert search.tried
    assert live.preview(no_edit()) == before[0]
    np.testing.assert_array_equal(live.report().load, before[1])


def test_large_cases_are_not_called_quick():
    assert quick(LARGE["worked example"].build())
    assert not quick(Scenario(Percs(32, 4), Transpose(64, 64), Sequential(), PercsDirect()).build())


@pytest.mark.parametrize("name", ["free slots", "cube"])
def test_no_suggestion_uses_a_node_outside_the_allocation(name):
    scenario = (SMALL | LARGE)[name]
    nodes = scenario.network.build().nodes
    scenario = replace(scenario, mapping=Sequential(), down=(f"{nodes // 2}-{nodes // 2 + 1}",), job=Halo(2, 7))
    report = evaluated(scenario)
    suggestions = suggest_swaps(report)
    assert suggestions.tried
    assert report.case.allocation.is_open[np.concatenate([swap.edit.new for swap in suggestions.best])].all()
