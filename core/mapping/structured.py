"""Structured mappings: tasks in an order of their grid are assigned to nodes in an order of the machine's box.

After Bhatele et al., "Mapping Applications with Collectives over Sub-communicators on Torus Networks", SC 2012 (Rubik).
"""

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from core.job.job import Job
from core.mapping.allocation import Allocation
from core.mapping.box_steps import MAX_DIMENSIONS, AnyBoxStep, Box, Hilbert, Tiles, ZOrder, numbered
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network
from core.spec import Progress, SpecError, declare
from core.text import counted

MAX_STEPS = 16
Steps = tuple[AnyBoxStep, ...]
Sides = Annotated[
    tuple[Annotated[int, declare("", "", ge=1, le=1 << 20)], ...], Meta(min_length=1, max_length=MAX_DIMENSIONS)
]


class Structured(MappingSpec, frozen=True, tag="structured"):
    """Structured: orders of the task grid and of the machine's box, each built from steps such as zigzag and Hilbert.

    The k-th task in its order takes the k-th slot, node by node. The box of a lattice has the dimensions of the
    lattice. The box of other networks has their levels, such as groups, routers per group and nodes per router. A step
    is written as `{"type": "tilt", "slope": 2}`.
    """

    title: ClassVar[str] = "Structured"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "Hilbert to Hilbert": {"task_steps": (Hilbert(),), "node_steps": (Hilbert(),)},
        "Z-order to Z-order": {"task_steps": (ZOrder(),), "node_steps": (ZOrder(),)},
        "2 × 2 tiles": {"task_steps": (Tiles((2, 2)),), "node_steps": ()},
    }

    task_steps: Annotated[
        Steps, declare("Task steps", "steps that order the task grid, one after the other", max_length=MAX_STEPS)
    ] = (Hilbert(),)
    node_steps: Annotated[
        Steps,
        declare("Node steps", "steps that order the machine's nodes, one after the other", max_length=MAX_STEPS),
    ] = (Hilbert(),)
    box: Annotated[
        Sides | None,
        declare("Task box", "sides of the tasks' box (default: the task grid, or nearly square)"),
    ] = None

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: the k-th task of the task order takes the k-th slot of the node order.

        Raises SpecError: naming the step that needs more dimensions, or a box with too few places.
        """
        return self._placed(job, self._slots(network))

    def _place_within(self, job: Job, network: Network, allocation: Allocation | None, progress: Progress) -> Slots:
        # Nodes keep their order in the whole machine.
        slots = self._slots(network)
        return self._placed(job, slots if allocation is None else slots[allocation.is_open[slots]])

    def _placed(self, job: Job, slots: Slots) -> Slots:
        shape = self.box or job.shape
        if prod(shape) < job.tasks:
            reason = f"of {' × '.join(map(str, shape))} has {counted(prod(shape))} places for {job.tasks:,} tasks"
            raise SpecError("mapping.box", f"{reason}; make it larger")
        order = _ordered(shape, self.task_steps, "task_steps")
        order = order[order < job.tasks]
        placed = np.empty(job.tasks, np.int32)
        placed[order] = slots[: job.tasks]
        return placed

    def _slots(self, network: Network) -> Slots:
        nodes = _ordered(machine_box(network), self.node_steps, "node_steps")
        core = np.arange(network.slots_per_node)
        return (nodes[:, None] * network.slots_per_node + core).ravel().astype(np.int32)


def machine_box(network: Network) -> tuple[int, ...]:
    """Return the sides of the box of a network's nodes, row by row: its dimensions, or else its levels."""
    dims = getattr(network.spec, "dims", None)
    if dims is not None and prod(dims) == network.nodes:
        return tuple(dims)
    counts = [1]
    for level in network.levels:
        # Groups must be consecutive nodes.
        if level.count % counts[-1] == 0 and (np.diff(level.group) >= 0).all():
            counts.append(level.count)
    sides = [after // before for before, after in zip(counts, [*counts[1:], network.nodes], strict=True)]
    return tuple(side for side in sides if side > 1) or (network.nodes,)


def _ordered(shape: tuple[int, ...], steps: Sequence[AnyBoxStep], field: str) -> Box:
    box = numbered(shape)
    for k, step in enumerate(steps):
        try:
            box = step.ordered(box)
        except SpecError as error:
            raise SpecError(f"mapping.{field}[{k}].{error.field}", error.message) from error
    return box.ravel()
