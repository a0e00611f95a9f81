"""The wiring of tori and meshes, against networkx."""

from collections import Counter
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from core.network import Mesh, Torus
from core.network.families.torus import link_table
from core.network.metrics import metrics
from core.network.sizes import axis_name
from core.spec import SpecError
from tests.core.strategies import lattice_specs
from tests.oracle.torus import Lattice


def grid_graph(spec):
    """The same network by networkx, on node numbers; its axes are in reverse order, and it has no parallel links."""
    graph = nx.grid_graph(dim=spec.dims[::-1], periodic=spec.wraps[::-1])
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    as_tuple = (lambda node: node) if len(spec.dims) > 1 else (lambda node: (node,))
    graph = nx.relabel_nodes(graph, {node: lattice.number(as_tuple(node)) for node in graph})
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


@given(lattice_specs())
def test_links_match_networkx(spec):
    network = spec.build()
    ours = set(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    assert ours == set(grid_graph(spec).to_directed().edges)
    assert network.nodes == prod(spec.dims)


@given(lattice_specs())
def test_every_node_has_its_links_along_every_dimension(spec):
    network = spec.build()
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    expected = Counter()
    for number in range(network.nodes):
        node = lattice.node(number)
        for d, size in enumerate(spec.dims):
            for step in (1, -1):
                if size > 1 and (spec.wraps[d] or 0 <= node[d] + step < size):
                    expected[axis_name(d), number, lattice.number(lattice.moved(node, d, step))] += 1
    names = [network.classes[c].name for c in network.class_of]
    assert Counter(zip(names, network.src.tolist(), network.dst.tolist(), strict=True)) == expected
    # Only rings of two have both of their links twice.
    for (name, _, _), count in expected.items():
        d = next(d for d in range(len(spec.dims)) if axis_name(d) == name)
        assert count == (2 if spec.dims[d] == 2 and spec.wraps[d] else 1)


@given(lattice_specs())
def test_link_table_agrees_with_the_arrays(spec):
    network, table = spec.build(), link_table(spec)
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    seen = []
    for d in range(len(spec.dims)):
        for side, step in enumerate((1, -1)):
            for number in np.flatnonzero(table[d, side] >= 0).tolist():
                link = int(table[d, side, number])
                seen.append(link)
                assert network.src[link] == number
                assert network.dst[link] == lattice.number(lattice.moved(lattice.node(number), d, step))
    assert sorted(seen) == list(range(network.links))


@given(lattice_specs())
def test_cuts_count_the_links_that_leave(spec):
    network = spec.build()
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    long = [d for d, size in enumerate(spec.dims) if size > 1]
    assert len(network.cuts) == len(long)
    for d, cut in zip(long, network.cuts, strict=True):
        side = np.array([lattice.node(n)[d] < spec.dims[d] // 2 for n in range(network.nodes)])
        leaving = np.flatnonzero(side[network.src] & ~side[network.dst])
        assert side.sum() == cut.nodes
        assert Counter(network.classes[c].name for c in network.class_of[leaving]) == cut.leaving


@given(lattice_specs())
def test_levels_are_nested_and_even(spec):
    network = spec.build()
    for level in network.levels:
        counts = np.bincount(level.group, minlength=level.count)
        assert (counts == level.nodes_per_group).all()
    for coarse, fine in zip(network.levels, network.levels[1:], strict=False):
        assert len(set(zip(fine.group.tolist(), coarse.group.tolist(), strict=True))) == fine.count


def test_names_of_classes_and_nodes():
    network = Torus(dims=(2, 2, 1, 2, 2)).build()
    assert [c.name for c in network.classes] == ["X", "Y", "W", "D5"]
    assert Torus(dims=(4, 3)).build().label(7) == "(2,1)"


def test_mesh_and_torus_without_wrap_are_equal():
    mesh, torus = Mesh(dims=(3, 4)).build(), Torus(dims=(3, 4), wrap=False).build()
    np.testing.assert_array_equal(mesh.src, torus.src)
    np.testing.assert_array_equal(mesh.dst, torus.dst)


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        (Torus(dims=(1, 1)), "network.dims", "single node"),
        (Mesh(dims=(1,)), "network.dims", "single node"),
        (Torus(dims=(65536, 65536)), "network.dims", "at most 10,000,000"),
        (Torus(dims=(65536,) * 8), "network.dims", "at most 10,000,000"),
        (Torus(dims=(3, 3), wrap=(True,)), "network.wrap", "give one per dimension"),
    ],
)
def test_refusals_name_the_field(spec, field, words):
    with pytest.raises(SpecError, match=words) as refusal:
        spec.build()
    assert refusal.value.field == field


TOFU = {"Tofu D, 324 nodes": (324, 3_240, 10, 6, 384_912), "Fugaku": (158_976, 1_589_760, 10, 38, 490_449_862_656)}


@pytest.mark.parametrize(("name", "figures"), TOFU.items())
def test_tofu_matches_the_reference_and_has_units_of_twelve(name, figures):
    network = Torus(**Torus.presets[name]).build()
    counts, pairs, _ = metrics.count(network)
    assert (network.nodes, network.links, counts.degree, counts.diameter, counts.distance_sum) == figures
    assert pairs == network.nodes * (network.nodes - 1)
    unit = network.levels[2]
    assert (unit.name, unit.nodes_per_group) == ("unit", 12)
    np.testing.assert_array_equal(unit.group, np.arange(network.nodes) // 12)
    assert {c.gbs for c in network.classes} == {6.8}


def test_a_pod_of_tpus_has_3072_optical_cables():
    network = Torus(**Torus.presets["TPU v4 pod"]).build()
    place = np.stack(np.unravel_index(network.src, (16, 16, 16)))
    up = np.arange(network.links) % 2 == 0
    along = network.class_of[None]
    assert (network.nodes, metrics.count(network)[0].diameter) == (4096, 24)
    assert int((np.take_along_axis(place, along, 0)[0][up] % 4 == 3).sum()) == 3072


def test_units_are_in_the_summary_and_have_fewer_dimensions_than_the_torus():
    assert Torus(dims=(4, 2, 3), unit=2).summary() == "4 × 2 × 3 = 24 nodes, 6 per unit"
    assert [level.name for level in Torus(dims=(4, 2, 3), unit=2).build().levels] == ["unit", "row"]
    assert Torus(dims=(4, 2, 3), unit=2).of_degree(16, 4)[0].unit == 0
    with pytest.raises(SpecError, match=r"network\.unit: is 2; must be less than the 2 dimensions"):
        Torus(dims=(4, 4), unit=2).build()


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (Torus(dims=(4, 4, 4)), "X Y Z"),
        (Torus(dims=(3, 3, 3, 2, 3, 2), unit=3), "X Y Z A B C"),
        (Torus(dims=(2, 2, 2, 2, 2)), "X Y Z W D5"),
        (Torus(dims=(4, 4, 2), unit=1), "X Y A"),
        (Mesh(dims=(4, 3)), "X Y"),
        (Torus(dims=(9,)), "X"),
    ],
)
def test_axes_are_named_in_the_declaration_and_everywhere_after_it(spec, names):
    network = spec.build()
    assert list(spec.axes) == names.split()
    assert [axis.name for axis in network.layout.axes] == names.split()
    assert [links.name for links in network.classes] == names.split()
    assert [cut.name for cut in network.cuts] == [f"bisection along {name}" for name in names.split()]


def test_coordinates_are_named():
    network = Torus(dims=(3, 3, 3, 2, 3, 2), unit=3).build()
    node = int(np.ravel_multi_index((2, 1, 0, 1, 2, 1), network.spec.dims))
    assert network.coordinates(node) == "X 2 · Y 1 · Z 0 · A 1 · B 2 · C 1"
    assert Torus(dims=(9,)).build().coordinates(3) == ""
