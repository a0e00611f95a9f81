"""Kernels of `core.mapping.percs_blocks.colouring`: annealing of shifts and of whole colourings."""

from math import exp

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, kernel
from core.random_numbers import State, chance, draw

Ints = NDArray[np.int64]
START, END = 2.0, 0.3
"""First and last temperature of `anneal_shifts`, in squares of excess edges."""
HOT, COLD = 0.3, 0.1
"""First and last temperature of `anneal_colours`, in which a change rarely exceeds one edge."""


@kernel
def _bump(count: Ints, at: int, by: int, most: int) -> int:
    # Change a count; return the change of the sum of squared excesses.
    before = max(count[at] - most, 0)
    count[at] += by
    after = max(count[at] - most, 0)
    return int(after * after - before * before)


@kernel
def _move(v: int, by: int, tables: tuple[Ints, ...], shift: Ints, count: Ints, most: int) -> int:
    # Add (by = 1) or remove (by = -1) the contacts between a class of blocks and other classes, from both sides.
    to, step, plus, minus, weight = tables
    more = 0
    for k in range(4):
        u = to[v, k]
        if u != v:
            across = plus[plus[shift[u], step[v, k]], minus[shift[v]]]
            more += _bump(count, across, by * weight[k], most)
            more += _bump(count, minus[across], by * weight[k], most)
    return more


@kernel
def count_shifts(tables: tuple[Ints, ...], shift: Ints) -> Ints:
    """Return the edges from a colour to the colour at each difference, shape ``(differences,)``."""
    to, step, plus, minus, weight = tables
    count = np.zeros(plus.shape[0], np.int64)
    for v in range(shift.size):
        for k in range(4):
            count[plus[plus[shift[to[v, k]], step[v, k]], minus[shift[v]]]] += weight[k]
    return count


@kernel
def anneal_shifts(tables: tuple[Ints, ...], most: int, own: int, steps: int, state: State, shift: Ints) -> int:
    """Search for shifts with few differences of more than `most` edges; return the remaining squared excess.

    Parameters
    ----------
    tables
        For each class of blocks and side, ``(f, 4)``, the class there and the step of the group to it; the group's
        addition ``(n, n)`` and negation ``(n,)``; the edges across each side, ``(4,)``.
    own
        Number of edges inside a colour that are free; 0 for none.
    shift
        (f,) changed in place.
    """
    n, classes = tables[2].shape[0], shift.size
    count = count_shifts(tables, shift)
    # `own` edges of difference 0, inside a colour, are free: its count is lowered accordingly.
    count[0] -= own - most
    excess = 0
    for at in range(n):
        excess += max(count[at] - most, 0) ** 2
    heat, cool = START, (END / START) ** (1 / steps)
    for _ in range(steps):
        if excess == 0:
            break
        heat *= cool
        v, new = draw(state, classes), draw(state, n)
        old = shift[v]
        more = _move(v, -1, tables, shift, count, most)
        shift[v] = new
        more += _move(v, 1, tables, shift, count, most)
        if more <= 0 or chance(state) < exp(-more / heat):
            excess += more
        else:
            _move(v, -1, tables, shift, count, most)
            shift[v] = old
            _move(v, 1, tables, shift, count, most)
    return excess


@kernel
def _recolour(cell: int, to: int, colour: Ints, neighbours: Ints, weight: Ints, count: Ints, most: int) -> int:
    # Recolour a block; return the change of the squared excess.
    old, more = colour[cell], 0
    for k in range(4):
        other = colour[neighbours[cell, k]]
        if neighbours[cell, k] != cell:
            if other != old:
                more += _bump(count[old], other, -weight[k], most)
                count[other, old] = count[old, other]
            if other != to:
                more += _bump(count[to], other, weight[k], most)
                count[other, to] = count[to, other]
    colour[cell] = to
    return more


@kernel
def anneal_colours(
    neighbours: Ints, weight: Ints, most: int, steps: int, state: State, colour: Ints, count: Ints
) -> None:
    """Search, by swapping the colours of two blocks, for few edges in excess of `most` between any two colours.

    Parameters
    ----------
    neighbours, weight
        ``(blocks, 4)`` the block on each side, and ``(4,)`` the edges across it.
    colour
        (blocks,) changed in place to the best colouring found.
    count
        (colours, colours) edges between the colours, 0 on the diagonal; changed in place.
    """
    blocks = colour.size
    best, least, excess = colour.copy(), 0, 0
    heat, cool = HOT * weight.max() ** 2, (COLD / HOT) ** (1 / steps)
    for _ in range(steps):
        heat *= cool
        i, j = draw(state, blocks), draw(state, blocks)
        a, b = colour[i], colour[j]
        if a == b:
            continue
        more = _recolour(i, b, colour, neighbours, weight, count, most)
        more += _recolour(j, a, colour, neighbours, weight, count, most)
        if more <= 0 or chance(state) < exp(-more / heat):
            excess += more
            if excess < least:
                least = excess
                copy(colour, best)
        else:
            _recolour(j, b, colour, neighbours, weight, count, most)
            _recolour(i, a, colour, neighbours, weight, count, most)
    copy(best, colour)
