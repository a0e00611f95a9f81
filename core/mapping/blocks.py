"""Block mappings, which keep rectangles of the task grid together.

Source: Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 3.
"""

from collections.abc import Callable, Iterable
from itertools import product
from math import isqrt, log
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, task_grid
from core.network.network import Network
from core.spec import Seed, SpecError, declare

Shape = tuple[int, int]
"""Rows and columns."""


class Blocks(MappingSpec, frozen=True, tag="blocks"):
    """Blocks: rectangles of the task grid on consecutive slots, in order or at random."""

    title: ClassVar[str] = "Blocks"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "node 2 × 2": {"rows": 2, "cols": 2},
        "drawer 4 × 8": {"rows": 4, "cols": 8},
        "supernode 8 × 16": {"rows": 8, "cols": 16},
    }

    rows: Annotated[int, declare("Block rows", "rows of tasks per block", ge=1, le=1 << 20)] = 8
    cols: Annotated[int, declare("Block columns", "columns of tasks per block", ge=1, le=1 << 20)] = 16
    order: Annotated[Literal["sequential", "random"], declare("Order", "order of the blocks on the machine")] = (
        "sequential"
    )
    seed: Seed = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: block k on the k-th (or a random) run of slots, with its node tiles in row-major order.

        Raises SpecError: if blocks do not tile the grid or a group, or nodes do not tile a block.
        """
        grid, shape = task_grid(job, "blocks"), (self.rows, self.cols)
        check_block(shape, grid, lambda block: block_problem(block, grid, network))
        tile = node_tile(network.slots_per_node, shape)
        assert tile is not None
        block, within = block_order(grid, shape, tile)
        size = self.rows * self.cols
        places = np.arange(network.slots // size)
        if self.order == "random":
            places = np.random.default_rng(self.seed).permutation(places)
        return (places[block] * size + within).astype(np.int32)


def node_tile(slots: int, block: Shape) -> Shape | None:
    """Return the shape of a node in a block: the most nearly square ``r x c`` of `slots` tasks that tiles it."""
    fits = [(r, slots // r) for r in _divisors(slots) if block[0] % r == 0 and block[1] % (slots // r) == 0]
    return min(fits, key=lambda shape: abs(shape[0] - shape[1]), default=None)


def block_problem(block: Shape, grid: Shape, network: Network) -> tuple[str, str] | None:
    """Return the field and reason if blocks do not tile the grid or a coarsest group, or nodes do not tile a block."""
    (rows, cols), slots = block, network.slots_per_node
    name, group = "network", network.slots
    if network.levels:
        name, group = network.levels[0].name, network.levels[0].nodes_per_group * slots
    if grid[0] % rows:
        return "rows", f"{rows} does not divide the {grid[0]} rows of the grid"
    if grid[1] % cols:
        return "cols", f"{cols} does not divide the {grid[1]} columns of the grid"
    if group % (rows * cols):
        return "rows", f"{rows} x {cols} tasks do not divide a {name} of {group} slots"
    if node_tile(slots, block) is None:
        return "rows", f"{rows} x {cols} tasks cannot be divided into nodes of {slots}"
    return None


def check_block(block: Shape, grid: Shape, problem: Callable[[Shape], tuple[str, str] | None]) -> None:
    """Check blocks with a function that returns the problem of a shape.

    Raises SpecError: naming the field, the reason and the most similar valid block.
    """
    reason = problem(block)
    if reason is not None:
        blocks = product(_divisors(grid[0]), _divisors(grid[1]))
        better = most_like(block, (shape for shape in blocks if problem(shape) is None))
        advice = f"try blocks of {better[0]} x {better[1]}" if better else "no block fits this grid (try sequential)"
        raise SpecError(f"mapping.{reason[0]}", f"{reason[1]}; {advice}")


def most_like(wanted: Shape, shapes: Iterable[Shape]) -> Shape | None:
    """Return the shape whose sides differ from `wanted` by the smallest factors, or None if there are no shapes."""
    return min(shapes, key=lambda shape: abs(log(shape[0] / wanted[0])) + abs(log(shape[1] / wanted[1])), default=None)


def block_order(grid: Shape, block: Shape, tile: Shape) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each task, by rank, its block (row-major) and its place in the block (tiles row-major)."""
    i, j = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    number = i // block[0] * (grid[1] // block[1]) + j // block[1]
    y, x = i % block[0], j % block[1]
    place = (y // tile[0] * (block[1] // tile[1]) + x // tile[1]) * tile[0] * tile[1]
    return number, place + y % tile[0] * tile[1] + x % tile[1]


def _divisors(number: int) -> list[int]:
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})
