import numpy as np
import pytest

from core.job import AllToAll, Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, NestedBlocks, RowOrColumn
from core.mapping.allocation import Allocation
from core.network import Percs, Torus
from core.routing import PercsDirect
from core.spec import SpecError

FLAT = NestedBlocks(node_rows=4, node_cols=1, inner_rows=2, inner_cols=16)
TRANSPOSE = NestedBlocks(**NestedBlocks.presets["transpose, 2 rows"])


def placed(mapping, job, network):
    return mapping.build(job.build(), network.build())


@pytest.mark.parametrize("mapping", [NestedBlocks(), NestedBlocks(brick=True), TRANSPOSE])
def test_groups_of_every_level_hold_rectangles(mapping):
    slots = placed(mapping, Halo(64, 64), Percs(32, 4)).slots.reshape(64, 64)
    shapes = [
        (mapping.rows, mapping.cols),
        (mapping.inner_rows, mapping.inner_cols),
        (mapping.node_rows, mapping.node_cols),
    ]
    for (rows, cols), size in zip(shapes, (128, 32, 4), strict=True):
        shift = mapping.cols // 2 if mapping.brick else 0
        for i in range(0, 64, rows):
            for j in range(0, 64, cols):
                start = (j - i // mapping.rows % 2 * shift) % 64
                block = np.take(slots[i : i + rows], range(start, start + cols), axis=1, mode="wrap")
                assert np.unique(block // size).size == 1


def test_matching_nested_blocks_equal_the_block_mapping():
    nested = NestedBlocks(rows=8, cols=16, inner_rows=2, inner_cols=16)
    for_halo = Halo(64, 64), Percs(32, 2)
    np.testing.assert_array_equal(placed(nested, *for_halo).slots, placed(Blocks(8, 16), *for_halo).slots)


def figures(mapping, job, d_links):
    return evaluate(Scenario(Percs(32, d_links), job, mapping, PercsDirect()).build())


def test_a_transpose_is_faster_than_row_or_column():
    job = Transpose(64, 64)
    assert figures(RowOrColumn(), job, 8).throughput_gbs == pytest.approx(80)
    assert figures(TRANSPOSE, job, 8).throughput_gbs == pytest.approx(320 / 3)


def test_bricks_halve_the_load_of_d_links():
    blocks, bricks = (figures(NestedBlocks(brick=brick), Halo(64, 64), 4).classes[2] for brick in (False, True))
    assert bricks.throughput_gbs == pytest.approx(2 * blocks.throughput_gbs)


@pytest.mark.parametrize(
    ("mapping", "job", "network", "field", "message"),
    [
        (NestedBlocks(rows=8, cols=8), Halo(64, 64), Percs(32, 1), "rows", "8 x 8 tasks do not fill a supernode"),
        (NestedBlocks(inner_rows=2), Halo(64, 64), Percs(32, 1), "inner_rows", "try 4 x 8"),
        (NestedBlocks(), Halo(36, 64), Percs(32, 1), "rows", "does not tile the grid of 36 x 64"),
        (FLAT, Halo(64, 64), Percs(32, 1), "node_rows", "tile"),
        (NestedBlocks(brick=True), Halo(8, 64), Percs(4, 1), "brick", "needs even numbers of rows of blocks"),
        (NestedBlocks(), AllToAll(64), Percs(4, 1), "type", "grid"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_refused(mapping, job, network, field, message):
    with pytest.raises(SpecError, match=message) as refused:
        placed(mapping, job, network)
    assert refused.value.field == f"mapping.{field}"


def test_needs_levels_of_equal_groups():
    with pytest.raises(SpecError, match="do not fill a row of 512"):
        placed(NestedBlocks(), Halo(64, 64), Torus((8, 8), slots_per_node=64))
    network = Percs(4, 1).build()
    one_is_down = Allocation(network, np.delete(np.arange(network.nodes, dtype=np.int32), 3))
    with pytest.raises(SpecError, match="needs equal groups of nodes, such as the supernodes of percs"):
        NestedBlocks().build(Halo(4, 64).build(), network, one_is_down)
