"""Blocks of the task grid turn, mirror, shift and repeat within their own slots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.mapping import Blocks, Mapping, Random, Sequential
from core.mapping.rectangle import Rectangle, mirrored, rectangle_of, repeated, shifted, turned
from core.network import Percs
from core.spec import SpecError
from tests.core.mapping.cases import SIDES, edited

NETWORK = Percs(2, 1).build()
ROWS, COLS = 12, 12
JOB = Halo(ROWS, COLS).build()


@st.composite
def rectangles(draw, square=False):
    rows = draw(st.integers(1, ROWS))
    cols = rows if square else draw(st.integers(1, COLS))
    return Rectangle(draw(st.integers(0, ROWS - rows)), draw(st.integers(0, COLS - cols)), rows, cols)


mappings = st.integers(0, 99).map(lambda seed: Random(seed=seed).build(JOB, NETWORK))
turns = st.integers(-3, 3)


def picture(mapping, block):
    """The slots in the cells of a block."""
    return mapping.slots.reshape(ROWS, COLS)[
        block.row : block.row + block.rows, block.col : block.col + block.cols
    ].tolist()


def within(edit, mapping, block):
    """The mapping after an edit that moves only tasks of a block, among their slots."""
    tasks = block.tasks(JOB)
    after = edited(edit, mapping, NETWORK)
    assert set(edit.tasks.tolist()) <= set(tasks.ravel().tolist())
    assert sorted(after.slots[tasks.ravel()]) == sorted(mapping.slots[tasks.ravel()])
    return after


@given(mappings, rectangles(square=True))
def test_a_quarter_turn_turns_the_picture_clockwise(mapping, block):
    before = picture(mapping, block)
    after = picture(within(turned(mapping, block, JOB), mapping, block), block)
    n = block.rows
    assert after == [[before[n - 1 - j][i] for j in range(n)] for i in range(n)]


@given(mappings, rectangles(square=True), turns, turns)
def test_turns_add_up_and_four_quarter_turns_cancel(mapping, block, first, second):
    once = within(turned(mapping, block, JOB, first), mapping, block)
    twice = within(turned(once, block, JOB, second), once, block)
    np.testing.assert_array_equal(turned(mapping, block, JOB, first + second).applied(mapping).slots, twice.slots)
    assert turned(mapping, block, JOB, 4).count == 0


@given(mappings, rectangles())
def test_any_block_has_a_half_turn_that_is_both_mirrors(mapping, block):
    after = within(turned(mapping, block, JOB, 2), mapping, block)
    across = within(mirrored(mapping, block, JOB, "left-right"), mapping, block)
    both = within(mirrored(across, block, JOB, "top-bottom"), across, block)
    np.testing.assert_array_equal(after.slots, both.slots)


@given(mappings, rectangles(), st.sampled_from(["left-right", "top-bottom"]))
def test_a_mirror_swaps_the_sides_and_undoes_itself(mapping, block, sides):
    after = within(mirrored(mapping, block, JOB, sides), mapping, block)
    before = picture(mapping, block)
    assert picture(after, block) == ([row[::-1] for row in before] if sides == "left-right" else before[::-1])
    np.testing.assert_array_equal(mirrored(after, block, JOB, sides).applied(after).slots, mapping.slots)


@given(mappings, rectangles(), st.integers(-20, 20), st.integers(-20, 20))
def test_a_shift_wraps_around_in_the_block(mapping, block, down, right):
    after = within(shifted(mapping, block, JOB, down, right), mapping, block)
    before, rows, cols = picture(mapping, block), block.rows, block.cols
    assert picture(after, block) == [
        [before[(i - down) % rows][(j - right) % cols] for j in range(cols)] for i in range(rows)
    ]
    assert shifted(mapping, block, JOB, block.rows, -block.cols).count == 0


def test_a_block_that_is_not_square_has_no_quarter_turn():
    with pytest.raises(SpecError) as refusal:
        turned(Sequential().build(JOB, NETWORK), Rectangle(0, 0, 4, 8), JOB, -1)
    assert refusal.value.message == (
        "a block of 4 × 8 has no quarter turn; try a half turn, or a square block such as 4 × 4"
    )


@given(rectangles())
def test_selected_tasks_that_fill_a_rectangle_are_that_block(block):
    tasks = block.tasks(JOB)
    assert tasks.shape == (block.rows, block.cols)
    assert tasks[0, 0] == block.row * COLS + block.col
    assert rectangle_of(tasks.ravel()[::-1], JOB) == block


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([], "no tasks are selected; select a rectangle of the task grid"),
        ([0, 1, 12], "the selection lacks 1 cell of its 2 × 2 rectangle; select a complete rectangle"),
        ([0, 143], "the selection lacks 142 cells of its 12 × 12 rectangle; select a complete rectangle"),
    ],
)
def test_selected_tasks_with_gaps_are_no_block(tasks, words):
    with pytest.raises(SpecError) as refusal:
        rectangle_of(tasks, JOB)
    assert refusal.value.field == "selection"
    assert refusal.value.message.endswith(words)


def test_a_job_without_a_grid_has_blocks_in_the_grid_that_shows_it():
    job = AllToAll(tasks=7).build()  # shown as 3 x 3, two cells empty
    mapping = Sequential().build(job, NETWORK)
    after = edited(turned(mapping, rectangle_of([0, 1, 3, 4], job), job), mapping, NETWORK)
    assert after.slots.tolist() == [3, 0, 2, 4, 1, 5, 6]
    with pytest.raises(SpecError) as refusal:
        repeated(mapping, rectangle_of([0], job), job)
    assert refusal.value.message.startswith("7 tasks do not fill a 3 × 3 grid")


@st.composite
def tiles(draw):
    rows, cols = draw(st.sampled_from(SIDES)), draw(st.sampled_from(SIDES))
    return Rectangle(
        rows * draw(st.integers(0, ROWS // rows - 1)), cols * draw(st.integers(0, COLS // cols - 1)), rows, cols
    )


def order(mapping, block):
    return np.argsort(mapping.slots[block.tasks(JOB).ravel()]).tolist()


@given(mappings, tiles())
def test_a_repeated_layout_applies_to_every_block_in_its_own_slots(mapping, block):
    after = edited(repeated(mapping, block, JOB), mapping, NETWORK)
    assert picture(after, block) == picture(mapping, block)
    for row in range(0, ROWS, block.rows):
        for col in range(0, COLS, block.cols):
            other = Rectangle(row, col, block.rows, block.cols)
            tasks = other.tasks(JOB).ravel()
            assert order(after, other) == order(mapping, block)
            assert sorted(after.slots[tasks]) == sorted(mapping.slots[tasks])
    assert repeated(after, block, JOB).count == 0


def test_a_block_arranged_by_hand_spreads_over_a_block_mapping():
    job = Halo(16, 16).build()
    start = Blocks(4, 8).build(job, NETWORK)
    block = Rectangle(4, 8, 4, 8)
    hand = mirrored(start, block, job, "top-bottom").applied(start)
    after = repeated(hand, block, job).applied(hand)
    expected = start.slots.reshape(4, 4, 2, 8)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(after.slots, expected)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            Rectangle(0, 0, 5, 4),
            "blocks of 5 × 4 do not tile the 12 × 12 grid; try 4 or 6 rows and 4 columns",
        ),
        (
            Rectangle(1, 2, 7, 8),
            "blocks of 7 × 8 do not tile the 12 × 12 grid; try 6 or 12 rows and 6 or 12 columns",
        ),
        (
            Rectangle(4, 7, 4, 2),
            "the block of 4 × 2 at row 4, column 7 is not aligned with a tiling of the grid; "
            "try a block at row 4, column 6",
        ),
        (
            Rectangle(5, 6, 4, 6),
            "the block of 4 × 6 at row 5, column 6 is not aligned with a tiling of the grid; "
            "try a block at row 4, column 6",
        ),
    ],
)
def test_a_block_that_does_not_tile_the_grid_is_refused_with_alternatives(block, message):
    mapping = Mapping(np.arange(ROWS * COLS, dtype=np.int32), 4)
    with pytest.raises(SpecError) as refusal:
        repeated(mapping, block, JOB)
    assert refusal.value.message == message
