"""Block mappings: rectangles of the task grid kept together (paper on PERCS mapping, section 3)."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, grid_of
from core.network.network import Network
from core.spec import SpecError, declare


class Blocks(MappingSpec, frozen=True, tag="blocks"):
    """Blocks: a x b rectangles of the task grid on consecutive slots, block after block in order or at random."""

    title: ClassVar[str] = "Blocks"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "node 2 × 2": {"rows": 2, "cols": 2},
        "drawer 4 × 8": {"rows": 4, "cols": 8},
        "supernode 8 × 16": {"rows": 8, "cols": 16},
    }

    rows: Annotated[int, declare("Block rows", "rows of a block", ge=1, le=1 << 20)] = 8
    cols: Annotated[int, declare("Block columns", "columns of a block", ge=1, le=1 << 20)] = 16
    order: Annotated[
        Literal["sequential", "random"], declare("Order", "block k on place k, or on a random place")
    ] = "sequential"
    seed: Annotated[int, declare("Seed", "of the random order", ge=0, lt=1 << 63)] = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: block k on the k-th (or a random) run of ``rows * cols`` slots, node tiles row-major inside.

        Raises SpecError: if blocks do not tile the grid, nodes do not tile a block, or blocks do not tile a group.
        """
        grid = grid_of(job, "blocks")
        tile = node_tile(network.slots_per_node, self.rows, self.cols)
        self._check(grid, network)
        block, within = block_order(grid, (self.rows, self.cols), tile)
        size = self.rows * self.cols
        places = np.arange(network.slots // size)
        if self.order == "random":
            places = np.random.default_rng(self.seed).permutation(places)
        return (places[block] * size + within).astype(np.int32)

    def _check(self, grid: tuple[int, int], network: Network) -> None:
        for name, side, length in (("rows", self.rows, grid[0]), ("cols", self.cols, grid[1])):
            if length % side:
                raise SpecError(f"mapping.{name}", f"{side} does not divide the grid's {length}; {_divisors(length)} would do")
        group = network.levels[0].nodes_per_group * network.slots_per_node if network.levels else network.slots
        if group % (self.rows * self.cols):
            name = network.levels[0].name if network.levels else "network"
            raise SpecError("mapping.rows", f"a block of {self.rows} x {self.cols} tasks does not divide a {name} of {group} slots")


def node_tile(slots: int, rows: int, cols: int) -> tuple[int, int]:
    """Return the most nearly square ``r x c`` of `slots` tasks that tiles a block, the shape a node takes in it.

    Raises SpecError: if there is none.
    """
    fits = [(r, slots // r) for r in range(1, slots + 1) if slots % r == 0 and rows % r == 0 and cols % (slots // r) == 0]
    if not fits:
        raise SpecError("mapping.rows", f"a block of {rows} x {cols} tasks cannot be cut into nodes of {slots}; 2 x 2 or 4 x 8 would")
    return min(fits, key=lambda shape: abs(shape[0] - shape[1]))


def block_order(
    grid: tuple[int, int], block: tuple[int, int], tile: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each task, by rank, its block (row-major) and its place in the block (tiles row-major)."""
    i, j = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    number = i // block[0] * (grid[1] // block[1]) + j // block[1]
    y, x = i % block[0], j % block[1]
    place = (y // tile[0] * (block[1] // tile[1]) + x // tile[1]) * tile[0] * tile[1]
    return number, place + y % tile[0] * tile[1] + x % tile[1]


def _divisors(length: int) -> str:
    found = [d for d in (1, 2, 4, 8, 16, 32, 3, 5, 7) if length % d == 0]
    return ", ".join(map(str, sorted(found)))
