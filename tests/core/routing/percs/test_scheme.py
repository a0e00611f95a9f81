"""Rules of PERCS routing in the text of the model."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Percs, Torus
from core.routing import PercsDirect, PercsIndirect
from core.routing.percs.scheme import D_FIRST, D_SECOND, L_FIRST, L_LAST, L_MIDDLE, ROLES
from core.spec import SpecError
from tests.core.strategies import SIZES, node_flows, percs_specs


def hops(network, route):
    """(class, from, to, share) of every hop."""
    names = [network.classes[c].name for c in network.class_of[route.links]]
    return list(
        zip(names, network.src[route.links].tolist(), network.dst[route.links].tolist(), route.shares, strict=True)
    )


def test_single_hop_is_the_one_link():
    network = Percs(2, 1).build()
    router = PercsDirect(intra="single-hop").router(network)
    assert hops(network, router.route(0, 5)) == [("LL", 0, 5, 1.0)]
    assert hops(network, router.route(0, 8)) == [("LR", 0, 8, 1.0)]


def test_striped_goes_over_the_eight_nodes_of_the_sources_drawer():
    network = Percs(2, 1).build()
    router = PercsDirect().router(network)
    # To another drawer: over itself and its seven neighbours.
    expected = {("LR", 1, 9, 1 / 8)}
    for x in (0, 2, 3, 4, 5, 6, 7):
        expected |= {("LL", 1, x, 1 / 8), ("LR", x, 9, 1 / 8)}
    assert set(hops(network, router.route(1, 9))) == expected
    # Inside the drawer x = v uses the direct link on the first hop, x = u on the second.
    inside = Counter((start, end) for _, start, end, _ in hops(network, router.route(1, 2)))
    assert inside[1, 2] == 2
    assert inside.total() == 14


def test_direct_leaves_through_the_gate_of_every_bucket():
    network = Percs(5, 8).build()  # W = 4: supernodes 0 and 4 share gates
    route = PercsDirect().router(network).route(4 * 32 + 1, 3 * 32 + 2)
    far = [hop for hop in hops(network, route) if hop[0] == "D"]
    assert far == [("D", 4 * 32 + j * 4 + 3, 3 * 32 + j * 4 + 0, 1 / 8) for j in range(8)]


def test_hops_to_the_same_node_use_no_link():
    network = Percs(2, 1).build()
    # The only gate towards supernode 1 is node 1, the one towards 0 is node 0: no L-hop is left.
    assert hops(network, PercsDirect().router(network).route(1, 32)) == [("D", 1, 32, 1.0)]


def test_indirect_uses_every_d_link_of_the_source_and_counts_single_hops_once():
    network = Percs(4, 2).build()
    route = PercsIndirect().router(network).route(0, 3 * 32)
    first = route.links[route.roles == D_FIRST]
    second = route.links[route.roles == D_SECOND]
    # Three other supernodes with two links each; the paths over the own and over the last supernode have one D-hop.
    assert len(set(first.tolist())) == len(set(second.tolist())) == 6
    assert route.shares[route.roles == D_FIRST].sum() == pytest.approx(3 / 4)
    assert {network.dst[link] // 32 for link in first} == {1, 2, 3}
    assert {network.src[link] // 32 for link in second} == {0, 1, 2}


@given(percs_specs(sizes=SIZES), st.sampled_from(["striped", "single-hop"]), st.data())
def test_the_middle_hop_adds_load_only_when_counted(spec, intra, data):
    network = spec.build()
    flows = data.draw(node_flows(network))
    counted = PercsIndirect(intra=intra).router(network)
    free = PercsIndirect(intra=intra, count_middle_hop=False).router(network)
    difference = counted.loads([flows]) - free.loads([flows])
    group = spec.congruence(network)
    # The entire difference is on L-links inside a bucket, equal on all links of a congruence class.
    assert np.abs(difference[group < 0]).max(initial=0.0) < 1e-9
    for name in np.unique(group[group >= 0]):
        members = difference[group == name]
        np.testing.assert_allclose(members, members[0], atol=1e-9)
    middle = [
        counted.crossing(int(link), flows.src, flows.dst)[L_MIDDLE] @ flows.volume
        for link in range(0, network.links, 97)
    ]
    np.testing.assert_allclose(difference[::97], middle, atol=1e-9)


def test_roles_are_in_the_order_of_the_route():
    assert [ROLES[i] for i in (L_FIRST, D_FIRST, L_MIDDLE, D_SECOND, L_LAST)] == [
        "first L-hop",
        "first D-hop",
        "middle L-hop",
        "second D-hop",
        "last L-hop",
    ]


@pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect()])
def test_other_networks_are_refused(routing):
    with pytest.raises(SpecError, match="not torus; choose minimal") as refusal:
        routing.router(Torus(dims=(4, 4)).build())
    assert refusal.value.field == "routing.type"
