"""Linked groups against the links of their networks, and numberings as symmetries of the gates."""

import numpy as np
import pytest

from core.mapping.lattice.numbering import numberings
from core.mapping.lattice.sublattice import sublattices
from core.network import Dragonfly, DragonflyPlus, Percs, Torus
from core.routing import GroupMinimal, Minimal, PercsDirect, PercsIndirect


@pytest.mark.parametrize(
    "spec",
    [
        Percs(6, 2, drawers=2, nodes_per_drawer=4),
        Percs(5, 4, drawers=4, nodes_per_drawer=2),
        Dragonfly(routers=4, global_links=2, groups=9),
        Dragonfly(routers=4, global_links=3, groups=5, nodes_per_router=2, arrangement="absolute", links_per_pair=3),
    ],
)
def test_gates_are_the_ends_of_the_links_between_groups(spec):
    network = spec.build()
    machine = spec.linked_groups()
    links = network.link_class("D" if isinstance(spec, Percs) else "global").links
    first = network.nodes if network.vertices > network.nodes else 0
    expected = {
        (u - first, (v - first) // machine.places) for u, v in zip(network.src[links], network.dst[links], strict=True)
    }
    gates = {
        (group * machine.places + gate, other)
        for group in range(machine.groups)
        for other in range(machine.groups)
        if other != group
        for gate in machine.gates[group, other]
    }
    assert gates == expected
    assert machine.slots * machine.groups == network.slots


@pytest.mark.parametrize(("supernodes", "d_links", "dims"), [(16, 1, (32, 64)), (64, 2, (64, 128)), (32, 16, (64, 64))])
def test_numberings_are_symmetries(supernodes, d_links, dims):
    machine = Percs(supernodes, d_links).linked_groups()
    tried = 0
    for lattice in list(sublattices(dims, 128))[::7]:
        for number, moved in list(numberings(machine, lattice))[:3]:
            tried += 1
            assert sorted(number) == list(range(supernodes))
            assert number[0] == 0
            assert (np.sort(moved, axis=1) == np.arange(32)).all()
            drawers = moved.reshape(supernodes, 4, 8) // 8
            assert (drawers == drawers[:, :, :1]).all()
            for a in range(0, supernodes, 5):
                for to in range(1, supernodes, 3):
                    gates = machine.gates[number[a], number[lattice.sums[a, to]]]
                    assert set(gates) == set(moved[a][machine.gates[0, number[to]]])
    assert tried > 5


@pytest.mark.parametrize(
    "spec", [Torus((4, 4)), Percs(1, 1), Dragonfly(routers=4, global_links=2, groups=4), DragonflyPlus()]
)
def test_other_networks_have_no_linked_groups(spec):
    assert spec.linked_groups() is None


@pytest.mark.parametrize(
    ("routing", "network", "striped"),
    [
        (PercsDirect(), Percs(4, 2), True),
        (PercsDirect(intra="single-hop"), Percs(4, 2), False),
        (PercsIndirect(), Percs(4, 2), None),
        (PercsDirect(), Percs(1, 2), None),
        (GroupMinimal(), Dragonfly(), False),
        (GroupMinimal(), DragonflyPlus(), None),
        (Minimal(), Dragonfly(), None),
    ],
)
def test_routers_know_whether_they_use_direct_links_only(routing, network, striped):
    groups = routing.router(network.build()).linked_groups
    assert (groups and groups.striped) == striped
