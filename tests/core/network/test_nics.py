"""Hosts with several NICs: names, levels, allocations."""

import numpy as np
import pytest

from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.allocation import Allocation, nodes_named
from core.mapping.node_choice import nodes_text
from core.network import Dragonfly, Rail, Xgft
from core.network.hosts import named, with_sockets
from core.network.nics import on_hosts
from core.routing import Minimal
from core.spec import SpecError

SPECS = [
    (Dragonfly(4, 2, 5, 4, nics=2), ["group", "router", "host"]),
    (Dragonfly(4, 2, 5, 4, nics=4), ["group", "router", "host"]),
    (Dragonfly(4, 2, 5, 2, nics=4), ["group", "host"]),
    (Dragonfly(4, 2, 5, 1, nics=2), ["group", "host"]),
    (Xgft((4, 6), (1, 2), nics=2), ["leaf group", "host"]),
    (Xgft((4, 6), (1, 2), nics=8), ["host"]),
    (Rail(2, 2, 4, 2, nics=4), ["unit", "server", "host"]),
    (Rail(2, 2, 4, 2, nics=2), ["unit", "server", "host"]),
]


@pytest.mark.parametrize(("spec", "levels"), SPECS)
def test_hosts_are_the_finest_level(spec, levels):
    network = spec.build()
    assert [level.name for level in network.levels] == levels
    assert network.levels[-1].group.tolist() == [node // spec.nics for node in range(spec.nodes)]
    assert network.host_slots.count == len(network.host_names) == spec.nodes // spec.nics
    # Every level's groups are unions of the next level's groups.
    for coarse, fine in zip(network.levels, network.levels[1:], strict=False):
        assert len({*zip(fine.group.tolist(), coarse.group.tolist(), strict=True)}) == fine.count


def test_switches_are_groups_of_their_own_outside_omitted_levels():
    network = Xgft((4, 6), (1, 2), nics=8).build()
    assert network.group_of.tolist() == [node // 8 for node in range(24)] + [*range(3, 3 + 8)]
    assert network.group_kinds == ("host", "switch")
    kept = Xgft((4, 6), (1, 2), nics=2).build()
    assert kept.group_of.tolist() == Xgft((4, 6), (1, 2)).build().group_of.tolist()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Dragonfly(4, 2, 5, 4, nics=3), "network.nics: is 3; must divide the 16 nodes of a group"),
        (Xgft((4, 6), (1, 2), nics=5), "network.nics: is 5; must divide the 24 nodes of the network"),
        (Rail(2, 3, 4, 2, nics=8), "network.nics: is 8; must divide the 4 nodes of a server"),
    ],
)
def test_hosts_have_equally_many_nics(spec, words):
    with pytest.raises(SpecError) as refused:
        spec.build()
    assert str(refused.value) == words


@pytest.mark.parametrize(("spec", "levels"), SPECS)
@pytest.mark.parametrize("nodes", [10, 100])
def test_other_sizes_still_have_whole_hosts(spec, levels, nodes):
    network = spec.sized(nodes).build()
    assert network.host_slots.nics_of.sum() == network.nodes


def test_names_are_names_of_hosts():
    network = named(SPECS[0][0].build(), "h[00-39]", None)
    assert network.node_names[:3] == ("h00-nic0", "h00-nic1", "h01-nic0")
    assert network.label(3) == "h01-nic1"
    assert network.place_name(2, 1) == "host h01"
    assert network.host_named("h01.cluster") == 1
    assert (network.node_named("h01"), network.node_named("h01-nic1")) == (None, 3)
    assert (network.vertex_named("h01-nic1"), network.vertex_named("g0 · r1")) == (3, 81)
    with pytest.raises(SpecError, match="hosts: has 80 names; the network has 40 hosts"):
        named(network, "h[00-79]", None)


def test_lists_name_hosts():
    network = SPECS[0][0].build()
    for text in ("3,0-1", "n[03,00-01]"):
        assert nodes_named("allocation", text, network).tolist() == [6, 7, 0, 1, 2, 3]
    assert nodes_text(np.array([6, 7, 0, 1, 2, 3], np.int32), network) == "3,0-1"
    with pytest.raises(SpecError, match="allocation: no host 40; the network's hosts are 0 to 39"):
        nodes_named("allocation", "40", network)
    with pytest.raises(SpecError, match="down: n40 is not a host of this network; its hosts are n00 to n39"):
        nodes_named("down", "n40", network)


def test_an_allocation_has_whole_hosts():
    network = named(on_hosts(Dragonfly(2, 1, 3, 2).build(), np.array([1, 3, 2, 4, 2], np.int32)), "a,b,c,d,e", None)
    allocation = Allocation.of(network, "d,b", ["e"])
    assert allocation.nodes.tolist() == [6, 7, 8, 9, 1, 2, 3]
    machine = allocation.machine
    assert machine.nics.tolist() == [4, 3]
    assert machine.host_names == ("d", "b")


def test_jobs_share_no_host():
    network = Dragonfly(4, 2, 5, 4, nics=4)
    neighbour = {"job": AllToAll(5), "mapping": Sequential()}
    scenario = Scenario(network, AllToAll(8), Sequential(), Minimal())
    from core.load.neighbours import Neighbour

    own, other = scenario.__class__(
        network, AllToAll(8), Sequential(), Minimal(), neighbours=(Neighbour(**neighbour),)
    ).allocations(network.build(), [8, 5])
    assert other.nodes.tolist() == [*range(8, 16)]
    assert own.nodes.tolist() == [*range(8), *range(16, 80)]


def test_sockets_divide_hosts():
    network = Dragonfly(4, 2, 5, 4, slots_per_node=3, nics=2).build()
    assert with_sockets(network, 2).cores == 2
    with pytest.raises(SpecError, match="cores: is 4; must divide the 6 slots of a host: 1, 2, 3, 6"):
        with_sockets(network, 4)
