"""Bounds of figures that are not printed: they hold, and they reject wrong figures."""

from math import nan

import networkx as nx
import numpy as np
import pytest

from core.mapping import Random
from core.network import Torus
from core.papers import shortcut_tables
from core.papers.bounds import hop_sum, moore, outside, saving, torus_rate
from core.papers.papers import IMPOSSIBLE, cell, cells_of, verdict
from core.papers.shortcut_cases import COLLECTIVES, MESSAGES, barrier_seconds, circulant, minimal_case, phase_sums
from core.papers.shortcut_tables import PAPER, Measured
from core.routing import Adaptive
from core.routing.flows import NodeFlows
from core.timing import timeline


@pytest.mark.parametrize(
    ("graph", "degree"),
    [(nx.petersen_graph(), 3), (nx.hoffman_singleton_graph(), 7), (nx.complete_graph(6), 5), (nx.cycle_graph(9), 2)],
)
def test_moore_bounds_are_met_by_moore_graphs(graph, degree):
    least, mean = moore(len(graph), degree)
    assert (least, mean) == (nx.diameter(graph), pytest.approx(nx.average_shortest_path_length(graph)))


@pytest.mark.parametrize(("nodes", "degree"), [(10, 3), (64, 4), (200, 5), (30, 7)])
def test_no_graph_is_below_the_moore_bounds(nodes, degree):
    graph = nx.random_regular_graph(degree, nodes, seed=1)
    least, mean = moore(nodes, degree)
    assert least <= nx.diameter(graph)
    assert mean <= nx.average_shortest_path_length(graph)


def test_figures_outside_their_bounds_are_found():
    assert not outside(2.0, (1, 2))
    assert not outside(2.0 * (1 + 1e-12), (1, 2))
    assert outside(2.001, (1, 2))
    assert outside(0.999, (1, 2))
    assert outside(nan, (1, 2))
    assert saving((1, 2), (4, 8)) == (50, 87.5)
    assert hop_sum(7, 3) == (7, 21)


def test_throughput_of_a_torus_is_bounded_by_its_longest_side():
    network = Torus((4, 8)).build()
    src, dst = np.divmod(np.arange(32 * 32, dtype=np.int32), 32)
    busiest = Adaptive().router(network).loads([NodeFlows(src, dst, np.full(src.size, 1 / 32))]).max()
    assert torus_rate((4, 8), 0.425) == pytest.approx(32 * 0.425 / busiest)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_take_a_time_within_their_bounds(name):
    job = COLLECTIVES[name](16)
    least, most = barrier_seconds(job.build(), 2)
    assert sum(phase.messages for phase in phase_sums(job.build())) == MESSAGES[name](16)
    for seed in range(3):
        assert least <= timeline(minimal_case(circulant(16), job, Random(seed))).seconds <= most


def test_a_figure_that_is_not_printed_needs_bounds():
    with pytest.raises(ValueError, match="table 1, row, links: a figure without a printed value needs bounds"):
        cell(1, "row", "links", 3.0, None)
    assert verdict(cell(1, "row", "links", 3.0, None, bounds=(4, 5))) == IMPOSSIBLE
    # A printed figure may be bounded, too; then ours may agree with print and be wrong like it.
    assert verdict(cell(1, "row", "links", 3.0, 3.0, bounds=(4, 5))) == IMPOSSIBLE


def test_a_mean_distance_by_a_wrong_formula_is_impossible(monkeypatch):
    right = shortcut_tables.measured

    def wrong(spec):
        correct, pairs = right(spec), 32 * 31
        return Measured(correct.links, correct.degree, correct.diameter, correct.aspl * pairs**2)

    monkeypatch.setattr(shortcut_tables, "MEASURED_NODES", (32, 1024))
    monkeypatch.setattr(shortcut_tables, "measured", wrong)
    impossible = [
        cell for cell in cells_of(PAPER.chosen(["metrics"])) if cell.column == "ASPL" and cell.printed is None
    ]
    assert len(impossible) == 5
    assert {verdict(cell) for cell in impossible} == {IMPOSSIBLE}
