"""Added cables: links after all others, their bandwidths, ports and curves, and the paths of every scheme over them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Halo
from core.load.bounds import bounds
from core.load.compatibility import fitted, routing_error
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import AddedCable, Clex, Edges, FatTree, LinkFault, Torus
from core.network.added_cables import cable_links, fitting_cables, with_cables
from core.network.faults import Faults
from core.routing import (
    Adaptive,
    DimensionOrder,
    DModK,
    GroupMinimal,
    Minimal,
    PercsDirect,
    PercsIndirect,
    ShortDimension,
    Tables,
    Valiant,
)
from core.routing.clex.scheme import ClexRouting
from core.spec import SpecError
from tests.core.everywhere import FABRICS, FAMILIES, ROUTINGS, choices
from tests.core.strategies import built, cables_of, node_flows
from tests.oracle.groups import Groups
from tests.oracle.minimal import Wiring

FAMILY_PATHS = (
    DimensionOrder, Adaptive, ShortDimension, ClexRouting, DModK, Tables, PercsDirect, PercsIndirect
)  # fmt: skip
"""Schemes whose paths follow from the family or a file."""


def links_of(network):
    return list(zip(network.src.tolist(), network.dst.tolist(), strict=True))


def oracle_of(network, routing):
    """The paths of a scheme, one by one; None for schemes that plan, or whose legs are group-minimal."""
    ends = links_of(network), network.nodes
    if isinstance(routing, GroupMinimal):
        return Groups(*ends, network.group_of.tolist(), routing.spread)
    if isinstance(routing, Minimal):
        return Wiring(*ends, network.vertices, routing.spread, closed=network.closed)
    if routing == Valiant() and not network.spec.groups_joined:
        return Wiring(*ends, network.vertices, "valiant", closed=network.closed)
    return None


@settings(max_examples=200)
@given(st.sampled_from(choices()), st.data())
def test_every_scheme_uses_added_cables_or_refuses_them(choice, data):
    family, values = FAMILIES[choice[0]]
    plain, routing = built(family(**values)), ROUTINGS[choice[1]]
    network = with_cables(plain, data.draw(cables_of(plain)))
    error = routing_error(routing, network)
    assert (error is not None) == isinstance(routing, FAMILY_PATHS)
    assert error is None or "cannot use added cables" in error.message
    oracle = oracle_of(network, routing)
    if error is not None or oracle is None:
        return
    flows, expected = data.draw(node_flows(network)), np.zeros(network.links)
    for u, v, volume in zip(*(column.tolist() for column in flows), strict=True):
        for share, hops in oracle.paths(u, v):
            for *_, link in hops:
                expected[link] += share * volume
    np.testing.assert_allclose(routing.router(network).loads([flows]), expected, atol=1e-9)


@given(st.sampled_from(FAMILIES), st.data())
def test_links_keep_their_numbers_names_ports_and_curves(chosen, data):
    family, values = chosen
    plain = built(family(**values))
    cables = data.draw(cables_of(plain))
    network, links = with_cables(plain, cables), np.arange(plain.links)
    every = np.arange(network.links)
    assert network.links == plain.links + 2 * len(cables) == sum(c.count for c in network.classes)
    assert network.ends_of_all_links()[: plain.links] == plain.ends_of_all_links()
    np.testing.assert_array_equal(network.gbs[: plain.links], plain.gbs)
    curves = network.layout.link_curves(every, network.src, network.dst)
    np.testing.assert_array_equal(curves[: plain.links], plain.layout.link_curves(links, plain.src, plain.dst))
    np.testing.assert_array_equal(curves[plain.links :, 0], network.layout.positions[network.src[plain.links :]])
    for cable, both in zip(cables, cable_links(network, cables).tolist(), strict=True):
        assert {links_of(network)[link] for link in both} == {(cable.src, cable.dst), (cable.dst, cable.src)}
        assert cable.gbs is None or set(network.gbs[both]) == {cable.gbs}
    assert sorted(cable_links(network, cables).ravel().tolist()) == list(range(plain.links, network.links))
    added = sorted(tuple(sorted(pair)) for pair in links_of(network)[plain.links :])
    assert added == sorted(2 * [tuple(sorted((cable.src, cable.dst))) for cable in cables])


def test_a_cable_is_as_fast_as_the_fastest_link_of_its_slower_end():
    network = FatTree(arity=2, levels=2, gbs=4.0, host_gbs=1.0).build()
    leaf, top = network.nodes, network.vertices - 1
    cables = AddedCable(leaf, top), AddedCable(0, top), AddedCable(0, 1, 7.0)
    added = with_cables(network, cables).classes[len(network.classes) :]
    assert [(c.name, c.gbs, c.count) for c in added] == [
        ("added 7 GB/s", 7.0, 2), ("added 4 GB/s", 4.0, 2), ("added 1 GB/s", 1.0, 2)
    ]  # fmt: skip
    assert with_cables(network, cables[:1]).classes[-1].name == "added"


def test_a_cable_has_the_next_ports_of_its_switches_and_a_fault():
    network = Edges(file=str(FABRICS / "tree" / "ibnetdiscover.txt")).build()
    a, b = (network.label(vertex) for vertex in (network.nodes, network.vertices - 1))
    extended = with_cables(network, (AddedCable(a, b), AddedCable(a, b)))
    first, second = (extended.link_ends(network.links + 2 * k) for k in range(2))
    numbers = [[int(end.rpartition(" ")[2]) for end in ends] for ends in (first, second)]
    assert numbers[1] == [number + 1 for number in numbers[0]]
    fault = LinkFault(*second)
    assert Faults.of(extended, (fault,)).taken[0].tolist() == [network.links + 2, network.links + 3]


TORUS = Scenario(Torus((3, 4)), Halo(3, 4), Sequential(), Minimal(spread="equal"))


@pytest.mark.parametrize(
    ("cable", "field", "words"),
    [
        (AddedCable(0, 12), "dst", "the network has 12 vertices, 0 to 11"),
        (AddedCable("x", 1), "src", "no node or switch has the name 'x'"),
        (AddedCable(3, 3), "dst", "is 3, the same as src"),
    ],
)
def test_an_unknown_end_is_an_error(cable, field, words):
    with pytest.raises(SpecError, match=rf"^cables\[1\]\.{field}: ") as error:
        replace(TORUS, cables=(AddedCable(0, 5), cable)).build()
    assert words in error.value.message
    assert fitting_cables(TORUS.machine(), (AddedCable(0, 5), cable)) == (AddedCable(0, 5),)


def test_aggregated_networks_and_too_many_bandwidths_are_refused():
    with pytest.raises(SpecError, match=r"^cables: do not support aggregated networks"):
        with_cables(Clex(k=32, levels=4).build(), (AddedCable(0, 1),))
    with pytest.raises(SpecError, match=r"^cables: have 30 different bandwidths; at most 24"):
        with_cables(TORUS.machine(), [AddedCable(0, 1, gbs) for gbs in range(1, 31)])


def test_cables_are_kept_where_they_fit_another_network():
    cables = AddedCable(0, 5), AddedCable(0, 11)
    smaller = fitted(replace(TORUS, network=Torus((3, 3)), cables=cables, routing=DimensionOrder()))
    assert (smaller.cables, smaller.routing) == (cables[:1], Minimal(spread="equal"))
    assert smaller.build().network.links == 38


def test_a_network_is_built_once_for_several_cables():
    case = TORUS.build()
    more = replace(TORUS, cables=(AddedCable(0, 5),)).build(before=case)
    assert more.network.plain is case.network
    assert replace(TORUS, cables=(AddedCable(1, 7),)).build(before=more).network.plain is case.network
    assert TORUS.build(before=more).network is case.network


def test_bounds_of_the_family_are_dropped():
    network = with_cables(TORUS.machine(), (AddedCable(0, 5),))
    assert (network.cuts, network.symmetry, network.alike, network.tree) == ((), None, None, None)
    report = evaluate(replace(TORUS, cables=(AddedCable(0, 5),)).build())
    assert report.time >= max(bound.time for bound in bounds(report.case, report)) * (1 - 1e-9)
