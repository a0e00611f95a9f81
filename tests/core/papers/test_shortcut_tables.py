"""The thesis on shortcut networks: consequences of its rules, and the comparison of draws."""

import networkx as nx
import pytest

from core.job import Allreduce, AllToAll, Broadcast
from core.mapping import HierarchicalTree, Random, RingConsecutive
from core.network import Dragonfly
from core.papers import shortcut_tables, shortcut_times
from core.papers.papers import paper
from core.papers.shortcut_cases import circulant, evaluated, minimal_case, of_draws, shortcuts
from core.papers.shortcut_times import Time, chained, order, sizes_faster, time_of
from core.spec import no_progress


def cells(table):
    """Return the figures of a table of the thesis by row and column."""
    (chosen,) = paper("shortcut").chosen([table])
    return {(cell.row, cell.column): cell for cell in chosen.cells(no_progress)}


def test_only_known_formulas_are_not_reproduced():
    by_place = cells("formulas")
    wrong = [row for (row, _), cell in by_place.items() if not cell.agrees]
    assert wrong == [
        "torus 5 x 5: diameter, n ceil(k/2)",
        "torus 4 x 4: ASPL, n (k - 1) / 4",
        "mesh 4 x 4: ASPL, n (k - 1) / 3",
        "hypercube of 16: ASPL, n / 2",
        "dragonfly a = 4, p = 4, h = 2, g = 9: PEs, N = a p / 2",
        "dragonfly a = 4, p = 4, h = 2, g = 9: radix, p + a",
    ]
    assert all(cell.note for cell in by_place.values() if not cell.agrees)


def test_broadcast_in_the_ring_of_32_takes_10_hops_with_two_ranks_swapped_and_not_9():
    hops_by_row = {row: cell.ours for (row, _), cell in cells("3.1").items()}
    assert list(hops_by_row.values()) == [11, 10, 9]


def test_collectives_on_the_circulant_take_as_many_hops_as_messages(monkeypatch):
    monkeypatch.setattr(shortcut_tables, "MIN_HOPS_NODES", (16,))
    by_place = cells("4.1")
    assert [cell.ours for cell in by_place.values()] == [15, 15, 64, 64, 64, 64]
    assert all(cell.agrees for cell in by_place.values())


def test_placements_give_mean_and_range_over_topologies(monkeypatch):
    for name, value in {"NODES": 64, "RANKS": 32, "TOPOLOGIES": 3, "SWAPS": 500}.items():
        monkeypatch.setattr(shortcut_tables, name, value)
    by_place = cells("3.5")
    assert {row for row, _ in by_place} == {"random", "tree", "ring"}
    for row in ("random", "tree", "ring"):
        ascending, two_opt = by_place[row, "ascending"], by_place[row, "two-opt"]
        assert 32 * 5 <= two_opt.low <= two_opt.ours <= two_opt.high < ascending.high
        assert two_opt.ours < ascending.ours
        fewer = by_place[row, "fewer, %"]
        assert fewer.low <= 100 * (1 - two_opt.ours / ascending.ours) <= fewer.high


@pytest.mark.parametrize(
    ("figures", "printed", "agrees"),
    [
        ([10.0, 30.0], 29.0, True),
        ([10.0, 30.0], 31.0, False),
        ([10.0, 30.0], 30.4, False),
        ([10.0, 30.6], 31.0, True),
        ([1000.0, 1002.0], 1010.0, True),
        ([1000.0, 1002.0], 1012.0, False),
        ([1.0], None, None),
    ],
)
def test_draws_agree_in_their_range_as_rounded_or_near_the_mean(figures, printed, agrees):
    assert of_draws("1", "row", "column", figures, printed, bounds=(0, 2000)).agrees is agrees


def test_time_is_the_sum_of_latency_and_transfer():
    # On the circulant all messages have one link: log2 8 steps of 2 waits; the busiest link carries one message a step,
    # of n/2 = 4 blocks in Bruck's.
    network, mapping = circulant(8), RingConsecutive()
    for job, messages in ((Allreduce(8, message_bytes=1e9), 3), (AllToAll(8, "bruck", message_bytes=1e9), 3 * 4)):
        time = time_of(evaluated(network, job, mapping).case)
        assert time.waits == pytest.approx(3 * 2 * 1e-7)
        assert time.of(1000) == pytest.approx(3 * 2 * 1e-7 + messages * 1000 / 12.5e9)


def test_an_order_holds_at_the_sizes_at_which_all_of_some_are_faster_than_all_others():
    first, late, steady = Time(0.0, 2.0), Time(1.0, 1.5), Time(10.0, 1.0)
    assert [sizes_faster([first], [late, steady], (1,)), sizes_faster([first], [late, steady], (1, 5, 100))] == [1, 1]
    assert sizes_faster([steady], [first, late], (1, 5, 100)) == 1
    assert sizes_faster([first], [first], (1, 5, 100)) == 0
    assert not order("times", "row", [first], [late], (1, 5, 100), "why").agrees


def test_two_opt_with_few_swaps_is_compared_with_mpich2_on_growing_networks(monkeypatch):
    monkeypatch.setattr(shortcut_tables, "GROWING", (16, 32))
    monkeypatch.setattr(shortcut_tables, "A_FEW_SWAPS", 200)
    by_place = cells("figure-3.17")
    for nodes in (16, 32):
        # No Broadcast has fewer hops than messages.
        assert (
            nodes - 1
            <= by_place[f"{nodes} nodes", "two-opt, hops"].ours
            < by_place[f"{nodes} nodes", "MPICH2, hops"].ours
        )
    last = by_place["sizes at which it has fewer", "two-opt, hops"]
    assert (last.ours, last.printed) == (2, 2)


def test_cco_orders_the_nodes_of_any_mapping_by_one_tree(monkeypatch):
    for name, value in {"NODES": 32, "RANKS": 16}.items():
        monkeypatch.setattr(shortcut_times, name, value)
    network, job = shortcuts(32, 0), Broadcast(16)
    turn = minimal_case(
        network, Broadcast(32), HierarchicalTree(order="random", ranks="depth-first")
    ).mapping.nodes.tolist()
    for mapping in (Random(3), HierarchicalTree(order="random"), RingConsecutive()):
        nodes = minimal_case(network, job, chained(network, mapping)).mapping.nodes.tolist()
        assert set(nodes) == set(minimal_case(network, job, mapping).mapping.nodes.tolist())
        assert nodes == sorted(nodes, key=turn.index)


@pytest.mark.parametrize("table", ["times-3", "times-4", "times-5"])
def test_every_statement_on_times_is_counted_or_given_in_percent(monkeypatch, table):
    for name, value in {"NODES": 32, "RANKS": 16, "SWAPS": 50, "DRAGONFLY": Dragonfly(4, 2, 8)}.items():
        monkeypatch.setattr(shortcut_times, name, value)
    for (_, column), cell in cells(table).items():
        assert column in ("sizes", "%")
        assert (column == "%") or 0 <= cell.ours <= 7
        assert cell.note


@pytest.mark.parametrize(
    "spec", [circulant(16), circulant(64), shortcuts(32, 0), shortcuts(64, 1), Dragonfly(4, 2, 9)], ids=str
)
def test_sizes_and_distances_of_the_table_are_those_of_networkx(spec):
    network = spec.build()
    switches = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    measured = shortcut_tables.measured(spec)
    assert measured.diameter == nx.diameter(switches)
    assert measured.aspl == pytest.approx(nx.average_shortest_path_length(switches), rel=1e-12)
    assert measured.links == switches.number_of_edges()
    assert measured.degree == max(degree for _, degree in switches.degree)
