"""Networks of about a number of nodes: every family returns the nearest size."""

from math import prod

import pytest

from core.box_sides import even_sides
from core.load.compatibility import has_defaults
from core.network import AnyNetwork, Circulant, Mesh, Percs, Torus
from core.spec import fields_of, members

FAMILIES = [
    family
    for family in members(AnyNetwork)
    if has_defaults(family) and not any(field.is_file for field in fields_of(family))
]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.tag())
@pytest.mark.parametrize("nodes", [2, 16, 64, 100, 256, 1000])
def test_every_family_can_be_built_at_about_any_size(family, nodes):
    spec = family().sized(nodes)
    built = spec.build().nodes
    smallest = family().sized(2).build().nodes
    assert nodes / 2 <= built <= max(2 * nodes, smallest)
    assert spec.sized(built) == spec


@pytest.mark.parametrize(
    ("nodes", "count", "sides"),
    [
        (64, 3, (4, 4, 4)),
        (1024, 3, (8, 8, 16)),
        (1000, 3, (10, 10, 10)),
        (512, 2, (16, 32)),
        (7, 1, (7,)),
        (64, 8, (1, 1, 2, 2, 2, 2, 2, 2)),
        (6, 2, (2, 3)),
    ],
)
def test_sides_are_as_equal_as_possible(nodes, count, sides):
    assert even_sides(nodes, count) == sides


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_no_product_of_such_sides_is_nearer(count):
    for nodes in range(2, 60):
        sides = even_sides(nodes, count)
        assert list(sides) == sorted(sides)
        if sides[-1] <= 2 * sides[0]:
            root = round(nodes ** (1 / count))
            assert abs(prod(sides) - nodes) <= abs(root**count - nodes)


def test_a_lattice_keeps_its_dimensions_and_kind():
    spec = Torus(dims=(1, 8, 8), wrap=(True, False, True), gbs=2.0).sized(256)
    assert (spec.dims, spec.wrap, spec.gbs) == ((1, 16, 16), (True, False, True), 2.0)
    assert Mesh(dims=(4, 16)).sized(64).dims == (4, 16)
    assert Torus(dims=(8, 8, 8)).sized(512).dims == (8, 8, 8)


def test_power_775_stays_within_its_ports():
    assert Percs(32, 4).sized(64) == Percs(2, 4)
    assert Percs(32, 4).sized(1000) == Percs(31, 4)
    assert Percs(32, 16).sized(128 * 32) == Percs(128, 4)
    assert Percs(32, 1).sized(512 * 32) == Percs(512, 1)


def test_a_circulant_network_of_all_powers_of_two_keeps_all():
    assert Circulant().sized(256).jumps == (1, 2, 4, 8, 16, 32, 64, 128)
    assert Circulant(nodes=100, jumps=(1, 7, 30)).sized(50).jumps == (1, 7)
    assert Circulant(nodes=100, jumps=(1, 7, 30)).sized(1000).jumps == (1, 7, 30)
    assert Circulant(nodes=100, jumps=(30,)).sized(10).jumps == (1,)
