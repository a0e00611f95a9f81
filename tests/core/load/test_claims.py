"""Claims about traced flows hold for every mapping: checked by brute force, with and without faults."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows
from core.load.bounds import bounds, scope
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Explicit
from core.mapping.edit import edit_between
from core.mapping.mapping import Mapping
from core.network import FatTree, LinkFault, Mesh, NodeFault, Torus
from core.routing import Adaptive, DimensionOrder, Minimal
from tests.core.strategies import faults_of
from tests.oracle.figures import Traced

SOME = 60
"""Number of mappings tried for a job that has more than 120."""
WHOLE_LATTICES = st.sampled_from([(3,), (4,), (5,), (2, 2), (2, 3)])
STARS = st.builds(
    FatTree,
    arity=st.integers(2, 4),
    levels=st.just(1),
    host_gbs=st.sampled_from([1.0, 2.5]),
    slots_per_node=st.integers(1, 3),
)
LATTICES = st.builds(Torus, dims=WHOLE_LATTICES, gbs=st.just(1.0), slots_per_node=st.integers(1, 3)) | st.builds(
    Mesh, dims=WHOLE_LATTICES, gbs=st.just(1.0), slots_per_node=st.integers(1, 3)
)
VOLUMES = st.sampled_from([1.0, 2.0, 10.0, 0.3, 7.5])


@st.composite
def traced(draw, broken):
    """A small network, traced flows with some spare slots, a routing, and faults."""
    spec, routing = draw(
        st.tuples(STARS, st.just(Minimal()))
        | st.tuples(LATTICES, st.sampled_from([DimensionOrder(), Adaptive(), Minimal()]))
    )
    network = spec.build()
    tasks = draw(st.integers(2, min(network.slots, 5)))
    task = st.integers(0, tasks - 1)
    flows = draw(st.lists(st.tuples(task, task, VOLUMES), min_size=1, max_size=6))
    src, dst, volume = zip(*flows, strict=True)
    faults = draw(faults_of(network)) if broken else ()
    job = Flows(tasks=tasks, src=src, dst=dst, volume=volume)
    return Scenario(spec, job, Explicit(tuple(range(tasks))), routing, faults=faults)


def mappings(case, seed=0):
    """All mappings, or a sample if there are many, in which many leave nodes empty and some fill them."""
    slots, tasks = case.network.slots, case.job.tasks
    ways = list(permutations(range(slots), tasks)) if slots <= 5 else None
    rng = np.random.default_rng(seed)
    if ways is None:
        ways = [tuple(range(tasks)), *(tuple(rng.permutation(slots)[:tasks].tolist()) for _ in range(SOME))]
    return [np.array(way, np.int32) for way in ways]


def oracle(case):
    """A function from slots to the same figures, path by path."""

    @cache
    def paths(u, v):
        route = case.router.route(u, v)
        return [(share, [link]) for share, link in zip(route.shares.tolist(), route.links.tolist(), strict=True)]

    (phase,) = case.job.phases
    flows = list(zip(*(column.tolist() for column in phase.flows), strict=True))
    places, gbs = case.network.slots_per_node, case.gbs.tolist()
    return lambda slots: Traced(paths, flows, (slots // places).tolist(), places, gbs.__getitem__)


def printed(value):
    """A figure as printed, in four digits, so that it may be off by half of the last digit."""
    return float(f"{value:.4g}")


@settings(max_examples=60, deadline=None)
@given(traced(broken=False) | traced(broken=True))
def test_no_mapping_exceeds_the_printed_upper_bound(scenario):
    case = scenario.build()
    report = evaluate(case)
    all_bounds = bounds(case, report)
    assert bool(scope(case)) == bool(case.faults is not None and case.faults.any_failed)
    figures_of = oracle(case)
    tried = [(slots, figures_of(slots)) for slots in mappings(case)] if all_bounds else []
    for bound in all_bounds:
        most = report.throughput(bound.time)
        for slots, other in tried:
            # With failures the claim is about mappings that disconnect nothing, as its sentence states.
            if other.throughput is not None and not other.cut:
                assert printed(other.throughput) <= printed(most) * (1 + 1e-9), (bound, slots)


@settings(max_examples=60, deadline=None)
@given(traced(broken=False) | traced(broken=True))
def test_a_shorter_time_is_a_higher_throughput(scenario):
    case = scenario.build()
    live, seen, figures_of = LiveLoads(evaluate(case)), {}, oracle(case)
    for slots in mappings(case):
        live.apply(edit_between(live.mapping, Mapping(slots, case.network.slots_per_node)))
        outcome = live.outcome()
        if outcome.throughput_gbs is not None:
            seen.setdefault(round(figures_of(slots).flowing, 6), []).append((outcome.time, outcome.throughput_gbs))
    # For mappings that keep the same flows: disconnected flows are another claim.
    for figures in seen.values():
        product = [time * gbs for time, gbs in figures]
        np.testing.assert_allclose(product, product[0], rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(traced(broken=True), st.integers(0, 99))
def test_live_and_full_evaluation_agree_with_single_paths(scenario, seed):
    case = scenario.build()
    live, figures_of = LiveLoads(evaluate(case)), oracle(case)
    for slots in mappings(case, seed)[:8]:
        edit = edit_between(live.mapping, Mapping(slots, case.network.slots_per_node))
        foreseen = live.preview(edit)
        live.apply(edit)
        wanted, ours = figures_of(slots), live.report()
        full = evaluate(ours.case)
        assert foreseen == live.outcome()
        for report in (ours, full):
            assert report.time == pytest.approx(wanted.time)
            assert report.disconnected.count == len(wanted.cut)
            assert report.disconnected.volume == pytest.approx(sum(wanted.cut))
            assert report.disconnected.flowing == (pytest.approx(wanted.flowing) if wanted.cut else None)
            assert report.throughput_gbs == (None if wanted.throughput is None else pytest.approx(wanted.throughput))
        assert live.throughput_gbs == (None if wanted.throughput is None else pytest.approx(wanted.throughput))


def test_using_fewer_nodes_does_not_raise_the_throughput():
    star = FatTree(arity=3, levels=1, host_gbs=1.0, slots_per_node=2)
    job = Flows(src=(0, 0), dst=(1, 2), volume=(10.0, 10.0))
    apart, together = (
        evaluate(Scenario(star, job, Explicit(slots), Minimal()).build()) for slots in ((0, 2, 4), (0, 1, 2))
    )
    assert (apart.throughput_gbs, together.throughput_gbs) == (pytest.approx(0.5), pytest.approx(1.0))
    strongest = bounds(apart.case)[0]
    assert apart.throughput(strongest.time) == pytest.approx(1.0)


def test_disconnected_flows_do_not_count():
    job = Flows(src=(0, 2), dst=(1, 3), volume=(10.0, 1.0))
    grid = Mesh(dims=(2, 2), gbs=1.0)
    network = grid.build()
    fault = LinkFault.of(network, int(np.flatnonzero((network.src == 0) & (network.dst == 1))[0]))
    case = Scenario(grid, job, Explicit((0, 1, 2, 3)), DimensionOrder(), faults=(fault,)).build()
    report = evaluate(case)
    assert (report.disconnected.volume, report.disconnected.flowing) == (10.0, 1.0)
    assert report.throughput_gbs == pytest.approx(0.25)
    assert LiveLoads(report).throughput_gbs == pytest.approx(0.25)
    assert LiveLoads(report).report().throughput_gbs == pytest.approx(0.25)


def test_a_small_flow_counts_in_full_next_to_a_large_disconnected_one():
    grid, job = Mesh(dims=(4,), gbs=1.0), Flows(src=(0, 2), dst=(1, 3), volume=(1e17, 1.0))
    case = Scenario(grid, job, Explicit((0, 1, 2, 3)), DimensionOrder(), faults=(NodeFault(0),)).build()
    assert evaluate(case).disconnected.flowing == 1.0
