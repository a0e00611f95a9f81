"""Every bound is a theorem: no placement, of all there are or of those a search finds, is faster than any of them."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from core.job import AllToAll, Flows, Halo, Permutation, Transpose
from core.load.bounds import bounds, class_bound
from core.load.evaluate import evaluate
from core.mapping import Blocks, ModColour, RowOrColumn, Sequential
from core.network import Mesh, Percs, Torus
from core.network.torus import axis_name
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from tests.core.load.cases import case_of, report_of
from tests.core.load.search import Climber, best_time, placements, unit_loads

LATTICE_SCHEMES = [DimensionOrder(), Adaptive(model="uniform"), Adaptive(model="hop-local")]
TINY = [
    Torus(dims=(3, 2)),
    Torus(dims=(6,)),
    Mesh(dims=(2, 3)),
    Mesh(dims=(3, 2), gbs=2.0),
    Torus(dims=(4,)),
    Torus(dims=(2, 2)),
    Torus(dims=(1, 4)),
    Torus(dims=(2, 1, 3), wrap=(False, True, True)),
    Torus(dims=(4,), slots_per_node=2),
    Mesh(dims=(2, 2), slots_per_node=2),
    Torus(dims=(3,), slots_per_node=3),
    Mesh(dims=(3,), slots_per_node=2),
]
PERCS_SCHEMES = [
    PercsDirect(),
    PercsDirect(intra="single-hop"),
    PercsIndirect(),
    PercsIndirect(intra="single-hop", count_middle_hop=False),
]


def jobs_for(slots):
    """Jobs that fill the slots, and jobs that leave some empty."""
    for tasks in range(max(2, slots - 2), slots + 1):
        for rows in (r for r in range(1, tasks + 1) if tasks % r == 0):
            yield Halo(rows, tasks // rows)
            yield Halo(rows, tasks // rows, periodic=False)
            yield Transpose(rows, tasks // rows)
        yield AllToAll(tasks=tasks)
        yield from (Permutation(tasks=tasks, seed=seed) for seed in range(3))
        yield Permutation(tasks=tasks, targets=(*range(1, tasks), 0))
        rng = np.random.default_rng(tasks)
        src, dst = rng.integers(tasks, size=(2, 2 * tasks))
        volume = tuple(rng.choice([1.0, 10.0], 2 * tasks).tolist())
        yield Flows(tasks=tasks, src=tuple(src.tolist()), dst=tuple(dst.tolist()), volume=volume)


@cache
def units_of(network, routing):
    return unit_loads(routing.router(network.build()))


@cache
def ways_of(tasks, nodes, slots_per_node):
    return placements(tasks, nodes, slots_per_node)


@pytest.mark.parametrize("routing", LATTICE_SCHEMES, ids=lambda routing: routing.summary())
@pytest.mark.parametrize("spec", TINY, ids=repr)
def test_no_placement_of_all_beats_a_bound(spec, routing):
    network, units = spec.build(), units_of(spec, routing)
    reached = []
    for job in jobs_for(network.slots):
        case = case_of(spec, job, routing)
        ways = ways_of(case.job.tasks, network.nodes, network.slots_per_node)
        best = best_time(case.job, case.router, units, ways)
        for bound in bounds(case):
            assert bound.time <= best * (1 + 1e-9), (job, bound, best)
        strongest = max((bound.time for bound in bounds(case)), default=0.0)
        reached.append(1.0 if best == 0 else strongest / best)
    # The bounds are not idle: on every machine the best placement of some job meets one.
    assert max(reached) == pytest.approx(1)


@pytest.mark.parametrize("d_links", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("routing", PERCS_SCHEMES, ids=repr)
def test_least_load_and_quantum_hold_for_every_pair_of_percs(d_links, routing):
    check_every_pair(Percs(3, d_links), routing)


@pytest.mark.parametrize("routing", LATTICE_SCHEMES, ids=repr)
@pytest.mark.parametrize("spec", [*TINY, Torus(dims=(3, 1, 4, 2)), Mesh(dims=(5, 3))], ids=repr)
def test_least_load_and_quantum_hold_for_every_pair_of_a_lattice(spec, routing):
    check_every_pair(spec, routing)


def check_every_pair(spec, routing):
    """What a pair puts on each class is at least what its partitions say, in multiples of the quantum."""
    network = spec.build()
    router = routing.router(network)
    chains = [[(groups_of(spec, network, part), part) for part in chain] for chain in router.partitions()]
    quanta = {c.name: router.share_quantum(c.name) for c in network.classes}
    for u in range(network.nodes):
        for v in range(network.nodes):
            if u == v or (network.nodes > 64 and (7 * u + v) % 5):
                continue
            route = router.route(u, v)
            load = np.bincount(network.class_of[route.links], route.shares, len(network.classes))
            for chain in chains:
                least = next((part.least for group, part in chain if group[u] != group[v]), {})
                assert all(load[c] >= least.get(name, 0.0) - 1e-12 for c, name in enumerate(quanta)), (u, v)
            for c, name in enumerate(quanta):
                if quanta[name] is not None:
                    parts = route.shares[network.class_of[route.links] == c] / float(quanta[name])
                    np.testing.assert_allclose(parts, np.round(parts), atol=1e-9)


def groups_of(spec, network, part):
    """The group of each node, from what a partition is called."""
    node = np.arange(network.nodes)
    if isinstance(spec, Percs):
        group = {"supernode": node // 32, "drawer": node // 8, "node": node}[part.name]
    else:
        d = [axis_name(d) for d in range(len(spec.dims))].index(part.name.split()[0])
        group = np.unravel_index(node, spec.dims)[d]
    assert (np.bincount(group) == part.nodes).all()
    assert group.max() + 1 == part.groups
    return group


@pytest.mark.parametrize("routing", PERCS_SCHEMES, ids=repr)
@pytest.mark.parametrize("d_links", [1, 4, 32])
@pytest.mark.parametrize(
    "job",
    [Halo(8, 8), Halo(4, 15, periodic=False), Transpose(8, 8), Permutation(tasks=64, seed=1), AllToAll(tasks=48)],
    ids=repr,
)
def test_no_placement_a_search_finds_beats_a_bound_on_percs(job, d_links, routing):
    case = case_of(Percs(2, d_links, slots_per_node=1), job, routing)
    found = bounds(case)
    rng = np.random.default_rng(d_links)
    climber = Climber(case.job, case.router, rng)
    starts = [np.arange(64), rng.permutation(64)]
    best = min(climber.best(start, 150) for start in starts)
    assert found
    for bound in found:
        assert bound.time <= best * (1 + 1e-9), bound


@pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect()], ids=repr)
@pytest.mark.parametrize("mapping", [Sequential(), Blocks(8, 16), Blocks(4, 8), ModColour(), RowOrColumn()])
@pytest.mark.parametrize("job", [Halo(64, 64), Transpose(64, 64)], ids=repr)
def test_the_papers_mappings_keep_to_the_bounds_class_by_class(job, mapping, routing):
    for d_links in (1, 4, 16):
        report = report_of(Percs(32, d_links), job, routing, mapping)
        found = bounds(report.case)
        assert max(bound.time for bound in found) <= report.time * (1 + 1e-9)
        for c in report.classes:
            bound = class_bound(found, c.name)
            assert bound is None or bound.time <= c.max_load / c.gbs * (1 + 1e-9)


def test_bounds_are_reached_where_the_paper_is_optimal():
    # Transpose: the hybrid mapping at nd <= 4 is as fast as any mapping can be, and so is indirect halo on D-links.
    for d_links in (1, 2, 4):
        report = report_of(Percs(32, d_links), Transpose(64, 64), PercsDirect(), RowOrColumn())
        assert bounds(report.case)[0].time == pytest.approx(report.time)


def test_bounds_come_strongest_first_with_their_reasons():
    found = bounds(case_of(Percs(32, 4), Halo(64, 64), PercsDirect()))
    assert [bound.time for bound in found] == sorted((bound.time for bound in found), reverse=True)
    assert all(bound.time > 0 and "at least" in bound.reason for bound in found)
    assert class_bound(found, "none such") is None
    assert class_bound(found, "D") == next(bound for bound in found if bound.link_class == "D")


def test_nothing_to_send_has_no_bound():
    assert bounds(case_of(Percs(2, 1), AllToAll(tasks=1), PercsDirect())) == ()


def test_whole_parts_lift_a_bound():
    # At least 11.5 units leave each of 32 supernodes over 31 x 4 D-links, 0.093 a link on average; but a flow's
    # quarter comes in parts of 1/4 x 1/4.
    case = case_of(Percs(32, 4), Halo(64, 64), PercsDirect())
    bound = class_bound(bounds(case), "D")
    part = Fraction(1, 16)
    mean = 32 * 11.5 / (32 * 31 * 4)
    assert bound.time * 10 >= mean
    assert (Fraction(bound.time * 10).limit_denominator(10**6) / part).denominator == 1
    assert evaluate(case).time >= bound.time
