"""Mod-colouring: halves of supernodes placed so that no two neighbouring blocks pair the same two supernodes.

Source: Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 4.3 and appendix.
8 x 8 blocks, p = P/8 block rows, q = Q/8 block columns. Block row x, column y lies in group g = x // 2; its colour
(supernode) is ``g q + y`` in even rows and ``g q + (5 y + 2) mod q`` in odd ones; the even-row block takes the first
half of the supernode's nodes, the odd-row one the second.
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
"""The number of rows of the task grid is a multiple of `ROWS`, that of columns a power of two from `COLUMNS` up."""


class ModColour(MappingSpec, frozen=True, tag="mod-colour"):
    """Mod-colouring: 8 x 8 blocks, two per supernode; neighbours of a pair lie in distinct supernodes."""

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
            fault = "groups of 128 slots in nodes of 4, as PERCS supernodes; sequential would do"
        elif rows % ROWS:
            fault = f"rows to be a multiple of {ROWS}, not {rows}; {_advice(grid, network.slots)}"
        elif cols < COLUMNS or cols & (cols - 1):
            fault = f"columns to be a power of two from {COLUMNS} on, not {cols}; {_advice(grid, network.slots)}"
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
        return f"the least grid, {ROWS} x {COLUMNS}, does not fit {slots:,} slots; sequential would do"
    return f"a {best[0]} x {best[1]} grid would do"
