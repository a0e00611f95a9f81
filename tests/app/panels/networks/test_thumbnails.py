"""Small pictures of networks: everything inside the frame, thinned to distinguishable lines, in both themes."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.panels.networks.thumbnails import (
    HEIGHT,
    MAX_INK,
    WIDTH,
    length_of,
    node_colour,
    sample,
    sketch,
    switch_colour,
    thumbnail,
)
from app.style.theme import DARK, LIGHT
from core.load.compatibility import has_defaults
from core.network import AnyNetwork, Circulant, FatTree, Mesh, Percs, Torus
from core.spec import fields_of, members

FAMILIES = [
    family
    for family in members(AnyNetwork)
    if has_defaults(family) and not any(field.is_file for field in fields_of(family))
]
RING = Circulant(nodes=12, jumps=(1,)).build()


def pixels(image):
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return data[:, : image.width()].astype(int)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.tag())
@pytest.mark.parametrize("nodes", [16, 64, 1024])
def test_network_is_inside_its_picture(family, nodes, qapp):
    shown = sketch(family().sized(nodes).build())
    ends = np.concatenate([shown.nodes, shown.switches, shown.curves[:, 0], shown.curves[:, 2]])
    assert len(shown.nodes)
    assert len(shown.curves)
    assert (ends >= -0.5).all()
    assert (ends <= [WIDTH + 0.5, HEIGHT + 0.5]).all()
    assert np.ptp(ends, axis=0).max() > 0.6 * HEIGHT


def test_picture_has_a_limited_number_of_lines(qapp):
    shown = sketch(Circulant(nodes=1024, jumps=tuple(1 << k for k in range(10))).build())
    assert length_of(shown.curves) <= 1.25 * MAX_INK
    assert len(sketch(Mesh(dims=(8, 8)).build()).curves) == 112


def test_a_sample_shows_every_class_and_each_pair_once(qapp):
    network = Percs(8, 4).build()
    chosen = sample(network, 300)
    counts = np.bincount(network.class_of[chosen], minlength=3)
    assert 250 <= chosen.size <= 300
    assert counts.min() >= 80
    ends = {(int(network.src[i]), int(network.dst[i])) for i in chosen}
    assert not ends & {(v, u) for u, v in ends}
    np.testing.assert_array_equal(sample(network, 10**6), np.flatnonzero(network.src < network.dst))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_nodes_are_painted_where_the_sketch_has_them(theme, qapp):
    image = thumbnail(RING, theme)
    for x, y in sketch(RING).nodes:
        there = image.pixelColor(round(x), round(y))
        assert there.alpha() == 255
        assert there == QColor(node_colour(theme).rgb())
    assert image.pixelColor(WIDTH // 2, HEIGHT // 2).alpha() == 0


def test_links_are_painted_too(qapp):
    (start, control, end) = sketch(RING).curves[0]
    x, y = (start + 2 * control + end) / 4
    near = pixels(thumbnail(RING, DARK))[int(y) - 1 : int(y) + 3, int(x) - 1 : int(x) + 3, 3]
    assert near.max() > 100


def test_switches_have_a_colour_of_their_own(qapp):
    network = FatTree(arity=2, levels=2).build()
    x, y = sketch(network).switches[0]
    assert thumbnail(network, DARK).pixelColor(round(x), round(y)).name() == switch_colour(DARK).name()


def test_picture_has_the_resolution_of_the_screen(qapp):
    image = thumbnail(Torus(dims=(4, 4)).build(), DARK, 2.0)
    assert (image.width(), image.height()) == (2 * WIDTH, 2 * HEIGHT)
    assert image.devicePixelRatio() == 2.0
