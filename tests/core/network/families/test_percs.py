"""The wiring of PERCS, against the text of the model."""

from collections import Counter

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Percs
from core.spec import SpecError
from tests.core.strategies import SIZES
from tests.core.strategies import percs_specs as percs_of_sizes
from tests.oracle.percs import Machine


def percs_specs(**limits):
    """Machines with supernodes of any size."""
    return percs_of_sizes(**limits, sizes=SIZES)


@given(percs_specs(most=9))
def test_links_match_the_model(spec):
    network = spec.build()
    names = [network.classes[c].name for c in network.class_of]
    ours = Counter(zip(names, network.src.tolist(), network.dst.tolist(), strict=True))
    machine = Machine(spec.supernodes, spec.d_links, drawers=spec.drawers, per_drawer=spec.nodes_per_drawer)
    links = machine.links()
    assert ours == Counter((kind, machine.number(start), machine.number(end)) for kind, start, end in links)
    assert max(ours.values()) == 1


def test_link_counts_of_the_largest_machine():
    network = Percs(supernodes=512, d_links=1).build()
    assert {c.name: c.count for c in network.classes} == {"LL": 114_688, "LR": 393_216, "D": 261_632}
    assert (network.nodes, network.slots) == (16_384, 65_536)


@given(percs_specs())
def test_both_levels_are_complete_graphs(spec):
    network = spec.build()
    assert (network.src != network.dst).all()
    near = np.eye(network.nodes, dtype=np.float32)
    near[network.src, network.dst] = 1
    size = spec.nodes_per_supernode
    for first in range(0, network.nodes, size):
        assert near[first : first + size, first : first + size].all()
    far = network.src // size != network.dst // size
    pairs = Counter(zip(network.src[far] // size, network.dst[far] // size, strict=True))
    supernodes = range(spec.supernodes)
    assert pairs == {(a, b): spec.d_links for a in supernodes for b in supernodes if a != b}
    # Any node to any other: one hop inside a supernode, at most L - D - L between two.
    assert (near @ near @ near > 0).all()


@given(percs_specs(most=9))
def test_every_direction_has_its_opposite(spec):
    network = spec.build()
    forth = set(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    assert forth == {(v, u) for u, v in forth}


@given(percs_specs(), st.floats(0.5, 100), st.floats(0.5, 100), st.floats(0.5, 100))
def test_bandwidths_reach_their_links(spec, ll, lr, d):
    network = msgspec.structs.replace(spec, ll_gbs=ll, lr_gbs=lr, d_gbs=d).build()
    drawer, supernode = (
        network.src // nodes == network.dst // nodes for nodes in (spec.nodes_per_drawer, spec.nodes_per_supernode)
    )
    np.testing.assert_array_equal(network.gbs, np.where(drawer, ll, np.where(supernode, lr, d)))


def test_levels_are_supernodes_and_drawers():
    supernode, drawer = Percs(3, 2).build().levels
    assert (supernode.name, supernode.count, supernode.nodes_per_group) == ("supernode", 3, 32)
    assert (drawer.name, drawer.count, drawer.nodes_per_group) == ("drawer", 12, 8)
    assert supernode.group[[0, 31, 32, 95]].tolist() == [0, 0, 1, 2]
    assert drawer.group[[0, 7, 8, 95]].tolist() == [0, 0, 1, 11]


@given(percs_specs(most=9))
def test_cuts_count_the_links_that_leave(spec):
    network = spec.build()
    supernode = network.levels[0].group
    for cut in network.cuts:
        side = supernode < cut.nodes // spec.nodes_per_supernode
        leaving = np.flatnonzero(side[network.src] & ~side[network.dst])
        assert side.sum() == cut.nodes
        assert Counter(network.classes[c].name for c in network.class_of[leaving]) == cut.leaving


@pytest.mark.parametrize(
    ("supernodes", "d_links", "words"),
    [(32, 16, ()), (512, 1, ()), (32, 32, ("32 D ports",)), (513, 1, ("16.0312", "uneven")), (3, 4, ("0.375",))],
)
def test_impossible_hardware_gives_a_warning(supernodes, d_links, words):
    warnings = Percs(supernodes, d_links).build().warnings
    assert len(warnings) == len(words)
    for warning, part in zip(warnings, words, strict=True):
        assert part in warning


def test_too_many_links_are_refused_before_they_are_built():
    with pytest.raises(SpecError, match="must be at most 10,000,000") as refusal:
        Percs(4096, 32).build()
    assert refusal.value.field == "network.supernodes"


@pytest.mark.parametrize(("drawers", "nodes", "divisors"), [(4, 8, "1, 2, 4, 8, 16, 32"), (3, 4, "1, 2, 3, 4, 6, 12")])
def test_d_links_divide_the_nodes_of_a_supernode(drawers, nodes, divisors):
    with pytest.raises(SpecError) as refusal:
        Percs(d_links=5, drawers=drawers, nodes_per_drawer=nodes).build()
    assert refusal.value.field == "network.d_links"
    assert refusal.value.message == f"must divide the {drawers * nodes} nodes of a supernode; give one of {divisors}"


def test_one_drawer_has_no_lr_links_and_drawers_of_one_node_no_ll_links():
    assert [c.name for c in Percs(2, 1, drawers=1).build().classes] == ["LL", "D"]
    assert [c.name for c in Percs(2, 1, nodes_per_drawer=1).build().classes] == ["LR", "D"]
    assert [c.name for c in Percs(2, 1, drawers=1, nodes_per_drawer=1).build().classes] == ["D"]
    assert [c.name for c in Percs(1).build().classes] == ["LL", "LR"]
    with pytest.raises(SpecError, match="fewer than two nodes"):
        Percs(1, 1, drawers=1, nodes_per_drawer=1).build()


@given(percs_specs(most=9))
def test_congruence_classes_follow_their_definition(spec):
    network = spec.build()
    groups_of_pair = {}
    size, width = spec.nodes_per_supernode, spec.nodes_per_supernode // spec.d_links
    for link, group in enumerate(spec.congruence(network).tolist()):
        (a, u), (b, v) = divmod(int(network.src[link]), size), divmod(int(network.dst[link]), size)
        if a == b and u // width == v // width:
            groups_of_pair.setdefault((u % width, v % width), set()).add(group)
        else:
            assert group == -1
    assert all(len(groups) == 1 for groups in groups_of_pair.values())
    assert len({min(groups) for groups in groups_of_pair.values()}) == len(groups_of_pair) == width * (width - 1)
    sizes = Counter(spec.congruence(network).tolist())
    sizes.pop(-1, None)
    assert set(sizes.values()) <= {spec.supernodes * spec.d_links}


def test_names_give_supernode_drawer_and_node():
    assert Percs(3, 1).build().label(70) == "2 · d0 · 6"
