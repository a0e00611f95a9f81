"""Paths to one node of a lattice with failed links: the remaining paths, and how volume follows them.

Kernels of `core.routing.lattice.adaptive_faults`, which describes the rules.
"""

from typing import NamedTuple

import numpy as np

from core.kernels import kernel, maximum
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, States
from core.routing.flows import FixedPoint, Flags, Nodes, Volumes
from core.routing.lattice.adaptive import count_down, distances_to, extent_of
from core.routing.lattice.grid import Grid, Sizes


class Box(NamedTuple):
    """The nodes around a destination as cells; in each dimension near places come first.

    So every hop towards the destination leads to a cell with a smaller number, and cell 0 is the destination.
    """

    size: Sizes
    """Places in each dimension."""
    step: Sizes
    """Difference between the cells of neighbouring places."""
    place: Sizes
    """(dims, size) contribution of a place to the number of the node."""
    hops: Sizes
    """(dims, size) hops to the destination."""
    inner: Sizes
    """(dims, 2, size) the place reached by + and -; -1 if that is not a shortest path."""
    places: Sizes
    """(dims, coordinates) the place of a coordinate, -1 for none."""


@kernel
def _box(target: int, src: Nodes, grid: Grid) -> Box:
    reach, count = extent_of(src, distances_to(target, grid), grid), grid.dims.size
    longest = maximum(grid.dims)
    size, step = np.ones(count, np.int64), np.ones(count, np.int64)
    place, hops = np.zeros((count, longest), np.int64), np.zeros((count, longest), np.int64)
    inner, index = np.full((count, 2, longest), -1), np.full((count, longest), -1)
    for d in range(count):
        end = int(grid.coordinates[target, d])
        place[d, 0] = end * grid.strides[d]
        index[d, end] = 0
        for k in range(1, maximum(reach[d]) + 1):
            for side in range(2):
                if k > reach[d, side]:
                    continue
                sign = 1 - 2 * side
                c, before = (end - sign * k) % grid.dims[d], (end - sign * (k - 1)) % grid.dims[d]
                if index[d, c] < 0:
                    new = size[d]
                    index[d, c], place[d, new], hops[d, new] = new, c * grid.strides[d], k
                    size[d] += 1
                inner[d, side, index[d, c]] = index[d, before]
    for d in range(count - 2, -1, -1):
        step[d] = step[d + 1] * size[d + 1]
    return Box(size, step, place, hops, inner, index)


@kernel
def _cell(node: int, box: Box, grid: Grid) -> int:
    cell = 0
    for d in range(box.size.size):
        cell += box.places[d, grid.coordinates[node, d]] * box.step[d]
    return cell


@kernel
def _count_up(at: Sizes, size: Sizes) -> None:
    d = size.size - 1
    at[d] += 1
    while at[d] == size[d]:
        at[d] = 0
        d -= 1
        at[d] += 1


@kernel
def _node(at: Sizes, box: Box) -> int:
    node = 0
    for d in range(at.size):
        node += box.place[d, at[d]]
    return node


@kernel
def _weigh(
    cell: int,
    at: Sizes,
    box: Box,
    grid: Grid,
    uniform: bool,
    failed: Flags,
    left: Volumes,
    lost: Flags,
    weight: Volumes,
) -> None:
    # Fill in weight[d, side], the shares of the hops from a cell (sum 1 if there are any); return the remaining share.
    node, total, intact = _node(at, box), 0.0, 0.0
    for d in range(at.size):
        if at[d] == 0:
            continue
        choices, open_choices, hops = 0, 0, box.hops[d, at[d]]
        for side in range(2):
            inner = box.inner[d, side, at[d]]
            if inner < 0:
                continue
            choices += 1
            after = cell - (at[d] - inner) * box.step[d]
            blocked = failed[grid.table[d, side, node]]
            lost[cell] |= blocked or lost[after]
            if not blocked and left[after] > 0:
                open_choices += 1
                weight[d, side] = left[after] * hops if uniform else 1.0
        intact += hops if uniform else 1.0
        for side in range(2):
            weight[d, side] /= choices if uniform else max(open_choices, 1)
            total += weight[d, side]
    if total > 0:
        left[cell] = total / intact if uniform else 1.0
        weight /= total


@kernel
def _survey(box: Box, grid: Grid, uniform: bool, failed: Flags) -> tuple[Volumes, Flags, Volumes]:
    # left: for every cell the share of its shortest paths that remain (hop-local: 1 if any); lost: whether some are
    # lost; weight[cell, d, side]: the shares of the hops from there.
    cells = box.size[0] * box.step[0]
    left, lost = np.zeros(cells), np.zeros(cells, np.bool_)
    weight, at = np.zeros((cells, box.size.size, 2)), np.zeros(box.size.size, np.int64)
    left[0] = 1.0
    for cell in range(1, cells):
        _count_up(at, box.size)
        _weigh(cell, at, box, grid, uniform, failed, left, lost, weight[cell])
    return left, lost, weight


@kernel
def carry(
    target: int, src: Nodes, volume: Volumes, grid: Grid, uniform: bool, failed: Flags
) -> tuple[FixedPoint, Volumes]:
    """Return links and loads of all flows to one destination, cell by cell inwards."""
    box = _box(target, src, grid)
    left, _, weight = _survey(box, grid, uniform, failed)
    fluid, at = np.zeros(left.size), box.size - 1
    for i in range(src.size):
        fluid[_cell(src[i], box, grid)] += volume[i]
    room = 2 * box.size.size * left.size
    links, loads, count = np.empty(room, np.int64), np.empty(room), 0
    for cell in range(left.size - 1, 0, -1):
        if fluid[cell] != 0.0 and left[cell] != 0.0:
            node = _node(at, box)
            for d in range(at.size):
                for side in range(2):
                    if weight[cell, d, side] > 0:
                        part = fluid[cell] * weight[cell, d, side]
                        links[count], loads[count] = grid.table[d, side, node], part
                        fluid[cell - (at[d] - box.inner[d, side, at[d]]) * box.step[d]] += part
                        count += 1
        count_down(at, box.size, at.size)
    return links[:count], loads[:count]


@kernel
def carry_all(
    start: FixedPoint,
    src: Nodes,
    volume: Volumes,
    begin: int,
    end: int,
    grid: Grid,
    uniform: bool,
    failed: Flags,
    loads: Volumes,
) -> None:
    """Add the loads of all flows to the destinations from `begin` up to, not including, `end`.

    Sources and volumes of destination v are at ``start[v] : start[v + 1]``.
    """
    for target in range(begin, end):
        first, last = start[target], start[target + 1]
        if first < last:
            links, parts = carry(target, src[first:last], volume[first:last], grid, uniform, failed)
            for i in range(links.size):
                loads[links[i]] += parts[i]


@kernel
def states_to(target: int, src: Nodes, grid: Grid, uniform: bool, failed: Flags) -> States:
    """Return the states of flows to one destination."""
    state, box = np.full(src.size, INTACT, np.int8), _box(target, src, grid)
    left, lost, _ = _survey(box, grid, uniform, failed)
    for i in range(src.size):
        cell = _cell(src[i], box, grid)
        if left[cell] == 0.0:
            state[i] = DISCONNECTED
        elif lost[cell]:
            state[i] = REROUTED
    return state


@kernel
def states_between(src: Nodes, dst: Nodes, grid: Grid, uniform: bool, failed: Flags) -> States:
    """Return the states of single flows, each in a box of its own."""
    state = np.full(src.size, INTACT, np.int8)
    for i in range(src.size):
        state[i] = states_to(dst[i], src[i : i + 1], grid, uniform, failed)[0]
    return state
