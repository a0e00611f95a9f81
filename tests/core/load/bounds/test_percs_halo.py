"""Bounds of a halo exchange on PERCS: by exhaustion on tiny machines, and against mappings that reach them."""

from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from core.job import Halo, HaloNd
from core.job.job import near_square
from core.load.bounds import bounds
from core.load.bounds.percs_halo import LEAST_INNER, FullSupernode, percs_halo_bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, Explicit, ModColour, Random, Sequential
from core.network import LinkFault, Percs
from core.routing import PercsDirect, PercsIndirect
from tests.core.load.cases import case_of, report_of
from tests.core.load.search import traffic, unit_loads

DIRECT = [PercsDirect(), PercsDirect(intra="single-hop")]


def tiny(supernodes, d_links, drawers, nodes=1, slots=1):
    return Percs(supernodes, d_links, drawers=drawers, nodes_per_drawer=nodes, slots_per_node=slots)


def open_grid(rows, cols):
    return Halo(rows, cols, periodic=False)


SINGLE_PORT = [
    (tiny(3, 1, 3), Halo(3, 3)),
    (tiny(3, 1, 3), open_grid(2, 4)),
    (tiny(4, 1, 3), Halo(3, 4)),
    (tiny(4, 1, 3), open_grid(3, 4)),
    (tiny(5, 1, 3), Halo(3, 5)),
    (tiny(6, 1, 3), Halo(3, 5)),
    (tiny(6, 1, 3), Halo(4, 4)),
    (tiny(6, 1, 3), open_grid(3, 6)),
    (tiny(7, 1, 3), Halo(4, 4)),
    (tiny(7, 1, 3), Halo(4, 5)),
    (tiny(3, 1, 3, slots=2), Halo(4, 4)),
    (tiny(4, 1, 3, slots=2), Halo(4, 5)),
    (tiny(4, 1, 4), open_grid(3, 3)),
    (tiny(6, 1, 4), Halo(4, 5)),
]
TWO_DRAWERS = [
    (tiny(2, 2, 2), Halo(2, 2)),
    (tiny(3, 2, 2, slots=2), Halo(3, 3)),
    (tiny(2, 4, 2, nodes=2), open_grid(2, 4)),
    (tiny(2, 3, 3, slots=2), open_grid(3, 3)),
    (tiny(3, 2, 2, nodes=2), open_grid(1, 7)),
]
FULL = [
    (tiny(2, 2, 2, nodes=2), Halo(2, 4)),
    (tiny(3, 2, 2, nodes=2), open_grid(3, 4)),
    (tiny(2, 2, 2, nodes=2, slots=2), open_grid(4, 4)),
    (tiny(2, 2, 2, nodes=3), open_grid(3, 4)),
    (tiny(2, 3, 3, nodes=2), Halo(3, 4)),
]


class Exhaustive:
    """Places tasks in order, and abandons a partial placement once it takes too long: further tasks only add load."""

    def __init__(self, case):
        network = case.network
        self.tasks, self.nodes, self.slots_per_node = case.job.tasks, network.nodes, network.slots_per_node
        self.seconds = unit_loads(case.router) / network.gbs
        self.volume = np.zeros((self.tasks, self.tasks))
        src, dst, volume = traffic(case.job)
        np.add.at(self.volume, (src, dst), volume)

    def placement_below(self, time):
        """A placement that takes less than a time, or None."""
        return self._extended((), np.zeros(self.seconds.shape[-1]), time * (1 - 1e-9))

    def _extended(self, placed, times, limit):
        task = len(placed)
        if task == self.tasks:
            return placed
        after = np.tile(times, (self.nodes, 1))
        for other, node in enumerate(placed):
            after += self.volume[task, other] * self.seconds[:, node] + self.volume[other, task] * self.seconds[node]
        for node in np.flatnonzero(after.max(axis=1) < limit).tolist():
            if placed.count(node) < self.slots_per_node:
                full = self._extended((*placed, node), after[node], limit)
                if full is not None:
                    return full
        return None


def special_bounds(network, job, routing=DIRECT[0]):
    return list(percs_halo_bounds(case_of(network, job, routing)))


def check_exhaustively(network, job, clause, routing=DIRECT[0]):
    """Assert that a bound has a reason with this clause, and that no placement beats any bound."""
    case = case_of(network, job, routing)
    all_bounds, search = list(percs_halo_bounds(case)), Exhaustive(case)
    assert any(clause in bound.reason for bound in all_bounds)
    for bound in all_bounds:
        assert search.placement_below(bound.time) is None, bound


@pytest.mark.parametrize("routing", DIRECT, ids=repr)
@pytest.mark.parametrize("rates", [{}, {"lr_gbs": 1.0, "d_gbs": 1000.0}], ids=["default", "slow LR"])
@pytest.mark.parametrize(("network", "job"), SINGLE_PORT, ids=repr)
def test_no_placement_beats_the_bound_of_a_single_port(network, job, rates, routing):
    check_exhaustively(replace(network, **rates), job, "three drawers", routing)


@pytest.mark.parametrize("routing", DIRECT, ids=repr)
@pytest.mark.parametrize(("network", "job"), TWO_DRAWERS, ids=repr)
def test_no_placement_beats_the_bound_of_ports_in_two_drawers(network, job, routing):
    check_exhaustively(network, job, "another drawer", routing)


@pytest.mark.parametrize(("lr", "ll"), [(5.0, 21.0), (5.0, 0.5), (20.0, 5.0), (5.0, 100.0)])
@pytest.mark.parametrize(("network", "job"), FULL, ids=repr)
def test_no_placement_beats_the_bound_of_full_supernodes(network, job, lr, ll):
    check_exhaustively(replace(network, lr_gbs=lr, ll_gbs=ll, d_gbs=1000.0), job, "must cross some LR link")


@pytest.mark.parametrize(("network", "job"), [(tiny(3, 1, 3), open_grid(2, 4)), (tiny(6, 1, 3), open_grid(4, 4))])
def test_some_placement_reaches_the_bound_of_a_single_port(network, job):
    case = case_of(network, job, PercsDirect())
    (bound,) = percs_halo_bounds(case)
    assert bounds(case)[0].time == bound.time
    assert Exhaustive(case).placement_below(bound.time * 1.001) is not None


def test_two_tasks_reach_the_bound_of_ports_in_two_drawers():
    # Each is on a port: half of its message leaves by its own node, half by a node in another drawer.
    network = Percs(2, 2, slots_per_node=1)
    report = evaluate(Scenario(network, open_grid(1, 2), Sequential(), PercsDirect(), allocation="0,32").build())
    assert report.time == pytest.approx(0.025)
    strongest = bounds(report.case, report)[0]
    assert (strongest.link_class, strongest.time) == ("LR", pytest.approx(report.time))


def test_a_single_port_bounds_nothing_if_two_drawers_have_enough_ports():
    # Supernode k has its port in drawer k // 8. Task k of a checkerboard, alone in its supernode, is in the drawer to
    # which the ports of its four neighbours belong, so it needs no LR link.
    network, k = tiny(16, 1, 2, nodes=8), np.arange(16)
    black = (k // 4 + k) % 2 == 0
    supernode = np.where(black, np.cumsum(black) - 1, 7 + np.cumsum(~black))
    slots = 16 * supernode + 8 * black
    report = report_of(network, Halo(4, 4), PercsDirect(), Explicit(tuple(slots.tolist())))
    assert special_bounds(network, Halo(4, 4)) == []
    assert report.time == pytest.approx(0.025)
    # With three drawers, ports in two of them are enough for as many tasks as their supernodes have slots.
    assert special_bounds(tiny(24, 1, 3, nodes=8), Halo(16, 24)) == []
    assert special_bounds(tiny(24, 1, 3, nodes=8), Halo(16, 25)) != []


@pytest.mark.parametrize(
    ("supernodes", "mapping"),
    [(8, Sequential()), (8, Random()), (8, Blocks(8, 16)), (32, Blocks(4, 8)), (32, Blocks(4, 4)), (32, ModColour())],
    ids=repr,
)
def test_ll_links_of_full_supernodes_carry_the_least_load(supernodes, mapping):
    rows, cols = near_square(128 * supernodes)
    report = report_of(Percs(supernodes, 4), Halo(rows, cols), PercsDirect(), mapping)
    network, least = report.case.network, FullSupernode(drawers=4, mates=8, ends=256, outside=46)
    parts = np.rint(report.load * 4 * least.parts).astype(int)
    (ll,), (lr,) = (np.nonzero(network.class_of == c) for c in range(2))
    total = np.bincount(network.src[ll] // 32, parts[ll], supernodes)
    most = np.zeros(supernodes, int)
    np.maximum.at(most, network.src[lr] // 32, parts[lr])
    assert [each >= least.least_ll(k) for each, k in zip(total, most.tolist(), strict=True)] == [True] * supernodes


def eighths(supernodes, seed):
    """Loads of a random mapping in eighths of a message; tasks and ends of all edges by node."""
    rows, cols = near_square(128 * supernodes)
    report = report_of(Percs(supernodes, 4), Halo(rows, cols), PercsDirect(), Random(seed=seed))
    node = report.case.mapping.nodes
    src, dst, _ = traffic(report.case.job)
    return report.case.network, np.rint(report.load * 32).astype(int), node[src], node[dst]


def test_links_carry_the_loads_of_the_proof_for_many_supernodes():
    network, load, u, v = eighths(8, seed=5)
    nodes = network.nodes
    inside, near = u // 32 == v // 32, u // 8 == v // 8
    leaves = u != v
    outside, within, across = np.zeros((nodes, 8), int), np.zeros(nodes, int), np.zeros((nodes, nodes // 8), int)
    np.add.at(outside, (u[~inside], v[~inside] // 32 % 8), 1)
    np.add.at(within, u[near & leaves], 1)
    np.add.at(across, (u[inside & ~near], v[inside & ~near] // 8), 1)
    for link_class in range(2):
        links = network.class_of == link_class
        a, b = network.src[links], network.dst[links]
        expected = 2 * (outside[a, b % 8] + outside[b, a % 8])
        expected += within[a] + within[b] + across[a].sum(axis=1) if link_class == 0 else across[b, a // 8]
        np.testing.assert_array_equal(load[links], expected)


@pytest.mark.parametrize(("drawers", "nodes"), [(2, 2), (3, 2), (2, 3), (4, 1)])
def test_ports_exclude_each_other(drawers, nodes):
    # e(u, x(v)) + e(v, x(u)) <= 1 for all nodes u, v in different drawers.
    sets = np.array(list(product((False, True), repeat=drawers * nodes**2))).reshape(-1, drawers, nodes, nodes)
    valid = np.ones(len(sets), bool)
    for first, second in combinations(range(drawers), 2):
        valid &= ~(sets[:, first] & sets[:, second].transpose(0, 2, 1)).any(axis=(1, 2))
    assert sets[valid].sum(axis=(1, 2, 3)).max() == drawers * nodes * (nodes - 1) // 2 + nodes


def may_have_inner_nodes(counts):
    """Whether the drawers of a supernode may have these numbers of nodes without edges to other supernodes."""
    least = [4 * (8 - count) if count else 0 for count in counts]
    joined = [0] * 4
    for first, second in combinations(range(4), 2):
        pairs = range(min(counts[first], counts[second]) + 1)
        most = max(m for m in pairs if least[first] + least[second] <= (8 - m) ** 2)
        joined[first] += most
        joined[second] += most
    return all(count < 2 or most >= 2 * count for count, most in zip(counts, joined, strict=True))


def test_two_inner_nodes_in_a_drawer_need_many_inner_nodes():
    every = [counts for counts in combinations_with_replacement(range(9), 4) if counts[-1] > 1]
    assert min(sum(counts) for counts in every if may_have_inner_nodes(counts)) == LEAST_INNER


def test_the_bound_of_many_supernodes_needs_grids_whose_pieces_have_long_borders():
    reasons = [bound.reason for bound in special_bounds(Percs(128, 4), Halo(128, 128))]
    assert any("drawers have few ports" in reason for reason in reasons)
    for job in (Halo(4, 4096), open_grid(128, 128), Halo(127, 128)):
        assert all("few ports" not in bound.reason for bound in special_bounds(Percs(128, 4), job))
    assert all("few ports" not in bound.reason for bound in special_bounds(Percs(128, 4), Halo(128, 128), DIRECT[1]))


@pytest.mark.parametrize(
    ("supernodes", "limits"),
    [
        (32, {1: 160 / 3, 2: 320 / 3, 4: 640 / 3, 8: 268.8, 16: 268.8}),
        (64, {1: 80, 2: 160, 4: 640 / 3}),
        (128, {1: 80, 2: 160, 4: 640 / 3}),
        (256, {1: 80}),
    ],
)
def test_the_strongest_bounds_of_a_power_775(supernodes, limits):
    job = Halo(*near_square(128 * supernodes))
    for d_links, limit in limits.items():
        assert 4 / bounds(case_of(Percs(supernodes, d_links), job, PercsDirect()))[0].time == pytest.approx(limit)


def coloured_squares():
    """Squares of 4 x 4 tasks, a quarter on each of four nodes of a drawer; the slots of 64 x 64 tasks.

    Squares next to each other belong to different supernodes, and no two supernodes share more than two sides. Rows of
    squares are alternately on even and odd supernodes, so a node has two edges to even and two to odd supernodes, which
    have ports on even and odd nodes.
    """
    row, col = np.divmod(np.arange(256), 16)
    factor = np.array([1, 3, 5, 7])[row // 2 % 4]
    supernode = 2 * ((factor * col + (row // 2) ** 2 + row**2) % 16) + row % 2
    square = np.zeros(256, int)
    order = np.argsort(supernode, kind="stable")
    square[order] = np.arange(256)
    i, j = np.divmod(np.arange(4096), 64)
    quarter, task = (2 * (i // side % 2) + j // side % 2 for side in (2, 1))
    return 16 * square[16 * (i // 4) + j // 4] + 4 * quarter + task


def test_coloured_squares_reach_the_bound_with_sixteen_d_links():
    mapping = Explicit(tuple(coloured_squares().tolist()))
    report = report_of(Percs(32, 16), Halo(64, 64), PercsDirect(), mapping)
    assert 4 / report.time == pytest.approx(268.8)
    assert bounds(report.case, report)[0].time == pytest.approx(report.time)


def test_bounds_are_for_a_halo_exchange_under_direct_routing():
    network, job = Percs(32, 4), Halo(64, 64)
    assert special_bounds(network, HaloNd(dims=(64, 64))) == special_bounds(network, job)
    assert [bound.link_class for bound in special_bounds(network, job)] == ["LR", None, None]
    assert [bound.link_class for bound in special_bounds(network, job, DIRECT[1])] == ["LR"]
    assert special_bounds(network, job, PercsIndirect()) == []
    assert special_bounds(network, HaloNd(dims=(64, 64), stencil="box")) == []
    assert special_bounds(network, Halo(8, 16)) == []
    assert [bound.link_class for bound in special_bounds(network, Halo(63, 64))] == ["LR"]
    faulty = Scenario(network, job, Sequential(), PercsDirect(), faults=(LinkFault(0, 1),)).build()
    assert list(percs_halo_bounds(faulty)) == []


@st.composite
def cases(draw):
    """A halo exchange on a PERCS machine of any size that fits, mapped in order or at random."""
    drawers, nodes, slots = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    size = drawers * nodes
    d_links = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
    rates = {name: draw(st.sampled_from([1.0, 5.0, 21.0])) for name in ("ll_gbs", "lr_gbs", "d_gbs")}
    network = replace(tiny(draw(st.integers(2, 12)), d_links, drawers, nodes, slots), **rates)
    tasks = network.supernodes * size * slots
    rows = draw(st.integers(1, int(tasks**0.5)))
    job = Halo(rows, tasks // rows, draw(st.booleans()))
    mapping = draw(st.sampled_from([Sequential(), Random(seed=draw(st.integers(0, 99)))]))
    return case_of(network, job, draw(st.sampled_from(DIRECT)), mapping)


@settings(deadline=None)
@given(cases())
def test_no_random_mapping_beats_a_bound(case):
    report = evaluate(case)
    for bound in percs_halo_bounds(case):
        assert bound.time <= report.time * (1 + 1e-9)
        assert bound.reason[:1].islower()
        assert all(step[:1].isupper() and step.endswith(".") for step in bound.derivation)
