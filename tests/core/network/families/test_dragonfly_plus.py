"""Dragonfly+: every leaf linked to every spine of its group, and between groups the links of a dragonfly of spines."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Dragonfly, DragonflyPlus
from core.spec import SpecError


@st.composite
def specs(draw):
    spines, ports = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    groups = draw(st.integers(2, min(spines * ports + 1, 8)))
    return DragonflyPlus(
        leaves=draw(st.integers(1, 4)),
        spines=spines,
        global_links=ports,
        groups=groups,
        nodes_per_leaf=draw(st.integers(1, 3)),
        arrangement=draw(st.sampled_from(("absolute", "relative", "cyclic"))),
        links_per_pair=draw(st.integers(0, spines * ports // (groups - 1))),
    )


@given(specs())
def test_leaves_link_to_spines_and_spines_link_as_routers_of_a_dragonfly(spec):
    network = spec.build()
    name = [network.label(vertex) for vertex in range(network.vertices)]
    joined = {c.name: Counter() for c in network.classes}
    for link, (u, v) in enumerate(zip(network.src.tolist(), network.dst.tolist(), strict=True)):
        joined[network.classes[network.class_of[link]].name][name[u], name[v]] += 1
    expected = Counter()
    for group in range(spec.groups):
        for leaf in range(spec.leaves):
            for spine in range(spec.spines):
                pair = f"g{group} · leaf {leaf}", f"g{group} · spine {spine}"
                expected[pair] = expected[pair[::-1]] = 1
    assert joined["local"] == expected
    fields = spec.spines, spec.global_links, spec.groups, 1, spec.arrangement, spec.links_per_pair
    dragonfly = Dragonfly(*fields).build()
    links = dragonfly.link_class("global").links
    of_spine = lambda router: f"g{router // spec.spines} · spine {router % spec.spines}"  # noqa: E731
    pairs = zip(dragonfly.src[links].tolist(), dragonfly.dst[links].tolist(), strict=True)
    assert joined["global"] == Counter((of_spine(u), of_spine(v)) for u, v in pairs)
    hosts = joined.get("host", Counter())
    assert all(node.startswith(f"{leaf} · n") or leaf.startswith(f"{node} · n") for node, leaf in hosts)
    assert hosts.total() == 2 * spec.nodes * spec.hosted
    group = np.array([int(text[1 : text.index(" ")]) for text in name])
    assert (group == network.group_of).all()


def test_like_leonardo():
    spec = DragonflyPlus(**DragonflyPlus.presets["Like Leonardo"])
    network = spec.build()
    assert (network.nodes, network.vertices - network.nodes) == (4140, 23 * 36)
    assert network.link_class("global").count == 2 * 4554
    assert spec.summary() == "4,140 nodes, 828 switches, 18 global links between every two groups"
    assert spec.sized(1800).groups == 10


def test_impossible_networks_are_refused():
    with pytest.raises(SpecError, match="is 10; must be at most 9 for 4 spines with 2 global links each") as refusal:
        DragonflyPlus(groups=10).build()
    assert refusal.value.field == "network.groups"
    with pytest.raises(SpecError, match="is 2; must be at most 1 for 8 global ports per group and 8 other groups"):
        DragonflyPlus(links_per_pair=2).build()
