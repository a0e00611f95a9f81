"""Numbering of supernodes: supernodes with equal numbers mod W share gates.

Under direct routing the supernodes that a node's tasks send to should have different gates (`label_apart`). Indirect
routing sends traffic from supernode a to b across every supernode, from gate a mod W to gate b mod W (the middle L-hop;
Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 6.1): `label_together` puts
neighbours on the same gate, where that hop vanishes, or in the same drawer, and spreads all others. The paper numbers
at random.
"""

from math import exp

import numpy as np

from core.kernels import copy, kernel
from core.mapping.percs_blocks.colouring_kernel import Ints
from core.mapping.percs_blocks.places import Tiling, paces
from core.mapping.percs_blocks.places_kernel import Real
from core.network.families.percs import Percs
from core.random_numbers import State, chance, draw

SAME_TILE = 64
"""Weight of a tile with two supernodes on one gate, relative to two tiles of a supernode with one supernode there."""
APART_STEPS, APART_HOT, APART_COLD = 400_000, 250.0, 1.0
TOGETHER_WORK, TOGETHER_STEPS = 20_000_000, 100_000
TOGETHER_HOT, TOGETHER_COLD = 0.3, 0.003


def label_apart(tiling: Tiling, percs: Percs, state: State) -> Ints:
    """Return new numbers of the supernodes, shape ``(supernodes,)``, for direct routing."""
    label = np.arange(percs.supernodes)
    if percs.supernodes > percs.bucket:
        _anneal_apart(_clashes(tiling, percs.supernodes), percs.bucket, APART_STEPS, state, label)
    return label


def label_together(tiling: Tiling, percs: Percs, state: State) -> Ints:
    """Return new numbers of the supernodes, shape ``(supernodes,)``, for indirect routing."""
    label, between = np.arange(percs.supernodes), tiling.between(percs.supernodes)
    steps = min(TOGETHER_STEPS, TOGETHER_WORK // percs.supernodes)
    # All buckets carry the same load; the slowest links between two gates count.
    w = percs.bucket
    pace = paces(percs).reshape(percs.d_links, w, percs.d_links, w)
    slowest = np.max([pace[j, :, j, :] for j in range(percs.d_links)], axis=0)
    _anneal_together(between, slowest, steps, state, label)
    return label


def _clashes(tiling: Tiling, supernodes: int) -> Real:
    # For two supernodes: the number of tiles, and of supernodes, that use the gates of both.
    sides = list(tiling.sides())
    clash = np.zeros((supernodes, supernodes))
    for k, (first, first_far, _) in enumerate(sides):
        for second, second_far, _ in sides[:k]:
            a, b = tiling.supernode[first], tiling.supernode[second]
            both = first_far & second_far & (a != b)
            np.add.at(clash, (a[both], b[both]), SAME_TILE)
    joined = (tiling.between(supernodes) > 0).astype(np.float64)
    clash += clash.T + joined @ joined
    np.fill_diagonal(clash, 0)
    return clash


@kernel
def _anneal_apart(clash: Real, w: int, steps: int, state: State, label: Ints) -> None:
    # Swap two numbers to reduce the clashes between supernodes that are equal mod W.
    n = label.size
    toward = np.zeros((n, w))
    for a in range(n):
        for b in range(n):
            toward[a, label[b] % w] += clash[a, b]
    heat, cool = APART_HOT, (APART_COLD / APART_HOT) ** (1 / steps)
    for _ in range(steps):
        heat *= cool
        a, b = draw(state, n), draw(state, n)
        r, s = label[a] % w, label[b] % w
        if r == s:
            continue
        more = 2 * (toward[a, s] - toward[a, r] + toward[b, r] - toward[b, s] - 2 * clash[a, b])
        if more <= 0 or chance(state) < exp(-more / heat):
            label[a], label[b] = label[b], label[a]
            for c in range(n):
                toward[c, r] += clash[c, b] - clash[c, a]
                toward[c, s] += clash[c, a] - clash[c, b]


@kernel
def _add(by: float, a: int, b: int, between: Real, label: Ints, load: Real) -> None:
    # Add `by` times the traffic between supernodes a and b to the loads between gates.
    w = load.shape[0]
    for c in range(label.size):
        r = label[c] % w
        if between[a, c] != 0 or between[c, a] != 0:
            load[label[a] % w, r] += by * between[a, c]
            load[r, label[a] % w] += by * between[c, a]
        if c != a and (between[b, c] != 0 or between[c, b] != 0):
            load[label[b] % w, r] += by * between[b, c]
            load[r, label[b] % w] += by * between[c, b]


@kernel
def _strain(load: Real, pace: Real) -> float:
    total = 0.0
    for r in range(load.shape[0]):
        for s in range(load.shape[0]):
            time = load[r, s] * pace[r, s]
            total += time * time * time * time
    return total


@kernel
def _anneal_together(between: Real, pace: Real, steps: int, state: State, label: Ints) -> None:
    # Swap two numbers to reduce the longest time of the middle hop between gates.
    n, w = label.size, pace.shape[0]
    load = np.zeros((w, w))
    for a in range(n):
        for b in range(n):
            load[label[a] % w, label[b] % w] += between[a, b]
    strain = _strain(load, pace)
    best, least = label.copy(), strain
    heat, cool = TOGETHER_HOT, (TOGETHER_COLD / TOGETHER_HOT) ** (1 / steps)
    for _ in range(steps):
        heat *= cool
        a, b = draw(state, n), draw(state, n)
        if label[a] % w == label[b] % w:
            continue
        _add(-1.0, a, b, between, label, load)
        label[a], label[b] = label[b], label[a]
        _add(1.0, a, b, between, label, load)
        after = _strain(load, pace)
        if after <= strain * chance(state) ** (-4 * heat):
            strain = after
            if strain < least:
                least = strain
                copy(label, best)
        else:
            _add(-1.0, a, b, between, label, load)
            label[a], label[b] = label[b], label[a]
            _add(1.0, a, b, between, label, load)
    copy(best, label)
