"""Comparison of several networks."""

import pytest

from core.figures import network_table as study
from core.figures.network_table import COLUMNS, Entry, TrafficChoice, repriced, shared, table_row, with_bandwidth
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Circulant, Clex, Dragonfly, DragonflyPlus, Mesh, Percs, Torus
from core.network.families.fat_tree import FatTree
from core.network.families.hypercube import Hypercube
from core.network.families.shortcut import Shortcut
from core.network.metrics.cabling import Prices, cabling
from core.network.metrics.metrics import measure
from core.routing import DimensionOrder, GroupMinimal
from core.routing.minimal.scheme import Minimal
from core.spec import Cancelled, SpecError, TooLarge


def entries(*networks):
    return tuple(Entry(network.tag(), network) for network in networks)


def rows_of(entries, traffic, prices=None):
    return tuple(table_row(entry, traffic, prices or Prices()) for entry in entries)


def test_a_row_holds_metrics_costs_and_throughput():
    prices = Prices(switch=1.0)
    first, second = rows_of(entries(Torus((4, 4)), Circulant(32, (1, 4))), TrafficChoice(), prices)
    assert first.metrics == measure(Torus((4, 4)).build())
    assert second.cabling == cabling(Circulant(32, (1, 4)).build(), prices)
    alone = Scenario(second.entry.network, AllToAll(32), Sequential(), Minimal(spread="equal"))
    assert second.flowing.scenario == alone
    assert second.flowing.throughput_gbs == pytest.approx(evaluate(alone.build()).throughput_gbs)
    assert (second.flowing.bottleneck, first.notes) == (evaluate(alone.build()).bottleneck, ())


@pytest.mark.parametrize("network", [Dragonfly(), DragonflyPlus()])
def test_groups_that_direct_links_join_are_routed_over_at_most_one(network):
    (row,) = rows_of(entries(network), TrafficChoice())
    assert row.flowing.scenario.routing == GroupMinimal()


def test_columns_read_the_figures_off_a_row():
    (row,) = rows_of(entries(Torus((4, 4))), TrafficChoice())
    figures = {column.key: column.of(row) for column in COLUMNS}
    assert (figures["nodes"], figures["links"], figures["degree_max"], figures["diameter"]) == (16, 32, 4, 4)
    assert figures["aspl"] == pytest.approx(512 / 240)
    assert figures["bisection_gbs"] == pytest.approx(8 * 0.425)
    assert figures["cost"] == row.cabling.cost
    assert figures["cable_m"] == row.cabling.total_m
    assert figures["throughput_gbs"] == row.flowing.throughput_gbs
    (still,) = rows_of(entries(Torus((4, 4))), TrafficChoice(job=None))
    assert still.flowing is None
    assert COLUMNS[-1].of(still) is None


def test_a_row_can_be_repriced():
    (row,) = rows_of(entries(Torus((4, 4))), TrafficChoice(job=None))
    dear = repriced(row, Prices(switch=9000.0))
    assert dear.cabling == cabling(Torus((4, 4)).build(), Prices(switch=9000.0))
    assert (dear.metrics, dear.entry) == (row.metrics, row.entry)
    (folded,) = rows_of(entries(Clex(k=64, levels=3)), TrafficChoice(job=None))
    assert repriced(folded, Prices(switch=9000.0)) is folded


def test_a_job_fills_every_network_or_is_the_same_on_all():
    networks = entries(Torus((4, 4)), Torus((4, 2)))
    large, small = rows_of(networks, TrafficChoice(AllToAll(3)))
    assert (large.flowing.scenario.job.tasks, small.flowing.scenario.job.tasks) == (16, 8)
    large, small = rows_of(networks, TrafficChoice(Halo(4, 4), resized=False))
    assert large.flowing.scenario.job == Halo(4, 4)
    assert small.flowing is None
    assert small.notes[0].startswith("no throughput: mapping: 16 tasks do not fit 8 slots")


def test_a_requested_scheme_is_not_replaced():
    torus, circulant = rows_of(
        entries(Torus((4, 4)), Circulant(16, (1, 2))), TrafficChoice(AllToAll(), routing=DimensionOrder())
    )
    assert torus.flowing.scenario.routing == DimensionOrder()
    assert circulant.flowing is None
    assert circulant.notes[0].startswith("no throughput: routing")


def test_disconnected_flows_leave_a_network_without_throughput():
    rings = Circulant(nodes=8, jumps=(2, 4))
    (row,) = rows_of(entries(rings), TrafficChoice(AllToAll()))
    assert row.flowing is None
    assert row.notes[0].startswith("no throughput: network: 32 flows (4 units) are disconnected: task 0 on 0 cannot")
    own = Scenario(rings, AllToAll(8), Sequential(), Minimal())
    (row,) = rows_of((Entry("own", rings, scenario=own),), TrafficChoice(own=True))
    assert row.flowing.throughput_gbs == evaluate(own.build()).throughput_gbs
    assert row.notes[0].startswith("32 flows (4 units) are disconnected")


def test_scenarios_keep_their_own_choices():
    own = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=3), DimensionOrder())
    entry = Entry("mine", own.network, scenario=own)
    (row,) = rows_of([entry], TrafficChoice(own=True))
    assert row.flowing.scenario == own
    assert row.flowing.throughput_gbs == pytest.approx(evaluate(own.build()).throughput_gbs)
    # In another size the job and other choices that no longer fit change too.
    (row,) = rows_of(shared([entry], "nodes", 8), TrafficChoice(own=True))
    assert (row.metrics.nodes, row.flowing.scenario.routing) == (8, DimensionOrder())


def test_networks_are_resized_to_the_nodes_of_the_first():
    entries_of_nodes = shared(entries(Hypercube(dimensions=5), Circulant(99, (1, 2)), Torus((3, 3)), Percs()), "nodes")
    assert [entry.network.build().nodes for entry in entries_of_nodes[:2]] == [32, 32]
    assert [entry.note for entry in entries_of_nodes[:2]] == ["", ""]
    percs = entries_of_nodes[3]
    assert (percs.network.supernodes, percs.note) == (2, "64 nodes, the available size nearest to 32")
    (row,) = rows_of([percs], TrafficChoice(job=None))
    assert row.notes[0] == percs.note


def test_networks_are_resized_to_the_degree_of_the_first():
    entries_of_degree = shared(
        entries(Circulant(64, (1, 2, 4, 8)), Shortcut(), Hypercube(dimensions=3), Mesh((8, 8))), "degree"
    )
    # A field, a size and a number of dimensions that determine the degree.
    assert (entries_of_degree[1].network.degree, entries_of_degree[1].network.nodes) == (8, 64)
    assert entries_of_degree[2].network.dimensions == 8
    assert (entries_of_degree[3].network.dims, entries_of_degree[3].note) == ((3, 3, 3, 3), "")
    assert shared(entries(FatTree(arity=2, levels=3)), "degree", 4)[0].note == ""


def test_a_network_without_the_degree_gets_the_nearest_and_a_note():
    fixed = Torus((4, 4), wrap=(True, False))
    (entry,) = shared(entries(fixed), "degree", 8)
    assert (entry.network, entry.note) == (fixed, "degree 4, the available degree nearest to 8")
    # A family that has the degree only in sizes beyond the searched ones.
    (entry,) = shared(entries(Hypercube(dimensions=6)), "degree", 16)
    assert (entry.network.dimensions, entry.note) == (12, "degree 12, the available degree nearest to 16")


def test_all_links_get_one_bandwidth():
    percs, torus = with_bandwidth(entries(Percs(supernodes=2), Torus((4, 4))), 12.5)
    assert {c.gbs for entry in (percs, torus) for c in entry.network.build().classes} == {12.5}
    assert percs.network.supernodes == 2


def test_a_network_that_cannot_be_built_is_refused():
    with pytest.raises(SpecError, match=r"network\.jumps"):
        rows_of(entries(Circulant(8, (5,))), TrafficChoice())


def test_progress_rises_and_stops_it():
    (entry,), told = entries(Torus((4, 4))), []
    table_row(entry, TrafficChoice(), Prices(), told.append)
    assert told == sorted(told)
    assert (told[0], told[-1] > 0.99) == (0.0, True)

    def stop(fraction):
        if fraction > 0.6:
            raise Cancelled

    with pytest.raises(Cancelled):
        table_row(entry, TrafficChoice(), Prices(), stop)


def test_work_of_minutes_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr(study, "MAX_VISITS", 100)
    with pytest.raises(TooLarge, match=r"64 nodes with 704 directed links would take minutes"):
        rows_of(entries(Shortcut()), TrafficChoice())
    # One node represents all nodes of a torus, and the figures of a folded network are known.
    assert rows_of(entries(Torus((4, 4))), TrafficChoice(job=None))[0].metrics.diameter == 4
    monkeypatch.setattr(study, "MAX_VISITS", 1 << 20)
    monkeypatch.setattr(study, "MAX_FLOWS", 255)
    (row,) = rows_of(entries(Mesh((4, 4))), TrafficChoice())
    assert row.flowing is None
    assert row.notes == (
        "no throughput: job: 256 flows between nodes would take minutes; choose a job with fewer flows",
    )
    monkeypatch.setattr(study, "MAX_FLOWS", 256)
    (row,) = rows_of(entries(Mesh((4, 4))), TrafficChoice())
    assert row.flowing.throughput_gbs > 0


def test_flows_are_counted_as_they_are_routed(monkeypatch):
    monkeypatch.setattr(study, "MAX_FLOWS", 255)
    rows = rows_of(entries(Torus((4, 4)), FatTree(4, 2)), TrafficChoice())
    assert all(row.flowing.throughput_gbs > 0 for row in rows)


def test_candidate_sizes_for_a_degree_are_powers_of_two_nearest_first():
    tried = study._candidates(Mesh((8, 8)), 64, 99)
    sizes = [network.build().nodes for network in tried]
    assert sizes[0] == 64
    assert set(sizes) == {1 << k for k in range(2, 13)}
    assert sizes[1:4] == [64, *sorted(sizes[2:4])]
