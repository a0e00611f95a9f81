"""Block mappings: rectangles of the task grid kept together.

Source: Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 3.
"""

from math import isqrt, log
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, grid_of
from core.network.network import Network
from core.spec import Seed, SpecError, declare


class Blocks(MappingSpec, frozen=True, tag="blocks"):
    """Blocks: a x b rectangles of the task grid on consecutive slots, in order or at random."""

    title: ClassVar[str] = "Blocks"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "node 2 × 2": {"rows": 2, "cols": 2},
        "drawer 4 × 8": {"rows": 4, "cols": 8},
        "supernode 8 × 16": {"rows": 8, "cols": 16},
    }

    rows: Annotated[int, declare("Block rows", "rows of a block", ge=1, le=1 << 20)] = 8
    cols: Annotated[int, declare("Block columns", "columns of a block", ge=1, le=1 << 20)] = 16
    order: Annotated[Literal["sequential", "random"], declare("Order", "block k on place k, or on a random place")] = (
        "sequential"
    )
    seed: Seed = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: block k on the k-th (or a random) run of slots, node tiles row-major inside.

        Raises SpecError: if blocks do not tile the grid, nodes do not tile a block, or blocks do not tile a
        group.
        """
        grid = grid_of(job, "blocks")
        tile = self._checked_tile(grid, network)
        block, within = block_order(grid, (self.rows, self.cols), tile)
        size = self.rows * self.cols
        places = np.arange(network.slots // size)
        if self.order == "random":
            places = np.random.default_rng(self.seed).permutation(places)
        return (places[block] * size + within).astype(np.int32)

    def _checked_tile(self, grid: tuple[int, int], network: Network) -> tuple[int, int]:
        rows, cols, slots = self.rows, self.cols, network.slots_per_node
        group = network.levels[0].nodes_per_group * slots if network.levels else network.slots
        tile = node_tile(slots, rows, cols)
        if grid[0] % rows:
            field, reason = "mapping.rows", f"{rows} does not divide the grid's {grid[0]}"
        elif grid[1] % cols:
            field, reason = "mapping.cols", f"{cols} does not divide the grid's {grid[1]}"
        elif group % (rows * cols):
            name = network.levels[0].name if network.levels else "network"
            field, reason = "mapping.rows", f"{rows} x {cols} tasks do not divide a {name} of {group} slots"
        elif tile is None:
            field, reason = "mapping.rows", f"{rows} x {cols} tasks cannot be cut into nodes of {slots}"
        else:
            return tile
        better = nearest_block((rows, cols), grid, slots, group)
        advice = f"blocks of {better[0]} x {better[1]}" if better else "no block fits this grid; sequential"
        raise SpecError(field, f"{reason}; {advice} would do")


def node_tile(slots: int, rows: int, cols: int) -> tuple[int, int] | None:
    """Return the most nearly square ``r x c`` of `slots` tasks that tiles a block: a node's shape in it."""
    fits = [(r, slots // r) for r in _divisors(slots) if rows % r == 0 and cols % (slots // r) == 0]
    return min(fits, key=lambda shape: abs(shape[0] - shape[1]), default=None)


def nearest_block(wanted: tuple[int, int], grid: tuple[int, int], slots: int, group: int) -> tuple[int, int] | None:
    """Return the block most like the wanted one that tiles the grid and a group, and is tiled by nodes."""
    fits = [
        (a, b)
        for a in _divisors(grid[0])
        for b in _divisors(grid[1])
        if group % (a * b) == 0 and node_tile(slots, a, b) is not None
    ]
    return min(fits, key=lambda block: abs(log(block[0] / wanted[0])) + abs(log(block[1] / wanted[1])), default=None)


def block_order(
    grid: tuple[int, int], block: tuple[int, int], tile: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each task, by rank, its block (row-major) and its place in the block (tiles row-major)."""
    i, j = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    number = i // block[0] * (grid[1] // block[1]) + j // block[1]
    y, x = i % block[0], j % block[1]
    place = (y // tile[0] * (block[1] // tile[1]) + x // tile[1]) * tile[0] * tile[1]
    return number, place + y % tile[0] * tile[1] + x % tile[1]


def _divisors(number: int) -> list[int]:
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})
