"""Searches for an order of hosts: the tasks of a host stay on one host, in the same order."""

from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.files.export import export
from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit, FromFile, Random, Sequential
from core.mapping.mapping import Mapping
from core.network import Dragonfly, Rail, Torus
from core.network.nics import on_hosts
from core.optimise.best import search_best
from core.optimise.method import Annealing, Bottleneck, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints, groups_of
from core.optimise.objective import HopBytes, Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.request import Request
from core.optimise.run import optimise
from core.optimise.search import Search
from core.routing import DimensionOrder, Minimal
from tests.core.optimise.cases import METHODS, OBJECTIVES
from tests.core.optimise.test_kernel import Walker

RING = Scenario(
    Torus(dims=(6,), slots_per_node=2),
    Flows(8, (0, 1, 2, 3, 5, 7, 6), (6, 4, 7, 6, 2, 1, 0), (3.0, 1.0, 2.0, 5.0, 1.0, 4.0, 2.0)),
    Random(seed=3),
    DimensionOrder(),
)
NICS = Scenario(Dragonfly(2, 1, 3, nodes_per_router=4, slots_per_node=2, nics=2), Halo(4, 5), Random(seed=1), Minimal())
SERVERS = Scenario(Rail(units=2, servers=3, gpus=4, spines=2), Halo(4, 5), Random(seed=2), Minimal())


@cache
def mixed_hosts():
    """A case with hosts of one, two and four NICs."""
    case = Scenario(
        Dragonfly(2, 1, 3, nodes_per_router=2, slots_per_node=2), Halo(3, 5), Sequential(), Minimal()
    ).build()
    return replace(case, network=on_hosts(case.network, np.array([1, 2, 1, 2, 4, 2], np.int32)))


def cases():
    """Cases, each with the level of its hosts."""
    return {"nodes": (RING.build(), "node"), "NICs": (NICS.build(), "host"), "mixed": (mixed_hosts(), "host"),
            "servers": (SERVERS.build(), "server")}  # fmt: skip


each_case = pytest.mark.parametrize(("case", "unit"), cases().values(), ids=cases())


def hosts_before_and_after(case, unit, slots):
    """The host of each host's tasks, after checking that they share one, in the same slots of it."""
    host = groups_of(case.network, unit, "unit")
    place = np.zeros(case.network.slots, np.int32)
    for number in range(host.max() + 1):
        place[host == number] = np.arange((host == number).sum())
    before = case.mapping.slots
    np.testing.assert_array_equal(place[slots], place[before])
    moved = dict(zip(host[before].tolist(), host[slots].tolist(), strict=True))
    np.testing.assert_array_equal([moved[old] for old in host[before].tolist()], host[slots])
    assert len(set(moved.values())) == len(moved)
    return moved


@settings(max_examples=25)
@given(st.sampled_from(list(cases())), st.sampled_from(OBJECTIVES), st.sampled_from(METHODS), st.integers(0, 99))
def test_tasks_of_a_host_stay_together_in_their_order(name, objective, method, seed):
    case, unit = cases()[name]
    report = evaluate(case)
    result = optimise(report, Request(objective, method, MoveConstraints(unit), None, 1500, seed))
    hosts_before_and_after(case, unit, result.slots)
    assert result.best <= result.start


@each_case
@pytest.mark.parametrize("objective", [Throughput(), HopBytes()], ids=lambda objective: objective.tag())
def test_a_move_and_its_inverse_change_nothing(case, unit, objective):
    walker, rng = Walker(case, objective, unit), np.random.default_rng(1)
    moves, place, sums = walker.state.moves, walker.state.place, walker.state.sums
    for _ in range(20):
        a = int(rng.integers(len(moves.group)))
        b = int(rng.choice(np.flatnonzero(moves.group == moves.group[a])))
        before = [kept.copy() for kept in (*place, sums.load)]
        walker.step(a, b)
        walker.step(b, a)
        for kept, old in zip((*place[:-1], sums.load), before[:-2] + before[-1:], strict=True):
            np.testing.assert_array_equal(kept, old)


@each_case
def test_loads_after_many_moves_are_those_of_a_full_evaluation(case, unit):
    walker, rng = Walker(case, Throughput(), unit), np.random.default_rng(2)
    moves = walker.state.moves
    for _ in range(50):
        a = int(rng.integers(len(moves.group)))
        walker.step(a, int(rng.choice(np.flatnonzero(moves.group == moves.group[a]))))
    assert walker.figure == pytest.approx(evaluate(walker.assert_true()).time, rel=1e-9)
    hosts_before_and_after(case, unit, walker.state.place.slot)


def every_order(case, figure):
    """The best figure over all placements of the occupied nodes of a case on its nodes."""
    spn = case.network.slots_per_node
    node, core = np.divmod(case.mapping.slots, spn)
    occupied, number = np.unique(node, return_inverse=True)
    orders = permutations(range(case.network.nodes), occupied.size)
    return min(
        figure(replace(case, mapping=Mapping((np.array(order)[number] * spn + core).astype(np.int32), spn)))
        for order in orders
    )


def hop_bytes(case):
    return float(evaluate(case).load.sum())


@pytest.mark.parametrize("method", [Portfolio(), Annealing(hot=0.3), Bottleneck(candidates=12, tenure=3), TwoOpt(True)],
                         ids=lambda method: method.tag())  # fmt: skip
@pytest.mark.parametrize(("objective", "figure"), [
    (Throughput(), lambda case: evaluate(case).time), (HopBytes(), hop_bytes),
], ids=["throughput", "hop-bytes"])  # fmt: skip
def test_the_best_of_all_orders_is_found(objective, figure, method):
    case = RING.build()
    best, report = every_order(case, figure), evaluate(case)
    figures = [
        optimise(report, Request(objective, method, MoveConstraints("host"), None, 1500, seed)).best
        for seed in range(3)
    ]
    assert min(figures) == pytest.approx(best, rel=1e-6)


def test_hosts_stay_on_the_nodes_of_the_job():
    scenario, better = replace(RING, hosts="n[0-5]", allocation="n[1-5]", down=("n3",)), 0
    for seed in range(4):
        case = replace(scenario, mapping=Random(seed=seed)).build()
        request = Request(HopBytes(), constraints=MoveConstraints("host"), seconds=None, steps=3000)
        result = optimise(evaluate(case), request)
        hosts_before_and_after(case, "node", result.slots)
        assert set((result.slots // 2).tolist()) == {1, 2, 4, 5}
        better += result.best < result.start
    assert better


def test_a_search_goes_on_where_it_ended():
    report = evaluate(NICS.build())
    request = Request(TotalHops(), constraints=MoveConstraints("host"), seconds=None, steps=3000)
    first = optimise(report, request)
    again = optimise(report, request, after=first)
    hosts_before_and_after(report.case, "host", again.slots)
    assert again.best <= first.best


def test_no_start_separates_tasks():
    search = Search(Problem.of(evaluate(RING.build()), Throughput()), Portfolio(), MoveConstraints("host"), seed=0)
    search.begin()
    np.testing.assert_array_equal(search.slots, RING.build().mapping.slots)


@pytest.mark.parametrize("kind", ["hostfile", "slurm-hostfile", "hydra-hosts", "openmpi-sequence"])
def test_an_order_of_hosts_is_exported_for_launchers(tmp_path, kind):
    scenario = replace(NICS, hosts="gpu[01-12]", mapping=Sequential(), job=Halo(4, 8), folder=tmp_path)
    best = search_best(
        scenario.build(), Request(HopBytes(), constraints=MoveConstraints("host"), seconds=None, steps=3000)
    )
    case = best.better.case
    moved = hosts_before_and_after(scenario.build(), "host", case.mapping.slots)
    assert moved != {host: host for host in moved}
    exported = export(case, kind)
    (tmp_path / "order.txt").write_text(str(exported.content))
    again = replace(scenario, mapping=FromFile(file="order.txt", format=kind)).build()
    assert isinstance(case.scenario.mapping, Explicit)
    # Launchers fill the slots of a host in order, as the job at the start does.
    hosts = [case.network.host_slots.place_of(slots)[0].tolist() for slots in (again.mapping.slots, case.mapping.slots)]
    assert hosts[0] == hosts[1]
    lost = " ".join(exported.losses)
    assert ("the order of the hosts, unless mpirun follows the file" in lost) == (kind == "hostfile")
