"""Every strategy gives each task a separate slot, or names a valid alternative in one sentence."""

import re
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.job import AllToAll, Halo, Permutation, Transpose
from core.mapping import Blocks, ColumnWise, Explicit, ModColour, Random, RowOrColumn, RowWise, Sequential
from core.network import Mesh, Percs, Torus
from core.spec import SpecError
from tests.core.strategies import jobs, lattice_specs, mappings, networks, percs_specs

sides = st.integers(1, 16)
grids = st.builds(Halo, rows=st.integers(1, 40), cols=st.integers(1, 40))


@given(networks, jobs | grids, mappings)
def test_mappings_are_injections_or_refusals(network, job, mapping):
    network, job = network.build(), job.build()
    try:
        built = mapping.build(job, network)
    except SpecError as refusal:
        built, field = None, refusal.field
    if built is None:
        assert field.split(".")[0] == "mapping"
    else:
        assert built.slots.dtype == np.int32
        assert built.slots.shape == (job.tasks,)
        assert len(set(built.slots.tolist())) == job.tasks
        assert built.slots.min() >= 0
        assert built.slots.max() < network.slots
        np.testing.assert_array_equal(built.nodes, built.slots // network.slots_per_node)


powers = st.sampled_from([1, 2, 4, 8])


@given(percs_specs(), powers, powers, st.integers(1, 3), st.integers(1, 2), sides)
def test_blocks_stay_together(spec, a, b, p, q, seed):
    network, grid = spec.build(), (a * p, b * q)
    assume((32 * spec.slots_per_node) % (a * b) == 0)
    assume(a * b % spec.slots_per_node == 0)
    assume(prod(grid) <= network.slots)
    ordered = Blocks(a, b).build(Halo(*grid).build(), network).slots.reshape(grid)
    shuffled = Blocks(a, b, "random", seed).build(Halo(*grid).build(), network).slots.reshape(grid)
    corners = [(i * a, j * b) for i in range(p) for j in range(q)]
    assert [place_of(ordered[y : y + a, x : x + b], spec) for y, x in corners] == list(range(p * q))
    assert len({place_of(shuffled[y : y + a, x : x + b], spec) for y, x in corners}) == p * q


def place_of(block, spec):
    """The number of the run of slots that a block fills; asserts that it does, and that nodes hold rectangles."""
    size, first = block.size, int(block.min())
    assert sorted(block.ravel().tolist()) == list(range(first, first + size))
    assert first % size == 0
    nodes = block // spec.slots_per_node
    for node in np.unique(nodes):
        y, x = np.nonzero(nodes == node)
        assert (np.ptp(y) + 1) * (np.ptp(x) + 1) == spec.slots_per_node
    return first // size


def test_a_drawer_block_in_the_papers_order():
    network, job = Percs(2, 1).build(), Halo(16, 16).build()
    slots = Blocks(4, 8).build(job, network).slots.reshape(16, 16)
    # 2 x 2 quads row-major inside the block: one node each, and one row of the quad after the other.
    assert slots[0, :4].tolist() == [0, 1, 4, 5]
    assert slots[1, :4].tolist() == [2, 3, 6, 7]
    assert slots[2, :2].tolist() == [16, 17]
    assert slots[0, 8] == 32
    assert slots[4, 0] == 64


@pytest.mark.parametrize(
    ("name", "shape"), [("node 2 × 2", (2, 2)), ("drawer 4 × 8", (4, 8)), ("supernode 8 × 16", (8, 16))]
)
def test_presets_fill_the_group_in_their_name(name, shape):
    network, job = Percs(4, 1).build(), Halo(32, 16).build()
    slots = Blocks(**Blocks.presets[name]).build(job, network).slots.reshape(32, 16)
    size = prod(shape)
    block = slots[: shape[0], : shape[1]] // size
    assert (block == 0).all()
    assert size in (4, 32, 128)


def test_random_differs_by_seed_and_uses_all_slots():
    network, job = Percs(3, 1).build(), Permutation(tasks=40).build()
    slots, again, other = (Random(seed=s).build(job, network).slots for s in (1, 1, 2))
    np.testing.assert_array_equal(slots, again)
    assert not np.array_equal(slots, other)
    reached = {int(slot) for seed in range(60) for slot in Random(seed=seed).build(job, network).slots}
    assert len(reached) > 0.95 * network.slots


def test_random_blocks_are_a_random_bijection_of_blocks():
    network, job = Percs(2, 1).build(), Halo(16, 16).build()
    seen = [tuple(Blocks(8, 8, "random", s).build(job, network).slots[[0, 8, 128, 136]] // 64) for s in range(200)]
    assert {tuple(sorted(places)) for places in seen} == {(0, 1, 2, 3)}
    assert len(set(seen)) == 24


def test_column_wise_keeps_columns_and_row_wise_rows():
    network, job = Percs(2, 1).build(), Transpose(4, 3).build()
    assert RowWise().build(job, network).slots.reshape(4, 3)[1].tolist() == [3, 4, 5]
    assert ColumnWise().build(job, network).slots.reshape(4, 3)[:, 1].tolist() == [4, 5, 6, 7]


@pytest.mark.parametrize(
    ("rows", "cols", "columns"),
    [
        (32, 256, True),  # a row spans supernodes
        (128, 64, True),  # a row spans two drawers, a column none unless a whole supernode
        (64, 64, False),  # both span two drawers
        (256, 32, False),  # rows fit a drawer
        (64, 128, False),
        (256, 256, True),
        (64, 32, False),
        (256, 64, False),  # columns span supernodes: rows stay whole
    ],
)
def test_row_or_column_follows_the_papers_rule(rows, cols, columns):
    network, job = Percs(512, 1).build(), Transpose(rows, cols).build()
    expected = (ColumnWise() if columns else RowWise()).build(job, network)
    np.testing.assert_array_equal(RowOrColumn().build(job, network).slots, expected.slots)


def test_explicit_slots_are_used_unchanged():
    network, job = Torus(dims=(4,)).build(), AllToAll(tasks=3).build()
    assert Explicit(slots=(3, 0, 2)).build(job, network).slots.tolist() == [3, 0, 2]


@pytest.mark.parametrize(
    ("slots", "words"),
    [
        ((0, 1), "has 2 slots for 3 tasks"),
        ((0, 1, 4), "task 2 is in slot 4; slots are 0 to 3"),
        ((0, -1, 2), "task 1 is in slot -1"),
        ((0, 1, 1 << 32), "task 2 is in slot 4,294,967,296"),
        ((2, 1, 2), "tasks 0 and 2 are both in slot 2"),
    ],
)
def test_invalid_slots_are_refused(slots, words):
    network, job = Torus(dims=(4,)).build(), AllToAll(tasks=3).build()
    with pytest.raises(SpecError) as refusal:
        Explicit(slots=slots).build(job, network)
    assert refusal.value.field == "mapping.slots"
    assert words in refusal.value.message


def test_more_tasks_than_slots_are_refused():
    with pytest.raises(SpecError, match="choose fewer tasks or a larger network") as refusal:
        Sequential().build(AllToAll(tasks=5).build(), Torus(dims=(4,)).build())
    assert refusal.value.field == "mapping"


@pytest.mark.parametrize("mapping", [Blocks(), ModColour(), RowWise(), ColumnWise(), RowOrColumn()])
def test_jobs_without_a_grid_are_refused_with_alternatives(mapping):
    network, job = Percs(2, 1).build(), AllToAll(tasks=64).build()
    with pytest.raises(SpecError, match="try sequential or random") as refusal:
        mapping.build(job, network)
    assert refusal.value.field == "mapping.type"
    Sequential().build(job, network)
    Random().build(job, network)


@given(percs_specs() | lattice_specs(slots=(1, 2, 3)), grids, sides, sides)
def test_blocks_are_refused_with_a_valid_block(network, grid, rows, cols):
    network = network.build()
    assume(grid.rows <= network.slots)
    job = Halo(grid.rows, min(grid.cols, network.slots // grid.rows)).build()
    try:
        Blocks(rows, cols).build(job, network)
    except SpecError as refusal:
        message, field = refusal.message, refusal.field
    else:
        message = field = None
    assume(message is not None)
    advised = re.search(r"; try blocks of (\d+) x (\d+)$", message)
    if advised:
        Blocks(int(advised[1]), int(advised[2])).build(job, network)
    else:
        assert message.endswith("(try sequential)")
        Sequential().build(job, network)
    right = {"mapping.rows": rows, "mapping.cols": cols}
    assert str(right[field]) in message


@pytest.mark.parametrize(
    ("spec", "grid", "field", "words"),
    [
        (Blocks(5, 16), (16, 16), "mapping.rows", "5 does not divide the 16 rows of the grid"),
        (Blocks(8, 5), (16, 16), "mapping.cols", "5 does not divide the 16 columns of the grid"),
        (Blocks(16, 16), (16, 16), "mapping.rows", "16 x 16 tasks do not divide a supernode of 128 slots"),
        (Blocks(1, 2), (16, 16), "mapping.rows", "1 x 2 tasks cannot be divided into nodes of 4"),
    ],
)
def test_refusals_of_blocks_name_the_failed_precondition(spec, grid, field, words):
    with pytest.raises(SpecError) as refusal:
        spec.build(Halo(*grid).build(), Percs(2, 1).build())
    assert refusal.value.field == field
    assert words in refusal.value.message


def test_blocks_work_on_networks_of_one_level():
    network = Mesh(dims=(16,), slots_per_node=2).build()
    slots = Blocks(2, 4).build(Halo(4, 8).build(), network).slots.reshape(4, 8)
    assert sorted(slots[:2, :4].ravel().tolist()) == list(range(8))
