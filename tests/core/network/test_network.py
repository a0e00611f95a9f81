"""Properties of all families: a consistent network, and messages about sizes that cannot be built."""

import re

import numpy as np
import pytest
from hypothesis import given

from core.network import (
    BCube,
    Circulant,
    Clex,
    Complete,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    HyperX,
    Mesh,
    Percs,
    Rail,
    Shortcut,
    Torus,
    TwistedTorus,
    Xgft,
)
from core.spec import SpecError
from core.text import MAX_DIGITS
from tests.core.strategies import networks

HUGE = (
    BCube(ports=1024, levels=15),
    Circulant(nodes=1 << 20, jumps=tuple(range(1, 65))),
    Clex(k=4096, levels=20),
    Clex(k=4096, levels=4),
    Complete(nodes=1 << 20),
    Dragonfly(routers=1024, global_links=1024, groups=4096, nodes_per_router=256),
    DragonflyPlus(leaves=1024, spines=1024, global_links=1024, groups=4096, nodes_per_leaf=256),
    FatTree(arity=1024, levels=16),
    HyperX(dims=(4096,) * 8),
    Mesh(dims=(65536,) * 8),
    Percs(supernodes=4096, d_links=32),
    Rail(units=65536, servers=65536, gpus=65536, spines=65536, parallel=65536),
    Shortcut(nodes=1 << 20, degree=4096),
    Torus(dims=(65536,) * 8),
    TwistedTorus(dims=(32768, 65536, 32768)),
    Xgft(down=(1024,) * 16, up=(1024,) * 16),
)
"""Families that can be too large; hypercubes, slim flies and files have smaller limits."""


@pytest.mark.parametrize("spec", HUGE, ids=lambda spec: spec.tag())
def test_errors_and_summaries_have_short_numbers(spec):
    with pytest.raises(SpecError, match="must be at most 10,000,000") as caught:
        spec.build()
    for words in (caught.value.message, spec.summary()):
        digits = [run.replace(",", "") for run in re.findall(r"[\d,]+", words)]
        assert max(map(len, digits)) <= MAX_DIGITS + 1, words


@given(networks)
def test_every_link_has_one_class_and_is_listed_at_both_ends(spec):
    network = spec.build()
    assert network.classes[0].links.start == 0
    assert network.classes[-1].links.stop == network.links
    for link_class, after in zip(network.classes, network.classes[1:], strict=False):
        assert link_class.links.stop == after.links.start
    for near, ends, others in (
        (network.out_links, network.src, network.dst),
        (network.in_links, network.dst, network.src),
    ):
        np.testing.assert_array_equal(np.sort(near.link), np.arange(network.links))
        np.testing.assert_array_equal(ends[near.link], np.repeat(np.arange(network.vertices), np.diff(near.start)))
        np.testing.assert_array_equal(others[near.link], near.vertex)
    for level in network.levels:
        np.testing.assert_array_equal(np.bincount(level.group), level.nodes_per_group)
    if network.symmetry is not None:
        assert network.symmetry.size.sum() == network.nodes


@given(networks)
def test_an_existing_size_is_nearest_to_itself(spec):
    network = spec.build()
    assert spec.sized(network.nodes).build().nodes == network.nodes
