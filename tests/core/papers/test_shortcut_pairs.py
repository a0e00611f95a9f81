"""Messages between pairs of nodes of the thesis on shortcut networks: manual counts, and the crossing of two lines."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mapping import CirculantStride, Random, RingConsecutive
from core.papers import shortcut_pairs
from core.papers.papers import paper
from core.papers.shortcut_cases import circulant, hops, minimal_case, shortcuts
from core.papers.shortcut_pairs import COLLECTIVES, PAIRS, MeanHops, crossing, hops_of
from core.spec import no_progress


@pytest.mark.parametrize("mapping", [Random(5), CirculantStride()], ids=lambda mapping_spec: mapping_spec.tag())
def test_hops_are_those_of_every_pair_and_of_every_message_of_brucks_algorithm(mapping):
    base = minimal_case(circulant(16), COLLECTIVES["Broadcast"](16), Random(0))
    nodes = minimal_case(circulant(16), COLLECTIVES["Alltoall"](8), mapping).mapping.nodes.tolist()
    far = dict(nx.all_pairs_shortest_path_length(nx.circulant_graph(16, [1, 2, 4, 8])))
    mean = hops_of(base, mapping, 8)
    assert mean.pair == pytest.approx(sum(far[a][b] for a in nodes for b in nodes) / 56)
    sent = [far[nodes[r]][nodes[(r + step) % 8]] for step in (1, 2, 4) for r in range(8)]
    assert mean.collective == pytest.approx(sum(sent) / 24)


@given(*[st.integers(10, 40)] * 4)
def test_two_lines_cross_where_one_falls_below_the_other(a, b, c, d):
    first, second = MeanHops(a / 10, b / 10), MeanHops(c / 10, d / 10)
    ratio = crossing(first, second)

    def ahead(at):
        return at * (second.collective - first.collective) + (1 - at) * (second.pair - first.pair)

    assert 0 <= ratio <= 1
    assert all(ahead(ratio + (1 - ratio) * part) >= -1e-9 for part in (0.0, 0.5, 1.0)) or ratio == 1
    assert ratio == 0 or ahead(0.99 * ratio) <= 1e-9


def test_hops_of_collectives_are_added_up_by_mapping_and_size(monkeypatch):
    monkeypatch.setattr(shortcut_pairs, "NODES", 32)
    cells = {(cell.row, cell.column): cell for cell in PAIRS[0].cells(no_progress)}
    for name, job in COLLECTIVES.items():
        ring_hops = [cells[f"{name}, {size} nodes", "ring, hops"].ours for size in (8, 16, 32)]
        assert ring_hops == [hops(shortcuts(32, 0), job(size), RingConsecutive()) for size in (8, 16, 32)]
        fewer = cells[f"{name}: sizes at which ring has fewer than tree", "ring, hops"]
        trees = [cells[f"{name}, {size} nodes", "tree, hops"].ours for size in (8, 16, 32)]
        assert (fewer.ours, fewer.printed) == (sum(a < b for a, b in zip(ring_hops, trees, strict=True)), 3)


def test_statements_on_a_small_machine_are_counted(monkeypatch):
    monkeypatch.setattr(shortcut_pairs, "NODES", 64)
    cells = {(cell.row, cell.column): cell for table in PAIRS for cell in table.cells(no_progress)}
    assert cells["8 nodes", "circulant, circulant"].ours < cells["8 nodes", "shortcuts, random"].ours
    assert cells["most nodes at which it is least", "circulant, circulant"].ours in (8, 16, 32)
    assert cells["8 nodes: fewer hops on the circulant network from", "% collective"].ours == 0
    from_all = cells["64 nodes: fewer hops on the circulant network from", "% collective"]
    assert (0 < from_all.ours < 100, from_all.printed) == (True, 0)
    assert cells["circulant, circulant: collectives need fewer hops", "sizes"].ours == 4
    assert {table.name for table in PAIRS} < {table.name for table in paper("shortcut").tables}


def test_a_round_trip_is_twice_the_switches_and_the_transfer_at_100_gbps():
    # 128 bytes at 12.5 GB/s take 10.24 ns; a path of 3 hops passes 4 switches of 100 ns.
    assert MeanHops(3.0, 2.0).seconds == pytest.approx(2 * (4 * 100e-9 + 128 / 12.5e9), rel=1e-12)
