"""Trees of any shape: joined if digits agree, tapered as declared, and the k-ary n-tree among them."""

from collections import Counter
from functools import cache
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import FatTree, Xgft
from core.spec import SpecError

levels = st.integers(1, 3)


@cache
def shapes_of(h):
    """Trees of `h` levels: a strategy."""
    return st.builds(
        Xgft,
        down=st.tuples(*[st.integers(1, 3)] * h),
        up=st.tuples(*[st.integers(1, 3)] * h),
        parallel=st.integers(1, 2) | st.tuples(*[st.integers(1, 2)] * h),
    )


shapes = levels.flatmap(shapes_of).filter(lambda spec: spec.nodes > 1)


def vertices_of(spec):
    """Every vertex as its level and digits, the first digit fastest, level by level."""
    h = len(spec.down)
    for level in range(h + 1):
        sides = [spec.up[i] if i < level else spec.down[i] for i in range(h)]
        for digits in product(*map(range, reversed(sides))):
            yield level, digits[::-1]


@given(shapes)
def test_vertices_are_linked_if_all_other_digits_are_equal(spec):
    network = spec.build()
    vertices = list(vertices_of(spec))
    assert len(vertices) == network.vertices
    expected = Counter()
    for (u, (low, a)), (v, (high, b)) in product(enumerate(vertices), repeat=2):
        if high == low + 1 and all(x == y for i, (x, y) in enumerate(zip(a, b, strict=True)) if i != low):
            expected[u, v] = expected[v, u] = spec.tree.parallel[low]
    assert Counter(zip(network.src.tolist(), network.dst.tolist(), strict=True)) == expected
    assert spec.tree.cables == tuple(c.count // 2 for c in network.classes)


@given(shapes)
def test_cuts_count_the_cables_that_leave(spec):
    network, tree = spec.build(), spec.tree
    vertices = list(vertices_of(spec))
    for cut in network.cuts:
        (name, leaving), level = next(iter(cut.leaving.items())), len(spec.down) - 1
        if cut.name.startswith("one"):
            level = next(k for k in range(1, tree.height) if tree.leaves[k] == cut.nodes and name == f"L{k}-L{k + 1}")
        inside = {
            u
            for u, (at, digits) in enumerate(vertices)
            if at <= level
            and sum(digit * prod(spec.down[level : level + i]) for i, digit in enumerate(digits[level:]))
            < cut.nodes // tree.leaves[level]
        }
        links = network.link_class(name).links if leaving else slice(0, 0)
        ends = zip(network.src[links].tolist(), network.dst[links].tolist(), strict=True)
        assert leaving == sum(u in inside and v not in inside for u, v in ends)


@given(st.integers(2, 4), st.integers(1, 3))
def test_the_k_ary_n_tree_is_an_xgft(k, n):
    ours = Xgft(down=(k,) * n, up=(1,) + (k,) * (n - 1)).build()
    other = FatTree(arity=k, levels=n).build()
    assert (ours.src == other.src).all()
    assert (ours.dst == other.dst).all()
    assert [c.name for c in ours.classes] == [c.name for c in other.classes]
    assert (ours.switch_group == other.switch_group).all()


PRESETS = {
    "Leaf-spine 2:1, 36 ports, 864 nodes": (864, (36, 12), 1296),
    "Three levels, 64 ports, 65,536 nodes": (65536, (2048, 2048, 1024), 196608),
    "Dual-homed, 1,024 nodes": (1024, (64, 32), 4096),
    "Frontera": (8008, (182, 6), 8008 + 182 * 18),
    "Like Summit": (4608, (512, 18 * 2), 4608 * 2 + 512 * 18),
    "Like Sierra": (4320, (480, 18), 4320 * 2 + 480 * 9),
}


@pytest.mark.parametrize("name", Xgft.presets)
def test_presets(name):
    spec = Xgft(**Xgft.presets[name])
    nodes, switches, cables = PRESETS[name]
    assert (spec.nodes, spec.tree.sizes[1:], sum(spec.tree.cables)) == (nodes, switches, cables)


def test_the_summary_gives_sizes_and_taper():
    assert Xgft(down=(24, 36), up=(1, 12)).summary() == "864 nodes, 36 + 12 switches, 1,296 cables, 2:1 at L1"
    frontera = Xgft(**Xgft.presets["Frontera"])
    assert frontera.summary() == "8,008 nodes, 182 + 6 switches, 11,284 cables, 1.22:1 at L1"
    assert Xgft(down=(24, 36), up=(1, 12)).sized(500).down == (24, 21)


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"down": (2, 2), "up": (1,)}, "network.up", "has 1 value for 2 levels; give one per level"),
        ({"parallel": (1, 1, 1)}, "network.parallel", "has 3 values for 2 levels; give one for all, or one per level"),
        ({"gbs": (1.0, 1.0, 1.0)}, "network.gbs", "has 3 values for 2 levels; give one for all, or one per level"),
        ({"down": (1024, 1024, 9), "up": (1, 1024, 1)}, "network.down", "must be at most 10,000,000"),
    ],
)
def test_impossible_networks_are_refused(fields, field, words):
    with pytest.raises(SpecError, match=words) as refusal:
        Xgft(**fields).build()
    assert refusal.value.field == field


def test_bandwidths_are_given_per_level():
    assert [c.gbs for c in Xgft(gbs=(1.0, 2.0)).build().classes] == [1.0, 2.0]
    assert [c.gbs for c in Xgft(gbs=3.0).build().classes] == [3.0, 3.0]
    assert np.unique(Xgft(down=(2, 2), up=(2, 2)).build().switch_group).tolist() == [0, 1, 2, 3]
