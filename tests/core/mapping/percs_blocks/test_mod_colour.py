"""Mod-colouring: the paper's figure, its exact preconditions, and refusals that name a valid grid."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.job import Halo, Transpose
from core.mapping import ModColour, Sequential
from core.mapping.percs_blocks.mod_colour import colours
from core.network import Percs, Torus
from core.spec import SpecError


def block_neighbours(colour_of, colour):
    """Colours next to the blocks of one colour, on the block grid with wrap-around."""
    p, q = colour_of.shape
    colours = []
    for x, y in np.argwhere(colour_of == colour):
        around = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
        colours += [int(colour_of[i % p, j % q]) for i, j in around]
    return colours


def test_neighbours_of_colour_21_in_the_papers_figure_2():
    assert sorted(block_neighbours(colours(8, 8), 21)) == sorted([20, 11, 22, 19, 16, 23, 18, 31])


@pytest.mark.parametrize(("p", "q"), [(4, 8), (8, 8), (8, 16), (16, 16), (32, 32), (12, 8), (4, 64)])
def test_colourings_are_perfect(p, q):
    colour_of = colours(p, q)
    assert np.bincount(colour_of.ravel()).tolist() == [2] * (p * q // 2)
    for colour in range(p * q // 2):
        neighbours = block_neighbours(colour_of, colour)
        assert len(set(neighbours)) == 8
        assert colour not in neighbours


@pytest.mark.parametrize(("supernodes", "rows", "cols"), [(16, 32, 64), (32, 64, 64), (64, 64, 128), (48, 96, 64)])
def test_slots_follow_the_colours(supernodes, rows, cols):
    network, job = Percs(supernodes, 1).build(), Halo(rows, cols).build()
    slots = ModColour().build(job, network).slots.reshape(rows, cols)
    colour_of = colours(rows // 8, cols // 8)
    for x in range(rows // 8):
        for y in range(cols // 8):
            block = slots[8 * x : 8 * x + 8, 8 * y : 8 * y + 8]
            # Even block rows take nodes 0..15, odd ones 16..31.
            first = colour_of[x, y] * 128 + x % 2 * 64
            assert sorted(block.ravel().tolist()) == list(range(first, first + 64))
            # Quads row-major, as in every block.
            assert block[0, :4].tolist() == [first, first + 1, first + 4, first + 5]
            assert block[2, 0] == first + 16


@given(st.integers(1, 40), st.integers(1, 140), st.integers(1, 300))
def test_refusals_name_a_grid_that_works(supernodes, rows, cols):
    network = Percs(supernodes + 1, 1).build()
    job = Halo(rows, cols).build()
    assume(job.tasks <= network.slots)
    assume(rows % 32 or cols < 64 or cols & (cols - 1))
    with pytest.raises(SpecError) as refusal:
        ModColour().build(job, network)
    assert refusal.value.field == "mapping.type"
    assert re.search(rf"not ({rows}|{cols})\b", refusal.value.message)
    advised = re.search(r"try a (\d+) x (\d+) grid$", refusal.value.message)
    if advised:
        ModColour().build(Halo(int(advised[1]), int(advised[2])).build(), network)
    else:
        assert network.slots < 32 * 64
        assert refusal.value.message.endswith("(try sequential)")
        Sequential().build(job, network)


@pytest.mark.parametrize(
    ("rows", "cols", "words"),
    [
        (48, 64, "a multiple of 32 rows, not 48; try a 64 x 64 grid"),
        (64, 32, "power of two of at least 64 columns, not 32; try a 64 x 64 grid"),
        (32, 96, "power of two of at least 64 columns, not 96"),
        (40, 96, "a multiple of 32 rows, not 40"),
    ],
)
def test_refusals_name_the_failed_condition(rows, cols, words):
    with pytest.raises(SpecError, match=words):
        ModColour().build(Transpose(rows, cols).build(), Percs(32, 1).build())


@pytest.mark.parametrize("network", [Percs(32, 1, slots_per_node=8), Torus(dims=(32, 16), slots_per_node=4)])
def test_networks_without_supernodes_of_128_are_refused(network):
    with pytest.raises(SpecError, match="groups of 128 slots in nodes of 4"):
        ModColour().build(Halo(32, 64).build(), network.build())
