"""Line mappings for transposes, with whole rows or columns of the task grid on a group.

Source: Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, section 5.
"""

from typing import ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, task_grid
from core.network.network import Network


class RowWise(MappingSpec, frozen=True, tag="row-wise"):
    """Row-wise: row by row, so that each supernode holds whole rows."""

    title: ClassVar[str] = "Row-wise"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the ranks themselves, which count along rows."""
        task_grid(job, "row-wise")
        return np.arange(job.tasks, dtype=np.int32)


class ColumnWise(MappingSpec, frozen=True, tag="column-wise"):
    """Column-wise: column by column, so that each supernode holds whole columns."""

    title: ClassVar[str] = "Column-wise"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the ranks counted along columns."""
        rows, cols = task_grid(job, "column-wise")
        return np.arange(rows * cols, dtype=np.int32).reshape(cols, rows).T.ravel()


class RowOrColumn(MappingSpec, frozen=True, tag="row-or-column"):
    """Row or column: rows or columns, to keep them inside supernodes and drawers (hybrid of Chakaravarthy et al.)."""

    title: ClassVar[str] = "Row or column"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the row-wise or the column-wise slots."""
        rows, cols = task_grid(job, "row-or-column")
        sizes = [level.nodes_per_group * network.slots_per_node for level in network.levels[:2]]
        chosen = ColumnWise() if prefers_columns(rows, cols, sizes) else RowWise()
        return chosen.place(job, network)


def prefers_columns(rows: int, cols: int, sizes: list[int]) -> bool:
    """Return whether columns are kept together; `sizes` are the slots of a supernode and of a drawer.

    Rows (of `cols` tasks) are rejected if they span supernodes, or else if they span exactly two drawers and columns do
    not. The same holds for columns. Otherwise rows are kept together.
    """
    if not sizes:
        return False
    if cols > sizes[0]:
        return True
    if rows > sizes[0] or len(sizes) < 2:
        return False
    return cols == 2 * sizes[1] != rows
