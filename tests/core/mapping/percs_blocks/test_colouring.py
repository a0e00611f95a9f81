"""Colourings of block grids, checked by brute force, block by block."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mapping.percs_blocks import colouring
from core.mapping.percs_blocks.colouring import (
    BlockGrid,
    TranslationLattice,
    colourings,
    contacts,
    lattices,
    neighbourly,
)


def neighbours(colour, p, q):
    """The colours adjacent to the blocks of each colour, with their multiplicity."""
    grid = colour.reshape(p, q).tolist()
    around_colour = {}
    for x in range(p):
        for y in range(q):
            around = (grid[x - 1][y], grid[(x + 1) % p][y], grid[x][y - 1], grid[x][(y + 1) % q])
            around_colour.setdefault(grid[x][y], []).extend(around)
    return around_colour


def is_perfect(colour, p, q):
    return all(
        len(set(others)) == len(others) and own not in others for own, others in neighbours(colour, p, q).items()
    )


@pytest.mark.parametrize(("supernodes", "p", "q"), [(33, 6, 44), (64, 16, 32), (128, 32, 32), (256, 32, 64)])
def test_perfect_colourings_with_4_x_4_blocks_exist(supernodes, p, q):
    colourings_of_grid = list(colourings(BlockGrid(p, q, 4, 4), supernodes, seed=0))
    assert colourings_of_grid
    for colour in colourings_of_grid:
        assert np.bincount(colour, minlength=supernodes).tolist() == [8] * supernodes
        assert is_perfect(colour, p, q)


@pytest.mark.parametrize(
    ("p", "q", "shifts"),
    [(16, 32, (50, 18, 28, 23, 2, 1, 12, 55)), (32, 32, (0, 67, 85, 48, 9, 121, 0, 35))],
)
def test_the_two_documented_colourings_are_perfect(p, q, shifts):
    # The rule of the module's docstring in plain steps: block (x, y) = (0, v) + x (1, 1) + n (0, 8).
    along = q // 8
    colour = np.empty((p, q), np.int64)
    for x in range(p):
        for y in range(q):
            n, v = divmod((y - x) % q, 8)
            m_shift, n_shift = divmod(shifts[v], along)
            m, n = x + m_shift, n + n_shift
            if m >= p:
                # p steps of (1, 1) end up p columns to the right: p / 8 steps of (0, 8).
                m, n = m - p, n + p // 8
            colour[x, y] = m * along + n % along
    assert np.bincount(colour.ravel()).tolist() == [8] * (p * q // 8)
    assert is_perfect(colour, p, q)


def test_32_supernodes_have_no_perfect_colouring_but_no_pair_meets_twice():
    # 8 blocks of a colour have 32 neighbours, and there are 31 other colours: by the pigeonhole principle.
    for colour in colourings(BlockGrid(16, 16, 4, 4), 32, seed=0):
        met = neighbours(colour, 16, 16)
        assert not is_perfect(colour, 16, 16)
        for own, others in met.items():
            abroad = [other for other in others if other != own]
            assert len(abroad) == len(set(abroad)) < 32


def test_without_a_perfect_colouring_the_largest_number_of_edges_is_minimised():
    # 16 supernodes: two contacts of 4 edges for some pairs. Random blocks need far more.
    (colour,) = colourings(BlockGrid(8, 16, 4, 4), 16, seed=0)
    assert np.bincount(colour).tolist() == [8] * 16
    count = contacts(BlockGrid(8, 16, 4, 4), colour, 16)
    assert count.max() == 8
    assert (count == 8).sum() // 2 <= 30


def test_the_paper_blocks_are_found_too():
    for colour in colourings(BlockGrid(8, 8, 8, 8), 32, seed=3):
        assert is_perfect(colour, 8, 8)
    for colour in colourings(BlockGrid(6, 10, 8, 8), 30, seed=3):  # rows no multiple of 4, columns no power of two
        assert is_perfect(colour, 6, 10)


@contextmanager
def haste():
    """A hundredth of the steps, which suffices for properties that hold after any number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(colouring, "ANNEAL_STEPS", colouring.ANNEAL_STEPS // 100)
        patch.setattr(colouring, "EXCHANGES", colouring.EXCHANGES // 100)
        yield


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5), st.data())
def test_any_grid_is_coloured_evenly(p, q, seed, data):
    share = data.draw(st.sampled_from([d for d in range(1, min(p * q, 8) + 1) if p * q % d == 0]))
    colours = p * q // share
    blocks = BlockGrid(p, q, 2, 4)
    with haste():
        every = [neighbourly(blocks, colours), next(colourings(blocks, colours, seed))]
        again = next(colourings(blocks, colours, seed))
    for colour in every:
        assert np.bincount(colour, minlength=colours).tolist() == [share] * colours
    np.testing.assert_array_equal(every[1], again)


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_a_lattice_moves_classes_onto_themselves(p, q, data):
    blocks = BlockGrid(p, q, 1, 1)
    index = data.draw(st.sampled_from([d for d in range(1, p * q + 1) if p * q % d == 0]))
    all_lattices = list(lattices(p, q, index))
    assert all_lattices
    lattice = data.draw(st.sampled_from(all_lattices))
    kind, way = lattice.located(blocks)
    assert np.bincount(kind).tolist() == [p * q // index] * index
    plus = lattice.plus(blocks)
    # Going from a block by translation t, in blocks, adds t to its number.
    x, y = np.divmod(np.arange(p * q), q)
    for t in range(p * q // index):
        m, n = divmod(t, q // lattice.width)
        there = (x + m * lattice.rise) % p * q + (y + m * lattice.slant + n * lattice.width) % q
        assert kind[there].tolist() == kind.tolist()
        assert way[there].tolist() == plus[way, t].tolist()


def test_contacts_count_edges_of_the_task_grid():
    colour = np.array([0, 1, 2, 3])
    count = contacts(BlockGrid(2, 2, 3, 5), colour, 4)
    # East and west are the same block here, 3 edges each; north and south 5 each.
    assert count.tolist() == [[0, 6, 10, 0], [6, 0, 0, 10], [10, 0, 0, 6], [0, 10, 6, 0]]


def test_boards_keep_blocks_of_a_colour_apart():
    blocks = BlockGrid(16, 16, 4, 4)
    colour = neighbourly(blocks, 32)
    for own, others in neighbours(colour, 16, 16).items():
        assert own not in others
        # Two colours share 4 x 4 blocks: at most a quarter of the contacts lead further than to the partner.
        assert len(set(others)) <= 9
    assert TranslationLattice(1, 0, 1) in set(lattices(3, 5, 1))
