"""Fat trees: rows of switches above columns of nodes, without overlaps; links from end to end."""

import numpy as np
import pytest

from core.network import FatTree

SHAPES = [(2, 1), (8, 1), (2, 2), (4, 2), (32, 2), (4, 3), (10, 3), (4, 5), (2, 10)]
shapes = pytest.mark.parametrize(("arity", "levels"), SHAPES)


def parts(arity, levels):
    network = FatTree(arity=arity, levels=levels).build()
    at = network.layout.positions.astype(float)
    return network, at[: network.nodes], at[network.nodes :].reshape(levels, -1, 3)


@shapes
def test_switches_are_in_rows_by_level_above_the_nodes(arity, levels):
    _, nodes, switches = parts(arity, levels)
    heights = switches[:, :, 1]
    assert np.ptp(heights, axis=1).max() < 1e-3
    assert (np.diff(heights[:, 0]) > 1.5).all()
    assert nodes[:, 1].max() < heights[0, 0] - 1
    np.testing.assert_allclose(switches[:, :, 0], np.tile(switches[0, :, 0], (levels, 1)), atol=1e-3)


@shapes
def test_marks_do_not_overlap(arity, levels):
    network, _, _ = parts(arity, levels)
    at, cell = network.layout.positions[:, :2].astype(float), np.array(network.layout.cell)
    order = np.lexsort((at[:, 0], np.round(at[:, 1], 3)))
    step = np.abs(np.diff(at[order], axis=0))
    assert ((step > cell - 1e-3).any(axis=1)).all()


@shapes
def test_pictures_are_wide_but_not_flat(arity, levels):
    _, nodes, switches = parts(arity, levels)
    both = np.concatenate([nodes, switches.reshape(-1, 3)])
    width, height = np.ptp(both, axis=0)[:2] + 1
    if arity ** (levels - 1) > 8:
        assert 0.5 < height / width < 1.1


@shapes
def test_nodes_are_below_their_switch(arity, levels):
    network, nodes, switches = parts(arity, levels)
    leaf = switches[0, np.arange(network.nodes) // arity, 0]
    gap = np.diff(switches[0, :, 0]).min() if switches.shape[1] > 1 else np.inf
    assert np.abs(nodes[:, 0] - leaf).max() < gap / 2


@shapes
def test_links_run_from_end_to_end_and_do_not_overlap(arity, levels):
    network, _, _ = parts(arity, levels)
    ids = np.arange(network.links)
    curves = network.layout.link_curves(ids, network.src, network.dst).astype(float)
    cell, disc = np.array(network.layout.cell) / 2, network.layout.switch[0] / 2
    for end, vertex in ((0, network.src), (2, network.dst)):
        away = np.abs(curves[:, end] - network.layout.positions[vertex])[:, :2]
        assert (away[vertex < network.nodes] < cell).all()
        assert np.hypot(*away[vertex >= network.nodes].T).max() < disc
    assert len(np.unique(np.round(curves.reshape(network.links, -1), 3), axis=0)) == network.links


@pytest.mark.parametrize(("arity", "levels"), [(8, 3), (2, 3), (4, 3), (10, 3), (4, 2), (4, 5), (32, 2)])
def test_links_of_nodes_pass_by_all_other_nodes(arity, levels):
    network, nodes, _ = parts(arity, levels)
    ids = np.flatnonzero((network.src < network.nodes) | (network.dst < network.nodes))
    ids = ids[:: -(-ids.size // 200)]
    curves = network.layout.link_curves(ids, network.src[ids], network.dst[ids]).astype(float)
    t = np.linspace(0, 1, 60)[:, None]
    half = np.array(network.layout.cell) / 2
    for link, (start, control, end) in zip(ids, curves, strict=True):
        path = ((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end)[:, :2]
        # Nodes outside the rectangle of the path are outside the path.
        near = np.flatnonzero(((nodes[:, :2] > path.min(0) - half) & (nodes[:, :2] < path.max(0) + half)).all(axis=1))
        inside = (np.abs(path[:, None] - nodes[None, near, :2]) < half).all(axis=2).any(axis=0)
        assert near[inside].tolist() == [min(network.src[link], network.dst[link])]


def test_links_of_many_nodes_at_a_switch_have_as_much_space_as_the_marks():
    network, nodes, _ = parts(32, 2)
    columns = np.unique(np.round(nodes[:32, 0], 3))
    assert columns.size == 2
    assert np.diff(columns)[0] - network.layout.cell[0] >= network.layout.cell[0]


@shapes
def test_switches_are_round_and_do_not_touch(arity, levels):
    network, _, switches = parts(arity, levels)
    width, height = network.layout.switch
    assert width == height
    assert arity ** (levels - 1) == 1 or np.diff(switches[0, :, 0]).min() > width


@shapes
def test_rows_and_the_links_between_them_have_captions(arity, levels):
    network, nodes, switches = parts(arity, levels)
    heights = {caption.text: caption.at for caption in network.layout.captions}
    assert len(heights) == 2 * levels + 1
    for level in range(levels):
        assert heights[f"L{level + 1} switches"][1] == pytest.approx(switches[level, 0, 1], abs=1e-3)
    assert nodes[:, 1].min() <= heights["nodes"][1] <= nodes[:, 1].max()
    classes = [c.name for c in network.classes]
    assert {text.removesuffix(" links") for text in heights if text.endswith(" links")} == set(classes)
    left = np.concatenate([nodes, switches.reshape(-1, 3)])[:, 0].min()
    assert all(x < left for x, _ in heights.values())


@pytest.mark.parametrize(("arity", "levels"), [(4, 3), (3, 4), (4, 5)])
def test_links_between_switches_rise_from_their_lower_end_and_keep_to_the_right(arity, levels):
    network, _, _ = parts(arity, levels)
    ids = np.flatnonzero((network.src >= network.nodes) & (network.dst >= network.nodes))
    src, dst = network.src[ids], network.dst[ids]
    start, control, end = np.moveaxis(network.layout.link_curves(ids, src, dst).astype(float), 1, 0)
    order = {pair: number for number, pair in enumerate(zip(src.tolist(), dst.tolist(), strict=True))}
    back = [order[b, a] for a, b in order]
    # Both directions bend away from a common line.
    middle, step = (control + control[back]) / 2, end - start
    right = np.stack([step[:, 1], -step[:, 0]], axis=1)
    aside = ((control - middle)[:, :2] * right).sum(axis=1) / (right**2).sum(axis=1)
    assert (aside > 0).all()
    assert (aside < 0.2).all()
    lower = np.where(step[:, 1] > 0, start[:, 0], end[:, 0])
    half = (start + end)[:, 0] / 2 - lower
    part = (middle[:, 0] - lower)[np.abs(half) > 0.5] / half[np.abs(half) > 0.5]
    assert (part > 0.5).all()
    assert (part < 1).all()
    assert middle[:, 1] == pytest.approx((start + end)[:, 1] / 2, abs=1e-3)
