"""The flows of a job task by task, as the kernels of a search walk through them."""

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock, Phase, Tasks
from core.load.moved import sorted_by
from core.optimise.tables import Layers
from core.routing.flows import FixedPoint

Table = tuple[FixedPoint, FixedPoint, Tasks, FixedPoint]
"""Of one layer what `Layers` holds of all: start, turn, other and volume."""


def sound(phase: Phase) -> FlowBlock:
    """Return the flows of a phase that may cross links: those of a task to itself never do."""
    flows = FlowBlock.joined(block for _, block in phase.blocks())
    return flows.at(np.flatnonzero((flows.src != flows.dst) & (flows.volume > 0)))


def by_task(src: Tasks, dst: Tasks, volume: FixedPoint, tasks: int) -> Table:
    """Return flows task by task: what leaves it, then what reaches it."""
    # Keys 2 t and 2 t + 1: what leaves task t, and what reaches it.
    key = np.concatenate([2 * src, 2 * dst + 1]).astype(np.int32)
    both = np.concatenate([dst, src]), np.concatenate([volume, volume])
    start, other, amount = sorted_by(key, *both, 2 * tasks)
    return np.append(start[:-1:2], start[-1]), start[1:-1:2], other, amount


def stacked(terms: list[int], tables: list[Table], paces: list[NDArray[np.float64]], tasks: int) -> Layers:
    """Return layers of these terms, tables and paces (of links, in each layer) as one."""
    offsets = np.cumsum([0, *(table[2].size for table in tables)])[:-1]
    start = [table[0] + at for table, at in zip(tables, offsets, strict=True)]
    turn = [table[1] + at for table, at in zip(tables, offsets, strict=True)]
    return Layers(
        term=np.array(terms, np.int64),
        start=np.array(start, np.int64).reshape(len(terms), tasks + 1),
        turn=np.array(turn, np.int64).reshape(len(terms), tasks),
        other=np.concatenate([np.zeros(0, np.int32), *(table[2] for table in tables)]),
        volume=np.concatenate([np.zeros(0, np.int64), *(table[3] for table in tables)]),
        pace=np.concatenate([np.zeros(0), *paces]),
    )
