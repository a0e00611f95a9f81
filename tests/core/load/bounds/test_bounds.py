"""Every bound is a theorem: no placement, enumerated or found by a search, is faster than any bound."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain as chained
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo, Permutation, Transpose
from core.load.bounds import Bound, Gap, bound_sentence, bound_title, bounds, class_bound, gap, scope
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Blocks, Explicit, ModColour, Random, RowOrColumn, Sequential
from core.network import FatTree, LinkFault, Mesh, Percs, Torus
from core.network.sizes import axis_name
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect, PercsIndirect, Valiant
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
def scale_of(network, routing):
    return unit_loads(routing.router(network.build()))


@cache
def ways_of(tasks, nodes, slots_per_node):
    return placements(tasks, nodes, slots_per_node)


@pytest.mark.parametrize("routing", [*LATTICE_SCHEMES, Valiant()], ids=lambda routing: routing.summary())
@pytest.mark.parametrize("spec", TINY, ids=repr)
def test_no_placement_beats_a_bound(spec, routing):
    network, units = spec.build(), scale_of(spec, routing)
    reached, case = [], None
    for job in jobs_for(network.slots):
        case = Scenario(spec, job, Sequential(), routing).build(case)
        ways = ways_of(case.job.tasks, network.nodes, network.slots_per_node)
        best = best_time(case.job, case.router, units, ways)
        all_bounds = bounds(case)
        for bound in all_bounds:
            assert bound.time <= best * (1 + 1e-9), (job, bound, best)
        strongest = max((bound.time for bound in all_bounds), default=0.0)
        reached.append(1.0 if best == 0 else strongest / best)
    # The bounds are not idle: on every machine the best placement of some job reaches a bound.
    assert max(reached) == pytest.approx(1)


@pytest.mark.parametrize("nodes", ["0,3", "1,2,5", "5,0,2,7", "4-7"])
@pytest.mark.parametrize(
    "spec", [Torus((2, 4), slots_per_node=2), Percs(2, 4, drawers=2, nodes_per_drawer=2)], ids=repr
)
def test_no_placement_on_some_nodes_beats_a_bound(spec, nodes):
    routing = DimensionOrder() if isinstance(spec, Torus) else PercsDirect()
    network, units, case = spec.build(), scale_of(spec, routing), None
    for job in jobs_for(4):
        case = Scenario(spec, job, Sequential(), routing, allocation=nodes).build(case)
        own = case.allocation.nodes
        some = units[np.ix_(own, own)]
        best = best_time(case.job, case.router, some, ways_of(case.job.tasks, own.size, network.slots_per_node))
        for bound in bounds(case):
            assert bound.time <= best * (1 + 1e-9), (job, bound, best)


@pytest.mark.parametrize(("nodes", "hops"), [("0-1,8-9", "4"), ("0,4,32,36", "16")])
def test_the_distances_of_the_jobs_own_nodes_count(nodes, hops):
    # Each of four tasks sends a half to each of two partners, one link away at least, or four.
    case = Scenario(Torus((8, 8)), Halo(2, 2), Sequential(), DimensionOrder(), allocation=nodes).build()
    assert any(f"at least {hops} unit hops" in bound.reason for bound in bounds(case))


def test_a_job_with_nodes_in_several_supernodes_is_bound_by_the_links_between_them():
    compact, scattered = (
        bounds(Scenario(Percs(2, 1), AllToAll(128), Sequential(), PercsDirect(), allocation=nodes).build())
        for nodes in ("0-31", "0-15,32-47")
    )
    assert class_bound(compact, "D") is None
    assert class_bound(scattered, "D").time == scattered[0].time


@pytest.mark.parametrize("d_links", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("supernodes", [3, 4])
@pytest.mark.parametrize("routing", PERCS_SCHEMES, ids=repr)
def test_least_load_and_quantum_hold_for_every_pair_of_percs(supernodes, d_links, routing):
    check_every_pair(Percs(supernodes, d_links), routing, some=61)


@pytest.mark.parametrize(("drawers", "nodes"), [(1, 4), (4, 1), (2, 3), (3, 8), (5, 4)])
@pytest.mark.parametrize("supernodes", [1, 4, 5])
@pytest.mark.parametrize("routing", PERCS_SCHEMES, ids=repr)
def test_least_load_and_quantum_hold_in_supernodes_of_any_size(supernodes, drawers, nodes, routing):
    size = drawers * nodes
    # For a single supernode it is irrelevant to all routes how many links lead there.
    for d_links in (1, size) if supernodes == 1 else (d for d in range(1, size + 1) if size % d == 0):
        check_every_pair(Percs(supernodes, d_links, drawers=drawers, nodes_per_drawer=nodes), routing, some=131, few=7)


@pytest.mark.parametrize(("supernodes", "d_links"), [(16, 1), (16, 2), (32, 2), (12, 2), (32, 1), (8, 1), (8, 8)])
def test_least_load_holds_where_the_middle_hop_changes_drawers(supernodes, d_links):
    check_every_pair(Percs(supernodes, d_links), PercsIndirect(), some=797)


@pytest.mark.parametrize("routing", LATTICE_SCHEMES, ids=repr)
@pytest.mark.parametrize("spec", [*TINY, Torus(dims=(3, 1, 4, 2)), Mesh(dims=(5, 3))], ids=repr)
def test_least_load_and_quantum_hold_for_every_pair_of_a_lattice(spec, routing):
    check_every_pair(spec, routing)


def check_every_pair(spec, routing, some=1, few=1):
    """Assert that a pair loads each class at least as its partitions say, in multiples of the quantum.

    One pair in `some` is checked, and one in `few` with at most 64 nodes.
    """
    network = spec.build()
    router = routing.router(network)
    chains = [[(groups_of(spec, network, part), part) for part in chain] for chain in router.partitions()]
    members = {name: members_of(spec, network, name) for name in router.link_sets()}
    for name, links in router.link_sets().items():
        assert members[name].sum() == links.links
        assert {network.classes[c].name for c in network.class_of[members[name]]} <= {links.link_class}
    hops = hops_of(router, pairs_of(network.nodes, some if network.nodes > 64 else few))
    for chain in chains:
        check_least(chain, members, hops)
        check_crosses(network, chain, hops)
    check_quanta(router, hops)
    for group, part in chained(*chains):
        if part.gates is not None and part.groups > 1:
            check_gates(network, group, part.gates)


def pairs_of(nodes, some):
    """One in `some` of all pairs of different nodes, shape (pairs, 2)."""
    u, v = np.divmod(np.arange(nodes**2), nodes)
    return np.stack([u, v], axis=1)[(u != v) & ((7 * u + v - 1) % some == 0)]


class Hops(NamedTuple):
    """The routes of pairs of nodes as hops, each with its pair."""

    pairs: np.ndarray
    """Shape (pairs, 2)."""
    pair: np.ndarray
    links: np.ndarray
    shares: np.ndarray

    def sums(self, chosen):
        """The total share of each pair on the chosen hops."""
        return np.bincount(self.pair, self.shares * chosen, len(self.pairs))


def hops_of(router, pairs):
    """All hops of all pairs."""
    routes = [router.route(*pair) for pair in pairs.tolist()]
    owner = np.repeat(np.arange(len(routes)), [route.links.size for route in routes])
    links, shares = (np.concatenate([getattr(route, what) for route in routes]) for what in ("links", "shares"))
    return Hops(pairs, owner, links, shares)


def check_least(chain, members, hops):
    """Assert that a route loads every set of links at least as the first partition that separates the pair says."""
    together = np.full(len(hops.pairs), True)
    for group, part in chain:
        first, last = group[hops.pairs.T]
        parts = together & (first != last)
        for name, load in part.least.items() if parts.any() else ():
            assert (hops.sums(members[name][hops.links])[parts] >= load - 1e-12).all(), name
        together &= first == last


def check_quanta(router, hops):
    """The parts of routes are multiples of the quantum of their class."""
    for c, link_class in enumerate(router.network.classes):
        quantum = router.share_quantum(link_class.name)
        if quantum is not None:
            parts = hops.shares[router.network.class_of[hops.links] == c] / float(quantum)
            assert (np.abs(parts - np.round(parts)) <= 1e-9).all(), link_class.name


def check_crosses(network, chain, hops):
    """Assert that all traffic between two groups crosses the links between them."""
    for group, part in chain:
        first, last = group[hops.pairs.T]
        if part.gates is not None:
            leaves = group[network.src[hops.links]] == first[hops.pair]
            reaches = group[network.dst[hops.links]] == last[hops.pair]
            np.testing.assert_allclose(hops.sums(leaves & reaches)[first != last], 1, rtol=1e-6)


def check_gates(network, group, gates):
    """Assert that the declared number of links, all of the declared class, leads from any group to any other."""
    first, last = group[network.src], group[network.dst]
    between = first != last
    pair = first[between] * (group.max() + 1) + last[between]
    assert np.unique(pair).size == (group.max() + 1) * group.max()
    assert set(np.unique(pair, return_counts=True)[1].tolist()) == {gates.links}
    assert {network.classes[c].name for c in network.class_of[between]} == {gates.link_class}


def members_of(spec, network, name):
    """The links of a set, by its name."""
    chosen = network.class_of == [c.name for c in network.classes].index(name.split()[0])
    if name.endswith("links inside buckets"):
        chosen &= network.src // spec.bucket == network.dst // spec.bucket
    return chosen


def groups_of(spec, network, part):
    """The group of each node, by the name of a partition."""
    node = np.arange(network.nodes)
    if isinstance(spec, Percs):
        supernode, drawer = node // spec.nodes_per_supernode, node // spec.nodes_per_drawer
        residue = supernode % spec.bucket
        group = {
            "octet of congruence classes": residue // 8,
            "run of congruence classes": residue // spec.nodes_per_drawer,
            "congruence class": residue,
            "supernode": supernode,
            "drawer": drawer,
            "node": node,
        }[part.name]
    else:
        d = [axis_name(d) for d in range(len(spec.dims))].index(part.name.split()[0])
        group = np.unravel_index(node, spec.dims)[d]
    assert (np.bincount(group) == part.nodes).all()
    assert group.max() + 1 == part.groups
    return group


@pytest.mark.parametrize("routing", PERCS_SCHEMES, ids=repr)
@pytest.mark.parametrize("d_links", [1, 4, 8])
@pytest.mark.parametrize(
    "job",
    [Halo(4, 4), Halo(3, 5, periodic=False), Transpose(4, 4), Permutation(tasks=16, seed=1), AllToAll(tasks=12)],
    ids=repr,
)
def test_no_placement_a_search_finds_beats_a_bound_on_percs(job, d_links, routing):
    # Few nodes: a shorter search comes nearer to the best placement, and thus to the bounds.
    spec = Percs(2, d_links, drawers=2, nodes_per_drawer=4, slots_per_node=1)
    case = case_of(spec, job, routing)
    all_bounds = bounds(case)
    rng = np.random.default_rng(d_links)
    climber = Climber(case.job, case.network, scale_of(spec, routing), rng)
    starts = [np.arange(16), rng.permutation(16)]
    best = min(climber.best(start, 100) for start in starts)
    assert all_bounds
    for bound in all_bounds:
        assert bound.time <= best * (1 + 1e-9), bound


@cache
def papers_case(job, d_links, routing):
    """A case of the paper, and its bounds, which hold for all mappings."""
    case = case_of(Percs(32, d_links), job, routing)
    return case, bounds(case)


@pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect()], ids=repr)
@pytest.mark.parametrize(
    "mapping",
    [Sequential(), Blocks(8, 16), Blocks(4, 8), Blocks(4, 8, order="random"), ModColour(), RowOrColumn(), Random()],
)
@pytest.mark.parametrize("job", [Halo(64, 64), Transpose(64, 64)], ids=repr)
def test_the_papers_mappings_keep_to_the_bounds_class_by_class(job, mapping, routing):
    for d_links in (1, 2, 4, 8, 16):
        case, all_bounds = papers_case(job, d_links, routing)
        report = evaluate(replace(case.scenario, mapping=mapping).build(case))
        assert max(bound.time for bound in all_bounds) <= report.time * (1 + 1e-9)
        for c in report.classes:
            bound = class_bound(all_bounds, c.name)
            assert bound is None or bound.time <= c.max_load / c.gbs * (1 + 1e-9)


@st.composite
def small_percs_cases(draw):
    """Two to four supernodes, any job on them, filling them or not, mapped in blocks or at random."""
    network = Percs(draw(st.integers(2, 4)), draw(st.sampled_from([1, 2, 4, 8, 16, 32])), slots_per_node=1)
    tasks = 32 * network.supernodes - draw(st.sampled_from([0, 0, 4, 17]))
    rows = draw(st.sampled_from([r for r in range(1, tasks + 1) if tasks % r == 0]))
    seed = draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    src, dst = (tuple(rng.integers(tasks, size=3 * tasks).tolist()) for _ in range(2))
    job = draw(
        st.sampled_from(
            [
                Halo(rows, tasks // rows),
                Halo(rows, tasks // rows, periodic=False),
                Transpose(rows, tasks // rows),
                AllToAll(tasks=tasks),
                Permutation(tasks=tasks, seed=seed),
                Flows(tasks=tasks, src=src, dst=dst, volume=tuple((rng.random(3 * tasks) ** 4).tolist())),
            ]
        )
    )
    mapping = draw(st.sampled_from([Sequential(), Random(seed=seed)]))
    return case_of(network, job, draw(st.sampled_from(PERCS_SCHEMES)), mapping)


@settings(deadline=None)
@given(small_percs_cases())
def test_no_random_case_beats_a_bound_of_a_class(case):
    report, all_bounds = evaluate(case), bounds(case)
    assert all_bounds[0].time <= report.time * (1 + 1e-9)
    for c in report.classes:
        bound = class_bound(all_bounds, c.name)
        assert bound is None or bound.time <= c.max_load / c.gbs * (1 + 1e-9)


def test_bounds_are_reached_where_the_paper_is_optimal():
    # Transpose: the hybrid mapping at nd <= 4 is as fast as any mapping can be, as is indirect halo on D-links.
    for d_links in (1, 2, 4):
        report = report_of(Percs(32, d_links), Transpose(64, 64), PercsDirect(), RowOrColumn())
        assert bounds(report.case)[0].time == pytest.approx(report.time)


def test_a_bound_has_one_sentence_and_its_proof_apart():
    case = case_of(Percs(32, 4), Halo(64, 64), PercsDirect())
    bound, *others = bounds(case)
    says = "Upper bound 213.3 GB/s per node: at least 368 units must leave their supernodes over D links."
    assert bound_sentence(case, bound) == says
    assert bound.steps[:3] == (
        "1. Each supernode has room for 128 of the 4,096 tasks, so at least 368 units must leave their supernodes.",
        "2. The 3,968 D links of 10 GB/s carry at least 368 units in total, 0.09274 each on average.",
        "3. Loads are multiples of 0.0625 units, so the busiest of these links carries at least 0.125 units.",
    )
    for other in (bound, *others):
        assert other.reason[:1].islower()
        assert not other.reason.endswith(".")
        assert all(step[:1].isupper() and step.endswith(".") for step in other.derivation)
        assert other.derivation[-1].startswith("So the job lasts at least ")


def test_the_sentence_of_a_bound_names_its_scope():
    job, nodes = Halo(2, 4), "0-7"
    scenario = Scenario(Torus((4, 4)), job, Sequential(), DimensionOrder(), allocation=nodes)
    neighbour = Neighbour(name="B", job=job, mapping=Sequential(), allocation="8-15")
    alone, shared = (replace(scenario, neighbours=others).build() for others in ((), (neighbour,)))
    broken = replace(scenario, allocation="", routing=Minimal(), faults=(LinkFault(0, 1),)).build()
    assert scope(replace(scenario, allocation="").build()) == ""
    assert bound_title(alone, bounds(alone)[0]).endswith(" GB/s per node on these 8 nodes")
    assert bound_title(shared, bounds(shared)[0]).endswith(" GB/s per node on these 8 nodes, background jobs ignored")
    assert bound_title(broken, bounds(broken)[0]).endswith(" GB/s per node if no flow is disconnected")


def test_bounds_are_sorted_strongest_first_and_have_reasons():
    all_bounds = bounds(case_of(Percs(32, 4), Halo(64, 64), PercsDirect()))
    assert [bound.time for bound in all_bounds] == sorted((bound.time for bound in all_bounds), reverse=True)
    assert all(bound.time > 0 and "at least" in bound.reason for bound in all_bounds)
    assert class_bound(all_bounds, "none such") is None
    assert class_bound(all_bounds, "D") == next(bound for bound in all_bounds if bound.link_class == "D")


def test_indirect_halo_respects_the_bound_of_the_grid():
    # At least 46 edges leave any 128 tasks of a 64 x 64 grid: a D-link carries 92 quarters by 32.
    all_bounds = bounds(case_of(Percs(32, 1), Halo(64, 64), PercsIndirect()))
    assert 4 / all_bounds[0].time == pytest.approx(40 / (92 / 4 / 32))
    assert 4 / all_bounds[0].time < 55.66
    assert all_bounds[0].link_class == "D"
    report = report_of(Percs(32, 1), Halo(64, 64), PercsIndirect(), Blocks(8, 16))
    distance = gap(all_bounds, report.time)
    assert distance.left == pytest.approx(48 / 46 - 1)
    assert distance.share == "95.8 % of the upper bound"


def test_direct_halo_needs_three_edges_between_some_two_supernodes():
    # 46 edges leave each supernode to 31 others: two per pair would be enough if the tasks were not in pieces then.
    for d_links, limit in ((1, 160 / 3), (2, 320 / 3), (4, 640 / 3)):
        all_bounds = bounds(case_of(Percs(32, d_links), Halo(64, 64), PercsDirect()))
        assert 4 / all_bounds[0].time == pytest.approx(limit)
        assert class_bound(all_bounds, "D") == all_bounds[0]
        assert "more pieces" in all_bounds[0].derivation[-2]


@pytest.mark.parametrize(("routing", "limit"), [(PercsDirect(), 268.8), (PercsIndirect(), 256.0)], ids=repr)
def test_classes_together_are_bounded_more_strongly_than_alone(routing, limit):
    all_bounds = bounds(case_of(Percs(32, 16), Halo(64, 64), routing))
    assert all_bounds[0].link_class is None
    assert "loads the others" in " ".join(all_bounds[0].derivation)
    assert 4 / all_bounds[0].time == pytest.approx(limit)
    assert 4 / all_bounds[1].time > 1.5 * limit


def test_a_task_with_many_partners_keeps_the_links_of_its_node_busy():
    # Task 0 sends 1 to each of 29 others, 3 of which may be on its node: two links of 1 GB/s carry the rest.
    hub = Flows(tasks=30, src=(0,) * 29, dst=tuple(range(1, 30)), volume=(1.0,) * 29)
    all_bounds = bounds(case_of(Torus(dims=(8,), gbs=1.0, slots_per_node=4), hub, DimensionOrder()))
    assert all_bounds[0].time == pytest.approx(26 / 2)
    assert "send at least 26 GB out of its node" in all_bounds[0].reason
    back = Flows(tasks=30, src=tuple(range(1, 30)), dst=(0,) * 29, volume=(1.0,) * 29)
    all_bounds = bounds(case_of(Torus(dims=(8,), gbs=1.0, slots_per_node=4), back, DimensionOrder()))
    assert all_bounds[0].time == pytest.approx(26 / 2)
    assert "receive at least 26 GB from outside its node" in all_bounds[0].reason


def test_a_task_with_very_many_partners_keeps_the_links_of_its_supernode_busy():
    # 32 nodes of one slot: of 60 partners 29 are elsewhere, and 3 x 1 D-links lead there.
    hub = Flows(tasks=61, src=(0,) * 60, dst=tuple(range(1, 61)), volume=(1.0,) * 60)
    all_bounds = bounds(case_of(Percs(4, 1, slots_per_node=1), hub, PercsIndirect()))
    star = next(bound for bound in all_bounds if "its supernode" in bound.reason and "some task" in bound.reason)
    assert star.time == pytest.approx(29 / 30)


def test_the_bound_of_a_halo_on_a_torus_is_reached():
    # A ring of 16 runs along a ring of 8 and back next to it, and a ring of 4 is two times two: 16 x 16 in 8 x 8 x 4.
    i, j = np.divmod(np.arange(256), 16)
    (x, a), (y, b) = ((np.where(k < 8, k, 15 - k), k // 8) for k in (i, j))
    node = (x * 8 + y) * 4 + np.array([[0, 1], [3, 2]])[a, b]
    report = report_of(Torus(dims=(8, 8, 4)), Halo(16, 16), DimensionOrder(), Explicit(tuple(node.tolist())))
    assert report.load.max() == pytest.approx(0.25)
    distance = gap(bounds(report.case), report.time)
    assert distance.closed
    assert (distance.left, distance.reached) == (0.0, 1.0)
    assert distance.sentence == "This mapping reaches the upper bound, so no mapping is faster."


def test_the_gap_is_a_share_of_the_upper_bound():
    two_bounds = (Bound(2.0, "D", "so"), Bound(1.0, None, "so"))
    assert gap((), 3.0) is None
    assert gap(two_bounds, 0.0) is None
    assert gap(two_bounds, 2.2) == Gap(two_bounds[0], 2.2)
    assert gap(two_bounds, 2.2).reached == pytest.approx(1 / 1.1)
    assert gap(two_bounds, 2.2).left == pytest.approx(0.1)
    assert gap(two_bounds, 3.0).share == "66.7 % of the upper bound"
    assert gap(two_bounds, 9e4).share == "<0.1 % of the upper bound"
    assert gap(two_bounds, 2.0001).share == "99.9 % of the upper bound"


def test_a_job_without_flows_has_no_bound():
    assert bounds(case_of(Percs(2, 1), AllToAll(tasks=1), PercsDirect())) == ()


def test_whole_parts_raise_a_bound():
    # At least 11.5 units leave each of 32 supernodes over 31 x 4 D-links, 0.093 per link on average; but a flow's
    # quarter comes in parts of 1/4 x 1/4.
    case = case_of(Percs(32, 4), Halo(64, 64), PercsDirect())
    bound = class_bound(bounds(case), "D")
    part = Fraction(1, 16)
    mean = 32 * 11.5 / (32 * 31 * 4)
    assert bound.time * 10 >= mean
    assert (Fraction(bound.time * 10).limit_denominator(10**6) / part).denominator == 1
    assert evaluate(case).time >= bound.time


@pytest.mark.parametrize("job", [Permutation(tasks=64, seed=1), AllToAll(tasks=64)], ids=["permutation", "all-to-all"])
def test_one_task_per_node_is_bound_by_the_links_of_its_node(job):
    # Fat trees are designed so that no other links matter: any mapping of an all-to-all reaches the bound.
    case = case_of(FatTree(arity=4, levels=3), job, Minimal(spread="equal"))
    sent = 1 if isinstance(job, Permutation) else 63 / 64
    assert bounds(case)[0].time == pytest.approx(sent / 12.5)
    assert bounds(case)[0].time <= evaluate(case).time * (1 + 1e-9)
