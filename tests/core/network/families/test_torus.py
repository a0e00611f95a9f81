"""The wiring of tori and meshes, against networkx."""

from collections import Counter
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from core.network import Mesh, Torus
from core.network.families.torus import link_table
from core.network.sizes import axis_name
from core.spec import SpecError
from tests.core.strategies import lattice_specs
from tests.oracle.torus import Lattice


def grid_graph(spec):
    """networkx's idea of the same network, on node numbers; its axes run the other way, its graph has no parallels."""
    graph = nx.grid_graph(dim=spec.dims[::-1], periodic=spec.wraps[::-1])
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    as_tuple = (lambda node: node) if len(spec.dims) > 1 else (lambda node: (node,))
    graph = nx.relabel_nodes(graph, {node: lattice.number(as_tuple(node)) for node in graph})
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


@given(lattice_specs())
def test_links_are_those_of_networkx(spec):
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
    # Rings of two have both of their links twice, nothing else has.
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


def test_mesh_and_torus_without_wrap_are_the_same():
    mesh, torus = Mesh(dims=(3, 4)).build(), Torus(dims=(3, 4), wrap=False).build()
    np.testing.assert_array_equal(mesh.src, torus.src)
    np.testing.assert_array_equal(mesh.dst, torus.dst)


@pytest.mark.parametrize(
    ("spec", "field", "said"),
    [
        (Torus(dims=(1, 1)), "network.dims", "single node"),
        (Mesh(dims=(1,)), "network.dims", "single node"),
        (Torus(dims=(65536, 65536)), "network.dims", "at most 10,000,000"),
        (Torus(dims=(65536,) * 8), "network.dims", "at most 10,000,000"),
        (Torus(dims=(3, 3), wrap=(True,)), "network.wrap", "give one each"),
    ],
)
def test_refusals_name_the_field(spec, field, said):
    with pytest.raises(SpecError, match=said) as refusal:
        spec.build()
    assert refusal.value.field == field
