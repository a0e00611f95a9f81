"""Networks of a given degree: every family that has it returns some, of about the given size."""

import msgspec
import pytest

from core.box_sides import even_sides
from core.network import Circulant, Clex, Complete, Dragonfly, Edges, FatTree, Mesh, Percs, Shortcut, Torus
from core.network.families.hypercube import Hypercube

FAMILIES = (
    Torus(),
    Mesh(),
    Hypercube(),
    FatTree(),
    Dragonfly(),
    Dragonfly(nodes_per_router=3),
    Complete(),
    Circulant(),
    Shortcut(),
    Clex(),
    Clex(fat_links=True),
)


@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: spec.tag())
@pytest.mark.parametrize("degree", [6, 8, 11, 12])
@pytest.mark.parametrize("nodes", [64, 1000])
def test_networks_of_a_degree_have_the_degree(spec, degree, nodes):
    specs = spec.of_degree(nodes, degree)
    assert specs or degree % 2
    for sized in specs:
        assert sized.build().degree == degree
        # Within the bounds of files.
        assert msgspec.convert(msgspec.to_builtins(sized), type(spec)) == sized


@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: spec.tag())
@pytest.mark.parametrize("degree", [1, 2, 3, 5000, 1 << 20])
def test_networks_of_a_degree_are_within_the_bounds_of_files(spec, degree):
    for sized in spec.of_degree(64, degree):
        assert msgspec.convert(msgspec.to_builtins(sized), type(spec)) == sized


@pytest.mark.parametrize("nodes", [1, (1 << 20) - 1, 1 << 20, 1 << 30])
@pytest.mark.parametrize("degree", [1, 3, 4])
def test_circulant_networks_are_within_the_bounds_of_files(nodes, degree):
    (sized,) = Circulant().of_degree(nodes, degree)
    assert msgspec.convert(msgspec.to_builtins(sized), Circulant) == sized
    assert sized.nodes == min(max(nodes + nodes * degree % 2, degree + 1), 1 << 20)


@pytest.mark.parametrize(("nodes", "degree"), [(64, 32), (64, 35), (1024, 35), (1024, 48), (4096, 63)])
def test_power_775_counts_d_ports_and_local_links(nodes, degree):
    specs = Percs().of_degree(nodes, degree)
    assert {sized.build().degree for sized in specs} == {degree}
    assert Percs().of_degree(nodes, 31) == ()


def test_sizes_are_as_near_as_possible():
    assert [sized.nodes for sized in FatTree().of_degree(64, 8)] == [64, 16]
    assert Torus().of_degree(64, 12)[0].dims == (2,) * 6
    assert Mesh().of_degree(100, 5)[0].dims == (2, 5, 10)
    assert Clex().of_degree(1000, 11)[0] == Clex(k=3, levels=4)
    assert Shortcut().of_degree(64, 40)[0].nodes == 80
    assert Dragonfly().of_degree(1024, 24)[0].groups > 1024 // 24


def test_jumps_grow_evenly_and_are_all_different():
    (sized,) = Circulant().of_degree(64, 11)
    assert sized.jumps == (1, 2, 4, 8, 16, 32)
    (crowded,) = Circulant().of_degree(64, 40)
    assert len(set(crowded.jumps)) == 20
    assert max(crowded.jumps) <= 31


def test_other_fields_are_kept_and_a_missing_degree_gives_nothing():
    assert Torus(gbs=3.0, slots_per_node=2).of_degree(64, 8)[0].gbs == 3.0
    assert Torus(wrap=(True, False, True)).of_degree(64, 8) == ()
    assert Torus(wrap=False).of_degree(81, 8)[0].wrap is False
    assert Torus().of_degree(64, 7) == FatTree().of_degree(64, 7) == ()
    assert Edges().of_degree(64, 8) == ()


@pytest.mark.parametrize(("nodes", "count", "least", "sides"), [(64, 4, 3, (3, 3, 3, 3)), (1, 2, 2, (2, 2))])
def test_no_side_is_shorter_than_asked(nodes, count, least, sides):
    assert even_sides(nodes, count, least) == sides
