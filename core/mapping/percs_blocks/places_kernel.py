"""Kernels of `core.mapping.percs_blocks.places`: annealing of the assignment of tiles to the nodes of a supernode."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, inlined, kernel
from core.mapping.percs_blocks.colouring_kernel import Ints
from core.random_numbers import State, chance, draw

Real = NDArray[np.float64]
NODES, DRAWER = 32, 8
DRAWERS = NODES // DRAWER
HOT, COLD = 0.01, 0.003
"""First and last temperature, relative to the time of the busiest link."""
POWER = 8
"""Exponent in the sum of times: large enough to approximate their maximum."""
RECOMPUTED = 4096
"""Steps between recomputations of the times, so that rounding does not accumulate."""
MIXED = 4
"""Percentage of the steps that are not a swap inside a drawer."""
CLOSE = 1.05
"""Factor over the lowest sum up to which the longest time is computed."""

Tables = tuple[Real, Real, Ints, Real, Real, Real]
"""The inputs for the times of a supernode's links.

Volume between each tile and each gate node, (32, 32); between it and its neighbours inside, (32,), an eighth of it; the
neighbours, (32, 4), -1 for none; an eighth of the volume to them, (32, 4); the load of the links independent of the
tiles, (32, 32), and the time that a unit takes on them, (32, 32), 0 on the diagonal.
"""


@inlined
def _raised(x: float) -> float:
    square = x * x
    fourth = square * square
    return fourth * fourth


@inlined
def _time(u: int, v: int, tile: Ints, passed: Real, tables: Tables) -> float:
    # Time of the link from node u to node v: to its gates, from its gates, first hop and second hop inside.
    gates, inside, _, _, anyway, pace = tables
    s, t = tile[u], tile[v]
    load = anyway[u, v] + gates[s, v] + gates[t, u] + passed[u // DRAWER, t]
    if u // DRAWER == v // DRAWER:
        load += inside[s]
    return float(load * pace[u, v])


@kernel
def compute_times(tile: Ints, tables: Tables, passed: Real, times: Real) -> float:
    """Compute the time of every link, and the volume from each drawer to each tile; return the sum of the powers."""
    _, _, near, flow, _, _ = tables
    passed[:] = 0
    for u in range(NODES):
        for k in range(4):
            if near[tile[u], k] >= 0:
                passed[u // DRAWER, near[tile[u], k]] += flow[tile[u], k]
    total = 0.0
    for u in range(NODES):
        for v in range(NODES):
            times[u, v] = _time(u, v, tile, passed, tables)
            total += _raised(times[u, v])
    return total


@kernel
def _change(i: int, j: int, tile: Ints, tables: Tables, passed: Real, times: Real) -> float:
    # The change of the sum if i and j, of one drawer, swap their tiles. Plain loops over rows and columns, which
    # compilers vectorise; the two links between i and j, to which they do not apply, are masked by a pace of 0.
    gates, inside, _, _, _, pace = tables
    s, t, drawer, ll = tile[i], tile[j], i // DRAWER, pace[i, j]
    forth, back = times[i, j], times[j, i]
    times[i, j] = times[j, i] = pace[i, j] = pace[j, i] = 0.0
    # Four sums, so that additions can overlap.
    out_i, out_j, into_i, into_j = 0.0, 0.0, 0.0, 0.0
    for d in range(DRAWERS):
        sent = inside[t] - inside[s] if d == drawer else 0.0
        got = passed[d, t] - passed[d, s]
        for v in range(d * DRAWER, (d + 1) * DRAWER):
            step = gates[t, v] - gates[s, v]
            out_i += _raised(times[i, v] + (step + sent) * pace[i, v]) - _raised(times[i, v])
            out_j += _raised(times[j, v] - (step + sent) * pace[j, v]) - _raised(times[j, v])
            into_i += _raised(times[v, i] + (step + got) * pace[v, i]) - _raised(times[v, i])
            into_j += _raised(times[v, j] - (step + got) * pace[v, j]) - _raised(times[v, j])
    times[i, j], times[j, i] = forth, back
    pace[i, j] = pace[j, i] = ll
    tile[i], tile[j] = t, s
    more = _raised(_time(i, j, tile, passed, tables)) - _raised(forth)
    more += _raised(_time(j, i, tile, passed, tables)) - _raised(back)
    tile[i], tile[j] = s, t
    return out_i + out_j + into_i + into_j + more


@kernel
def _update_times(i: int, tile: Ints, tables: Tables, passed: Real, times: Real) -> None:
    for v in range(NODES):
        times[i, v] = _time(i, v, tile, passed, tables)
        times[v, i] = _time(v, i, tile, passed, tables)


@kernel
def _propose(tile: Ints, chunk: int, state: State, new: Ints) -> None:
    # Swap two chunks of tiles, or two single tiles, in any drawers.
    copy(tile, new)
    if chunk < DRAWER:
        a, b = draw(state, NODES // chunk), draw(state, NODES // chunk)
        for u in range(NODES):
            if tile[u] // chunk == a:
                new[u] = b * chunk + tile[u] % chunk
            elif tile[u] // chunk == b:
                new[u] = a * chunk + tile[u] % chunk
    else:
        i, j = draw(state, NODES), draw(state, NODES)
        new[i], new[j] = tile[j], tile[i]


@kernel
def _shuffle(tile: Ints, chunk: int, state: State) -> None:
    # Start each attempt with different chunks in one drawer.
    for last in range(NODES // chunk - 1, 0, -1):
        other = draw(state, last + 1)
        for k in range(chunk):
            i, j = last * chunk + k, other * chunk + k
            tile[i], tile[j] = tile[j], tile[i]


@kernel
def _mix(chunk: int, tables: Tables, state: State, limit: float, tile: Ints, passed: Real, times: Real) -> float:
    # Try a swap between drawers; return the new sum, or -1 if that is above the limit and nothing changed.
    new, new_passed, new_times = np.empty_like(tile), np.empty_like(passed), np.empty_like(times)
    _propose(tile, chunk, state, new)
    after = compute_times(new, tables, new_passed, new_times)
    if after > limit:
        return -1.0
    copy(new, tile)
    copy(new_times.ravel(), times.ravel())
    copy(new_passed.ravel(), passed.ravel())
    return after


@kernel
def _exchange(tables: Tables, state: State, total: float, limit: float, tile: Ints, passed: Real, times: Real) -> float:
    # Try a swap inside a drawer; return as `_mix` does.
    i = draw(state, NODES)
    j = i // DRAWER * DRAWER + draw(state, DRAWER)
    if i == j:
        return -1.0
    after = total + _change(i, j, tile, tables, passed, times)
    if after > limit:
        return -1.0
    tile[i], tile[j] = tile[j], tile[i]
    _update_times(i, tile, tables, passed, times)
    _update_times(j, tile, tables, passed, times)
    return after


@kernel
def anneal_tiles(tables: Tables, chunk: int, goal: float, steps: int, state: State, tile: Ints) -> float:
    """Search for the tile of each node, until no link takes longer than `goal`; return the longest time reached.

    Parameters
    ----------
    chunk
        Consecutive tiles that start, and change drawers, together; single tiles do if a chunk fills a drawer.
    tile
        (32,) tile of each node, changed in place to the best arrangement found.
    """
    if chunk < DRAWER:
        _shuffle(tile, chunk, state)
    times, passed = np.empty((NODES, NODES)), np.empty((DRAWERS, NODES))
    total = compute_times(tile, tables, passed, times)
    best, least, lowest = tile.copy(), times.max(), total
    heat, cool = HOT, (COLD / HOT) ** (1 / steps)
    for step in range(steps):
        if least <= goal:
            break
        heat *= cool
        limit = total * chance(state) ** (-POWER * heat)
        if draw(state, 100) < MIXED:
            after = _mix(chunk, tables, state, limit, tile, passed, times)
        else:
            after = _exchange(tables, state, total, limit, tile, passed, times)
        if step % RECOMPUTED == 0:
            total = compute_times(tile, tables, passed, times)
        elif after >= 0:
            total = after
        # The longest time can be below the best one only if the sum is small; otherwise it is not computed.
        if 0 <= after < CLOSE * lowest:
            lowest = min(lowest, after)
            longest = times.max()
            if longest < least:
                least = longest
                copy(tile, best)
    copy(best, tile)
    return float(least)
