"""Mod-colouring: halves of supernodes placed so that no two neighbouring blocks pair the same two supernodes.

Source: Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 4.3 and appendix.
8 x 8 blocks, p = P/8 block rows, q = Q/8 block columns. Block row x, column y lies in group g = x // 2; its colour
(supernode) is ``g q + y`` in even rows and ``g q + (5 y + 2) mod q`` in odd rows. Blocks of even rows take the first
half of the supernode's nodes, blocks of odd rows the second half.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.blocks import block_order, most_like
from core.mapping.mapping import MappingSpec, Slots, task_grid
from core.network.network import Network
from core.spec import SpecError

SIDE = 8
NODE_TILE = (2, 2)
ROWS, COLUMNS = 32, 64
"""The task grid has a multiple of `ROWS` rows, and a power of two of at least `COLUMNS` columns."""


class ModColour(MappingSpec, frozen=True, tag="mod-colour"):
    """Mod-colour: 8 × 8 blocks, two per supernode, whose neighbouring blocks all lie in different supernodes."""

    title: ClassVar[str] = "Mod-colour"
    sees = "machine"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots of the colouring.

        Raises SpecError: naming the precondition that fails and a suitable grid.
        """
        p, q = self._block_grid(task_grid(job, "mod-colour"), network)
        block, within = block_order((p * SIDE, q * SIDE), (SIDE, SIDE), NODE_TILE)
        half = SIDE * SIDE
        colour = colours(p, q).ravel()[block]
        return (colour * 2 * half + block // q % 2 * half + within).astype(np.int32)

    def _block_grid(self, grid: tuple[int, int], network: Network) -> tuple[int, int]:
        slots = network.levels[0].nodes_per_group * network.slots_per_node if network.levels else 0
        rows, cols = grid
        if slots != 2 * SIDE * SIDE or network.slots_per_node != NODE_TILE[0] * NODE_TILE[1]:
            fault = "groups of 128 slots in nodes of 4, such as PERCS supernodes; try sequential"
        elif rows % ROWS:
            fault = f"a multiple of {ROWS} rows, not {rows}; {_advice(grid, network.slots)}"
        elif cols < COLUMNS or cols & (cols - 1):
            fault = f"a power of two of at least {COLUMNS} columns, not {cols}; {_advice(grid, network.slots)}"
        else:
            return rows // SIDE, cols // SIDE
        raise SpecError("mapping.type", f"mod-colour needs {fault}")


def colours(p: int, q: int) -> NDArray[np.intp]:
    """Return the colour of each of the ``p x q`` blocks."""
    x, y = np.divmod(np.arange(p * q).reshape(p, q), q)
    return x // 2 * q + np.where(x % 2 == 0, y, (5 * y + 2) % q)


def _advice(grid: tuple[int, int], slots: int) -> str:
    # The grid most similar to the requested one that meets all conditions and fits the network.
    fits = []
    cols = COLUMNS
    while ROWS * cols <= slots:
        most = slots // cols // ROWS
        fits.append((ROWS * min(max(round(grid[0] / ROWS), 1), most), cols))
        cols *= 2
    best = most_like(grid, fits)
    if best is None:
        return f"the smallest grid, {ROWS} x {COLUMNS}, does not fit {slots:,} slots (try sequential)"
    return f"try a {best[0]} x {best[1]} grid"
