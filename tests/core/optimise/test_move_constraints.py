"""Move constraints: units, their groups, and how impossible requests are refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.export import export
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import FromFile, Random, Sequential
from core.mapping.allocation import Allocation
from core.mapping.mapping import Mapping
from core.network import Dragonfly, Percs, Rail, Torus
from core.network.hosts import with_sockets
from core.network.nics import on_hosts
from core.optimise.best import search_best
from core.optimise.move_constraints import MoveConstraints, groups_of, host_unit
from core.optimise.request import Request
from core.optimise.tables import NO_SLOT
from core.routing import DimensionOrder, PercsDirect
from core.spec import SpecError
from tests.core.optimise.cases import DIRECT

CASE = DIRECT.build()
FULL = Scenario(Percs(supernodes=2), Halo(rows=16, cols=16), Sequential(), PercsDirect()).build()


def moves_of(case=CASE, **wish):
    return MoveConstraints(**wish).moves(case.network, case.mapping)


def test_by_default_every_slot_may_move_anywhere():
    moves = moves_of()
    np.testing.assert_array_equal(np.sort(moves.slots.ravel()), np.arange(CASE.network.slots))
    assert moves.start.tolist() == [0, CASE.network.slots]


@pytest.mark.parametrize(("unit", "size", "within", "groups"), [
    ("node", 4, "anywhere", 1),
    ("drawer", 32, "supernode", 3),
    ("task", 1, "drawer", 12),
    ("supernode", 128, "anywhere", 1),
])  # fmt: skip
def test_units_and_groups_are_those_of_the_levels(unit, size, within, groups):
    moves = moves_of(unit=unit, within=within)
    assert moves.slots.shape == (CASE.network.slots // size, size)
    assert moves.start.size == groups + 1
    unit, group = groups_of(CASE.network, unit, "unit"), groups_of(CASE.network, within, "within")
    for k, row in enumerate(moves.slots):
        assert len({int(unit[slot]) for slot in row}) == 1
        assert (moves.unit_of[row] == k).all()
        mates = moves.slots[moves.group == moves.group[k]]
        assert set(group[mates].ravel().tolist()) == {int(group[row[0]])}


def test_sockets_are_units_where_nodes_have_them():
    network = with_sockets(CASE.network, 2)
    assert groups_of(network, "socket", "unit").tolist() == (np.arange(network.slots) // 2).tolist()
    moves = MoveConstraints("socket", "node").moves(network, CASE.mapping)
    assert moves.slots.shape == (network.slots // 2, 2)
    assert moves.start.size == network.nodes + 1


def test_a_unit_with_a_slot_that_is_not_the_jobs_stays():
    allocation = Allocation(CASE.network, np.arange(1, CASE.network.nodes, dtype=np.int32))
    for unit, size in (("task", 4), ("node", 4), ("drawer", 32)):
        moves = MoveConstraints(unit).moves(CASE.network, CASE.mapping, allocation)
        assert np.sort(moves.slots.ravel()).tolist() == list(range(size, CASE.network.slots))


def test_units_with_pinned_tasks_stay():
    pinned = np.array([3, 100], np.int32)
    for unit, size in (("task", 1), ("node", 4), ("drawer", 32)):
        moves = moves_of(unit=unit, pinned=pinned)
        tabu_until = set((CASE.mapping.slots[pinned] // size).tolist())
        assert set((moves.slots[:, 0] // size).tolist()).isdisjoint(tabu_until)
        assert (moves.unit_of[CASE.mapping.slots[pinned]] == -1).all()


def test_without_empty_slots_exchanges_leave_the_same_slots_taken():
    taken = np.isin(np.arange(CASE.network.slots), CASE.mapping.slots)
    assert set(moves_of(empty=False).slots.ravel().tolist()) == set(CASE.mapping.slots.tolist())
    moves = moves_of(unit="node", empty=False)
    assert taken[moves.slots].any(axis=1).all()
    patterns = [
        {tuple(row) for row in taken[moves.slots[moves.group == group]]} for group in range(len(moves.start) - 1)
    ]
    assert len(set.union(*patterns)) == len(patterns) > 1
    assert len(moves_of(FULL, unit="node", empty=False).group) == 64


@pytest.mark.parametrize(("empty", "exchanged"), [
    (True, [[0, 2], [1, 3, 5], [4]]),
    # Of the hosts with two NICs, one has a task in another slot, and the host with four NICs has none.
    (False, [[0, 2], [3, 5], [1]]),
])  # fmt: skip
def test_hosts_are_exchanged_with_hosts_of_equally_many_nics(empty, exchanged):
    dragonfly = Dragonfly(2, 1, 3, nodes_per_router=2, slots_per_node=2).build()
    network = on_hosts(dragonfly, np.array([1, 2, 1, 2, 4, 2], np.int32))
    mapping = Mapping(np.array([0, 3, 6, 8, 20], np.int32), 2)
    moves = MoveConstraints("host", empty=empty).moves(network, mapping)
    hosts, _ = network.host_slots.place_of(moves.slots[:, 0])
    groups = [sorted(hosts[moves.group == group].tolist()) for group in range(len(moves.start) - 1)]
    assert sorted(groups) == sorted(exchanged)
    for host, row in zip(hosts.tolist(), moves.slots.tolist(), strict=True):
        first, nics = network.host_slots.first[host], network.host_slots.nics_of[host]
        assert row == [*range(2 * first, 2 * (first + nics)), *[NO_SLOT] * (8 - 2 * nics)]


@pytest.mark.parametrize(("spec", "unit"), [
    (Torus(dims=(4,)), None),
    (Torus(dims=(4,), slots_per_node=2), "node"),
    (Dragonfly(2, 1, 3, nodes_per_router=4, nics=4), "host"),
    (Rail(units=1, servers=4, gpus=4, spines=0), "server"),
    (Rail(units=1, servers=4, gpus=4, spines=0, nics=2), "host"),
    (Rail(units=1, servers=1, gpus=4, spines=0, slots_per_node=2), "node"),
], ids=str)  # fmt: skip
def test_the_unit_of_an_order_of_hosts_is_the_level_of_hosts_with_several_slots(spec, unit):
    assert host_unit(spec.build()) == unit


def refused(case=CASE, **wish):
    with pytest.raises(SpecError) as caught:
        MoveConstraints(**wish).check(case.network, case.mapping)
    return caught.value


def test_unknown_levels_are_refused_with_the_valid_names():
    error = refused(unit="rack")
    assert str(error) == "unit: this network has no level 'rack'; choose one of supernode, drawer, host, node, task"
    error = refused(within="rack")
    assert (
        str(error) == "within: this network has no level 'rack'; choose one of supernode, drawer, host, node, anywhere"
    )
    torus = Scenario(Torus(dims=(3, 3)), Halo(rows=3, cols=3), Random(), DimensionOrder()).build()
    assert "supernode" not in str(refused(torus, unit="supernode")).partition(";")[2]


def test_constraints_without_possible_moves_are_refused():
    assert "a supernode is larger than a drawer" in refused(unit="supernode", within="drawer").message
    assert refused(unit="drawer", within="drawer").field == "within"
    everyone = np.arange(CASE.job.tasks, dtype=np.int32)
    assert refused(pinned=everyone, empty=False).field == "pinned"
    assert refused(FULL, pinned=np.arange(0, 256, 4, dtype=np.int32), unit="node").field == "pinned"
    MoveConstraints().check(CASE.network, CASE.mapping)


def test_hosts_that_cannot_be_exchanged_are_refused():
    network = on_hosts(Torus(dims=(6,)).build(), np.array([1, 2, 3], np.int32))
    mapping = Mapping(np.array([0, 1, 3], np.int32), 1)
    with pytest.raises(
        SpecError, match=r"unit: no two units \(host\) can be exchanged: all have different numbers of slots"
    ):
        MoveConstraints("host").check(network, mapping)
    network, mapping = Torus(dims=(3,), slots_per_node=2).build(), Mapping(np.array([0, 3], np.int32), 2)
    with pytest.raises(SpecError, match=r"all have tasks in different slots; let tasks move to empty slots"):
        MoveConstraints("node", empty=False).check(network, mapping)


def test_kernels_get_a_unit_to_draw_even_where_none_is_free():
    moves = moves_of(FULL, pinned=np.arange(256, dtype=np.int32))
    assert len(moves.group) == 1
    assert moves.start.tolist() == [0, 1]


@pytest.mark.parametrize(("each", "slots", "open_slots"), [
    (1, [0, 4], range(16)),
    (2, [0, 4], range(0, 16, 2)),
    (2, [3, 2, 5], [2, 3, 4, 5, 8, 10, 12, 14]),
    (3, [0, 4], [0, 4, 8, 12]),
    (3, [0, 1, 6], [0, 1, 6, 8, 12]),
])  # fmt: skip
def test_tasks_go_to_empty_slots_only_if_their_cores_suffice(each, slots, open_slots):
    network = Torus(dims=(4,), slots_per_node=4).build()
    mapping = Mapping(np.array(slots, np.int32), 4, cores_per_rank=each)
    moves = MoveConstraints().moves(network, mapping)
    assert np.sort(moves.slots.ravel()).tolist() == list(open_slots)
    # Whole nodes are exchanged with all their tasks.
    assert MoveConstraints("node").moves(network, mapping).slots.size == 16


def test_tasks_need_the_cores_of_a_host_with_several_nics():
    network = Dragonfly(2, 1, 3, nodes_per_router=4, slots_per_node=2, nics=4).build()
    mapping = Mapping(np.array([0, 8], np.int32), 2, cores_per_rank=3)
    # Hosts of eight cores take two tasks; their cores 0 and 3 belong to the first and the last NIC.
    moves = MoveConstraints().moves(network, mapping)
    assert np.sort(moves.slots.ravel()).tolist() == [8 * host + slot for host in range(6) for slot in (0, 6)]


def torus_with_sockets():
    return with_sockets(Torus(dims=(5,), slots_per_node=8).build(), 4)


def hosts_of_two_nics():
    return Dragonfly(2, 1, 3, nodes_per_router=4, slots_per_node=4, nics=2).build()


@pytest.mark.parametrize(("network", "unit"), [
    (torus_with_sockets(), "socket"), (torus_with_sockets(), "node"), (hosts_of_two_nics(), "node"),
    (hosts_of_two_nics(), "host"),
], ids=["sockets", "nodes", "NICs", "hosts"])  # fmt: skip
@given(each=st.integers(2, 4), seed=st.integers(0, 1 << 16))
def test_exchanged_units_leave_enough_cores_on_every_host(network, unit, each, seed):
    rng = np.random.default_rng(seed)
    # As many ranks on each host as it has cores for, or fewer, in any slots.
    hosts = network.host_slots
    host, _ = hosts.place_of(np.arange(network.slots, dtype=np.int32))
    ranks = [rng.integers(room // each + 1) for room in hosts.room]
    slots = np.concatenate([rng.permutation(np.flatnonzero(host == h))[:count] for h, count in enumerate(ranks)])
    mapping = Mapping(slots.astype(np.int32), network.slots_per_node, cores_per_rank=each)
    moves = MoveConstraints(unit).moves(network, mapping)
    occupied = np.isin(np.arange(network.slots), slots)
    for _ in range(100):
        a = rng.integers(len(moves.group))
        first, second = moves.slots[[a, rng.choice(np.flatnonzero(moves.group == moves.group[a]))]]
        occupied[first], occupied[second] = occupied[second], occupied[first].copy()
        assert (np.bincount(host[occupied], minlength=hosts.count) * each <= hosts.room).all()


@pytest.mark.parametrize(("slots", "units"), [
    # Two ranks on each socket: all sockets may be exchanged.
    ([0, 1, 4, 5], [10]),
    # Four ranks on the first socket of a node fill the node: its sockets may be exchanged with each other only if both
    # have equally many ranks.
    ([0, 1, 2, 3, 8, 9], [8, 1, 1]),
    ([0, 1, 2, 3, 8, 9, 10, 11], [6, 2, 2]),
])  # fmt: skip
def test_sockets_of_full_hosts_are_exchanged_with_sockets_of_equally_many_ranks(slots, units):
    network = torus_with_sockets()
    mapping = Mapping(np.array(slots, np.int32), 8, cores_per_rank=2)
    assert np.diff(MoveConstraints("socket").moves(network, mapping).start).tolist() == units


def test_sockets_that_cannot_be_exchanged_are_refused():
    network = with_sockets(Torus(dims=(2,), slots_per_node=8).build(), 4)
    mapping = Mapping(np.array([0, 1, 2, 3, 8, 9, 10, 12], np.int32), 8, cores_per_rank=2)
    with pytest.raises(SpecError, match=r"unit: no two units \(socket\) can be exchanged: hosts have too few cores"):
        MoveConstraints("socket").check(network, mapping)


def test_a_search_keeps_the_cores_of_ranks(tmp_path):
    places = [(5 * rank % 8 + 1, 4 * (rank // 8)) for rank in range(16)]
    lines = [f"rank {rank}=n{host} slot={core}-{core + 3}\n" for rank, (host, core) in enumerate(places)]
    (tmp_path / "ranks.txt").write_text("".join(lines))
    network, ranks = Torus(dims=(8,), slots_per_node=12), FromFile(file="ranks.txt")
    scenario = Scenario(network, Halo(2, 8), ranks, DimensionOrder(), folder=tmp_path, hosts="n[1-8]")
    best = search_best(scenario.build(), Request(steps=3000))
    assert best.better.time < best.start.time
    assert best.better.case.mapping.cores_per_rank == best.better.case.scenario.mapping.cores_per_rank == 4
    # No node has more ranks than cores for them.
    text = str(export(best.better.case, "openmpi-rankfile").content)
    assert set(re.findall(r"slot=(.*)", text)) <= {"0-3", "4-7", "8-11"}
