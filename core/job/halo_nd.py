"""Halo exchange on grids of any dimension, with all touching neighbours or only with neighbours across faces."""

from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec.structs import replace

from core.box_sides import even_sides
from core.job.collectives.steps import MessageStep, Partners, empty_phase
from core.job.job import MAX_TASKS, PERIODIC, Job, Tasks, check_tasks
from core.job.message import MESSAGE_SIZE, ONE_UNIT, MessageSize
from core.job.ranks import RankedJob
from core.job.simultaneous import SimultaneousSteps
from core.job.stencil import Stencil
from core.spec import declare

MAX_DIMS = 6

Side = Annotated[int, declare("", "", ge=1, le=1 << 20)]


class HaloNd(RankedJob, frozen=True, tag="halo-nd"):
    """Halo, any dimensions: a message to every neighbour across a face, or to all 3^n - 1 touching neighbours.

    A task is a cube of cells, so it sends more across faces than along edges and at corners.
    """

    title: ClassVar[str] = "Halo, any dimensions"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{points}-point, {len(dims)} dimensions": {"dims": dims, "stencil": stencil}
        for points, dims, stencil in (
            (9, (8, 8), "box"),
            (7, (8, 8, 8), "faces"),
            (27, (8, 8, 8), "box"),
            (9, (4, 4, 4, 8), "faces"),
            (81, (4, 4, 4, 8), "box"),
        )
    }

    dims: Annotated[
        tuple[Side, ...], declare("Dimensions", "tasks along each dimension", min_length=1, max_length=MAX_DIMS)
    ] = (8, 8, 8)
    stencil: Annotated[
        Literal["faces", "box"], declare("Stencil", "faces (2 n neighbours) or box (all 3^n - 1 touching neighbours)")
    ] = "faces"
    periodic: Annotated[bool, PERIODIC] = True
    side: Annotated[
        int,
        declare(
            "Cells per side",
            "cells along an edge of a task; more cells mean larger faces",
            ge=1,
            le=1 << 20,
        ),
    ] = 1
    message_bytes: (
        Annotated[
            float,
            declare(
                MESSAGE_SIZE,
                "size of a message across a face, or with box to a corner, where in 3 dimensions messages along an "
                f"edge are side times and across a face side² times as large {ONE_UNIT}",
                unit="bytes",
                gt=0,
                le=1e18,
            ),
        ]
        | None
    ) = None

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return prod(self.dims)

    @property
    def offsets(self) -> list[tuple[int, ...]]:
        """Return the offsets of all neighbours."""
        every = product((-1, 0, 1), repeat=len(self.dims))
        return [o for o in every if any(o) and (self.stencil == "box" or sum(map(abs, o)) == 1)]

    def shares(self) -> list[Fraction]:
        """Return the share of a task's unit that each neighbour gets, in the order of `offsets`."""
        weights = [self.side ** o.count(0) for o in self.offsets]
        return [Fraction(weight, sum(weights)) for weight in weights]

    @property
    def size(self) -> MessageSize:
        """Return the size of the smallest message, to a corner or, without corners, across a face."""
        return MessageSize.of(self.message_bytes, min(self.shares()))

    def summary(self) -> str:
        """Return the number of tasks and of neighbours."""
        return f"{' × '.join(map(str, self.dims))} = {self.tasks:,} tasks, {len(self.offsets)} neighbours each"

    def resized(self, slots: int) -> "HaloNd":
        """Return the pattern on a grid of as many dimensions, as equal as possible, of at most `slots` tasks."""
        slots = min(slots, MAX_TASKS)
        dims = even_sides(max(slots, 2), len(self.dims))
        while prod(dims) > slots:
            dims = tuple(sorted((*dims[:-1], dims[-1] - 1))) if dims[-1] > 1 else dims[:-1]
        return replace(self, dims=dims or (1,))

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, with a flow in each direction, even if two directions lead to the same neighbour.

        Raises SpecError: beyond the limits on tasks and flows.
        """
        tasks, size = self.tasks, self.size
        check_tasks("job.dims", tasks, tasks * len(self.offsets))
        least = min(self.shares())
        steps = [
            MessageStep(
                "", tasks, self._neighbour(offset, 1), self._neighbour(offset, -1), float(share / least) * size.volume
            )
            for offset, share in zip(self.offsets, self.shares(), strict=True)
        ]
        phase = SimultaneousSteps(tasks, steps) if steps else empty_phase(tasks)
        grid = self.dims if len(self.dims) == 2 else None
        return Job(self, tasks, (phase,), grid, size.unit, size.quantum, size.measure)

    def neighbourhood(self) -> Stencil:
        """Return the messages to all neighbours."""
        return Stencil.of(self.dims, self.offsets, self.shares(), self.size.volume)

    def _neighbour(self, offset: tuple[int, ...], sign: int) -> Partners:
        def _partners(tasks: Tasks) -> Tasks:
            place = np.stack(np.unravel_index(np.maximum(tasks, 0), self.dims))
            place += sign * np.array(offset)[:, None]
            sides = np.array(self.dims)[:, None]
            partner = np.ravel_multi_index(tuple(place % sides), self.dims)
            inside = self.periodic | ((place >= 0) & (place < sides)).all(axis=0)
            partners: Tasks = np.where(inside, partner, -1).astype(np.int32)
            return partners

        return _partners
