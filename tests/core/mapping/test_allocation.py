"""The nodes of a job."""

from contextlib import suppress
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.scenario_file import decode, encode
from core.job import AllToAll, Halo
from core.load.scenario import Scenario
from core.mapping import AnyMapping, Explicit, ModColour, Random, RingConsecutive, RoundRobin, Sequential
from core.mapping.allocation import Allocation
from core.mapping.mapping import MappingSpec
from core.network import Circulant, Percs, Torus
from core.network.adjacency import distances_from
from core.routing import Minimal
from core.spec import SpecError, fields_of, members
from tests.core.routing.graphs import split_specs
from tests.core.strategies import networks

MACHINE = Torus((4, 4), slots_per_node=2)
DECLARED = [
    kind() for kind in cast("tuple[type[MappingSpec], ...]", members(AnyMapping))
    if not any(field.required for field in fields_of(kind))
]  # fmt: skip


def scenario(allocation, down=(), mapping=None, tasks=4, network=MACHINE):
    job, mapping = AllToAll(tasks), mapping or Sequential()
    return Scenario(network, job, mapping, Minimal(), allocation=allocation, down=down)


@pytest.mark.parametrize(
    ("allocation", "down", "nodes"),
    [
        ("5,3-4", (), [5, 3, 4]),
        ("n05,n[03-04]", (), [5, 3, 4]),
        ("0-3", ("n01", "3"), [0, 2]),
        ("", ("n[00-13]",), [14, 15]),
    ],
)
def test_nodes_are_filled_in_the_listed_order(allocation, down, nodes):
    case = scenario(allocation, down).build()
    assert case.mapping.nodes.tolist() == np.repeat(nodes, 2)[:4].tolist()
    assert case.slots == 2 * len(nodes)


def test_a_scenario_without_an_allocation_has_all_nodes():
    assert scenario("").build().allocation is None


@given(networks, st.data())
def test_every_strategy_stays_on_the_jobs_nodes_or_refuses(spec, data):
    network = spec.build()
    order = data.draw(st.permutations(range(network.nodes)))
    nodes = order[: data.draw(st.integers(2, network.nodes))]
    allocation = Allocation(network, np.array(nodes, np.int32))
    job = Halo(2, 2).build() if allocation.slots >= 4 else AllToAll(2).build()
    for strategy in DECLARED:
        with suppress(SpecError):
            assert np.isin(strategy.build(job, network, allocation).nodes, nodes).all()


@given(networks, st.integers(0, 99))
def test_a_job_on_all_nodes_in_order_is_placed_as_without_an_allocation(spec, seed):
    network = spec.build()
    all_nodes = Allocation(network, np.arange(network.nodes, dtype=np.int32))
    job = AllToAll(min(network.slots, 5)).build()
    for strategy in (Random(seed=seed), RoundRobin(), RingConsecutive(), Sequential()):
        expected = strategy.build(job, network).slots
        np.testing.assert_array_equal(strategy.build(job, network, all_nodes).slots, expected)


def test_round_robin_uses_the_groups_with_equal_shares_of_the_job():
    drawers = ",".join(f"{first}-{first + 1}" for first in range(0, 32, 8))
    built = scenario(drawers, mapping=RoundRobin(level="drawer"), network=Percs(2)).build()
    assert built.mapping.nodes.tolist() == [0, 8, 16, 24]


def test_a_strategy_that_follows_the_machines_shape_keeps_its_order():
    job, network = Halo(32, 64).build(), Percs(32)
    built = network.build()
    free = ModColour().build(job, built).slots
    nodes = np.arange(1, 1024, 2, dtype=np.int32)
    held = ModColour().build(job, built, Allocation(built, nodes)).slots
    np.testing.assert_array_equal(np.argsort(held), np.argsort(free))
    assert np.isin(held // 4, nodes).all()


@given(networks, st.data())
def test_the_other_nodes_pass_on_what_the_jobs_nodes_send(spec, data):
    network = spec.build()
    nodes = np.array(data.draw(st.permutations(range(network.nodes)))[:2], np.int32)
    machine = Allocation(network, nodes).machine
    distances = []
    for built, (here, there) in ((machine, (0, 1)), (network, nodes.tolist())):
        distance, queue = np.empty((2, built.vertices), np.int32)
        distances_from(here, built.out_links, distance, queue)
        distances.append(distance[there])
    assert distances[0] == distances[1]
    assert machine.label(1) == network.label(int(nodes[1]))


def test_a_slot_on_a_node_outside_the_allocation_is_refused_by_name():
    with pytest.raises(SpecError) as refusal:
        scenario("0-3", mapping=Explicit((0, 1, 8, 2))).build()
    assert str(refusal.value) == "mapping: task 2 is on n04, which is not allocated to this job, or is down"


@pytest.mark.parametrize(
    ("allocation", "down", "message"),
    [
        ("n99", (), "allocation: n99 is not a node of this network; its nodes are n00 to n15, by number 0 to 15"),
        ("3-1", (), "allocation: 3-1 runs backwards; the network's nodes are 0 to 15"),
        ("0-16", (), "allocation: no node 16; the network's nodes are 0 to 15"),
        ("1,0-2", (), "allocation: n01 occurs twice; list each node once"),
        (",", (), "allocation: has no nodes; write them as n00 to n15, by number 0 to 15"),
        ("1--2", (), "allocation: '1--2' is not a range of numbers; write ranges as 0-39,49"),
        ("9" * 5000, (), f"allocation: {'9' * 39 + '…'!r} is not a range of numbers; write ranges as 0-39,49"),
        ("", ("0", "n[1"), "down[1]: n[1: missing ]; write n[1-3]"),
        ("0-1", ("0-1",), "down: leaves no node for the job; leave at least one"),
        ("0", (), "mapping: 4 tasks do not fit 2 slots of the job's 1 node; choose fewer tasks or a larger allocation"),
    ],
)
def test_wrong_nodes_are_refused(allocation, down, message):
    with pytest.raises(SpecError) as refusal:
        scenario(allocation, down).build()
    assert str(refusal.value) == message


def test_hosts_with_numbers_as_names_are_listed_by_name():
    numbers = replace(scenario("001,[002-003]"), hosts="[001-016]")
    assert numbers.build().allocation.nodes.tolist() == [0, 1, 2]
    with pytest.raises(SpecError, match="allocation: 0-2 is not a node of this network; its nodes are 001 to 016"):
        replace(numbers, allocation="0-2").build()


def test_spaces_separate_numbers_and_names():
    assert (
        scenario("4 0-1\n").build().allocation.nodes.tolist()
        == scenario("n04 n[00-01]").build().allocation.nodes.tolist()
    )


def test_files_hold_only_the_given_fields_about_nodes():
    given_nodes = replace(scenario("n[01-03]", ("n02",)), hosts="n[00-15]")
    assert decode(encode(given_nodes)) == given_nodes
    assert not any(name in encode(scenario("")) for name in (b'"hosts"', b'"allocation"', b'"down"'))


def test_tasks_on_the_jobs_nodes_stay_and_others_take_free_slots():
    allocation = Allocation(MACHINE.build(), np.array([3, 1], np.int32))
    assert allocation.kept_within(np.array([9, 6, 0, 2], np.int32)).tolist() == [7, 6, 3, 2]
    assert allocation.kept_within(np.array([7, 6, 2, 3, 9], np.int32)).tolist() == [7, 6, 2, 3, 9]


@given(split_specs(), st.data())
def test_strategies_keep_a_job_that_fits_in_one_component(spec, data):
    network = spec.build()
    room = int((network.components == 0).sum()) * network.slots_per_node
    job = AllToAll(data.draw(st.integers(2, room))).build()
    for strategy in DECLARED:
        if strategy.sees == "slots":
            continue
        with suppress(SpecError):
            assert not network.components[strategy.build(job, network).nodes].any()


def test_a_job_fills_the_component_with_most_of_its_nodes():
    # Two rings: the even and the odd nodes.
    rings = Circulant(nodes=8, jumps=(2, 4))
    assert scenario("1,0,3,5", tasks=3, network=rings).build().mapping.nodes.tolist() == [1, 3, 5]
    assert scenario("", ("0",), tasks=4, network=rings).build().mapping.nodes.tolist() == [1, 3, 5, 7]
    # A job that fits in neither ring has all its nodes in order, and an explicit mapping stays.
    assert scenario("1,0,3,5", tasks=4, network=rings).build().mapping.nodes.tolist() == [1, 0, 3, 5]
    assert scenario("", tasks=2, network=rings, mapping=Explicit((0, 1))).build().mapping.nodes.tolist() == [0, 1]
