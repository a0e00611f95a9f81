"""Nested blocks: a rectangle of tasks for each group of the coarsest level, of the finest level, and for each node.

For a transpose, two rows per supernode with 2 x 16 tasks per drawer keep columns in one drawer; the published row-wise
mapping runs along the rows (Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 5). In
bricks, every second row of blocks is shifted by half a block, so that each block borders two blocks of the next row and
exchanges half as much with each.
"""

from typing import Annotated, Any, ClassVar

import numpy as np

from core.job.job import Job, near_square
from core.mapping.blocks import Shape
from core.mapping.mapping import MappingSpec, Slots, task_grid
from core.network.network import Network
from core.spec import SpecError, declare

Rows = Annotated[
    int, declare("Outer rows", "rows of tasks per group of the coarsest level, such as a supernode", ge=1, le=1 << 20)
]
Columns = Annotated[int, declare("Outer columns", "columns of tasks per group of the coarsest level", ge=1, le=1 << 20)]


class NestedBlocks(MappingSpec, frozen=True, tag="nested-blocks"):
    """Nested blocks: one rectangle of tasks per supernode, one per drawer in it, and one per node in the drawer."""

    title: ClassVar[str] = "Nested blocks"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "halo, 8 × 16 bricks": {
            "rows": 8, "cols": 16, "inner_rows": 4, "inner_cols": 8, "node_rows": 2, "node_cols": 2, "brick": True,
        },
        "transpose, 2 rows": {
            "rows": 2, "cols": 64, "inner_rows": 2, "inner_cols": 16, "node_rows": 1, "node_cols": 4, "brick": False,
        },
    }  # fmt: skip

    rows: Rows = 8
    cols: Columns = 16
    inner_rows: Annotated[
        Rows, declare("Inner rows", "rows of tasks per group of the finest level, such as a drawer")
    ] = 4
    inner_cols: Annotated[Columns, declare("Inner columns", "columns of tasks per group of the finest level")] = 8
    node_rows: Annotated[Rows, declare("Node rows", "rows of tasks per node")] = 2
    node_cols: Annotated[Columns, declare("Node columns", "columns of tasks per node")] = 2
    brick: Annotated[bool, declare("Bricks", "every second row of blocks shifted by half a block")] = False

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots, with blocks in row-major order at every level.

        Raises SpecError: naming the shape that does not fill its group, or does not tile the enclosing shape.
        """
        grid = task_grid(job, "nested-blocks")
        shapes = [(self.rows, self.cols), (self.inner_rows, self.inner_cols), (self.node_rows, self.node_cols)]
        self._check(grid, shapes, network)
        i, j = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
        if self.brick:
            j = (j + i // self.rows % 2 * (self.cols // 2)) % grid[1]
        slots, outer = np.zeros_like(i), grid
        for inner in [*shapes, (1, 1)]:
            down, across = outer[0] // inner[0], outer[1] // inner[1]
            slots = slots * down * across + i // inner[0] * across + j // inner[1]
            i, j, outer = i % inner[0], j % inner[1], inner
        return slots.astype(np.int32)

    def _check(self, grid: Shape, shapes: list[Shape], network: Network) -> None:
        groups = network.levels[:1] + network.levels[-1:]
        if not groups:
            needed = "nested-blocks needs equal groups of nodes, such as the supernodes of percs"
            raise SpecError("mapping.type", f"{needed}; try blocks")
        names = [*(level.name for level in groups), "node"]
        sizes = [network.slots_per_node * nodes for nodes in (*(level.nodes_per_group for level in groups), 1)]
        outer, outside = grid, "grid"
        for prefix, shape, name, size in zip(("", "inner_", "node_"), shapes, names, sizes, strict=True):
            field, text = f"mapping.{prefix}rows", f"{shape[0]} x {shape[1]}"
            if shape[0] * shape[1] != size:
                would = " x ".join(map(str, near_square(size)))
                raise SpecError(field, f"{text} tasks do not fill a {name} of {size}; try {would}")
            if outer[0] % shape[0] or outer[1] % shape[1]:
                raise SpecError(field, f"{text} does not tile the {outside} of {outer[0]} x {outer[1]}")
            outer, outside = shape, "block"
        if self.brick and (self.cols % 2 or grid[0] // self.rows % 2):
            raise SpecError("mapping.brick", "needs even numbers of rows of blocks and of columns per block")
