"""Synthetic permutations for testing networks: of the bits of task numbers, or of coordinates on a grid.

Source: Dally and Towles, "Principles and practices of interconnection networks", 2004, section 3.2; the simulator
BookSim 2. With b bits, d the destination of task s:

bit-complement d_i = not s_i; bit-reversal d_i = s_(b - 1 - i); shuffle and bit-rotation: s rotated by a bit, left and
right; butterfly: highest and lowest bit swapped; bit-transpose: both halves swapped. In every dimension of k places:
tornado x + ceil(k / 2) - 1; neighbour x + 1; digit-complement k - 1 - x; digit-reversal: coordinates in reverse order.
shift: s + shift, modulo the number of tasks.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt, prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.box_sides import even_sides
from core.job.job import MAX_TASKS, Job, check_tasks
from core.job.message import MessageSize, OwnBytes
from core.job.permutation import PermutationJob, PermutationPhase
from core.spec import SpecError, declare

Places = NDArray[np.int64]
Kind = Literal[
    "bit-complement",
    "bit-reversal",
    "shuffle",
    "bit-rotation",
    "butterfly",
    "bit-transpose",
    "tornado",
    "neighbour",
    "digit-complement",
    "digit-reversal",
    "shift",
]
Side = Annotated[int, declare("", "", ge=1, le=1 << 20)]

OF_BITS: dict[str, Callable[[Places, int], Places]] = {
    "bit-complement": lambda s, b: ~s & ((1 << b) - 1),
    "bit-reversal": lambda s, b: _bits(s, b, list(range(b))[::-1]),
    "shuffle": lambda s, b: _bits(s, b, [(k - 1) % b for k in range(b)]),
    "bit-rotation": lambda s, b: _bits(s, b, [(k + 1) % b for k in range(b)]),
    "butterfly": lambda s, b: _bits(s, b, [b - 1, *range(1, b - 1), 0][-b:]),
    "bit-transpose": lambda s, b: _bits(s, b, [(k + b // 2) % b for k in range(b)]),
}
"""Permutations of task numbers with a given number of bits."""
OF_DIGITS: dict[str, Callable[[Places, Places], Places]] = {
    "tornado": lambda x, k: (x + (k + 1) // 2 - 1) % k,
    "neighbour": lambda x, k: (x + 1) % k,
    "digit-complement": lambda x, k: k - 1 - x,
    "digit-reversal": lambda x, k: x[::-1],
}
"""Permutations of coordinates, shape ``(dimensions, tasks)``, on a grid with sides ``(dimensions, 1)``."""


class Pattern(PermutationJob, frozen=True, tag="pattern"):
    """Synthetic pattern: each task sends its unit to one task, given by the bits or digits of its own number."""

    title: ClassVar[str] = "Synthetic pattern"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "Tornado, 8 × 8": {"kind": "tornado", "dims": (8, 8)},
        "Bit complement, 64 tasks": {"kind": "bit-complement", "tasks": 64},
        "Bit reversal, 64 tasks": {"kind": "bit-reversal", "tasks": 64},
        "Shift by a dragonfly's group of 32": {"kind": "shift", "tasks": 1056, "shift": 32},
    }

    kind: Annotated[Kind, declare("Permutation", "permutation of the tasks")] = "bit-complement"
    tasks: Annotated[
        int, declare("Tasks", "number of tasks n, a power of two for permutations of bits", ge=1, le=MAX_TASKS)
    ] = 64
    dims: (
        Annotated[
            tuple[Side, ...],
            declare("Dimensions", "sides of the task grid (default: all tasks in a row)", min_length=1, max_length=8),
        ]
        | None
    ) = None
    shift: Annotated[int, declare("Shift", "distance to the target, for the permutation shift", ge=0, lt=MAX_TASKS)] = 1
    message_bytes: OwnBytes = None

    @property
    def unused(self) -> frozenset[str]:
        """Return the fields that have no effect with the other values."""
        return frozenset((["tasks"] if self.dims else []) + ([] if self.kind == "shift" else ["shift"]))

    @property
    def grid(self) -> tuple[int, ...]:
        """Return the sides of the grid of tasks."""
        return self.dims or (self.tasks,)

    def summary(self) -> str:
        """Return the number of tasks."""
        return f"{prod(self.grid):,} tasks, each sends to one task"

    def resized(self, slots: int) -> "Pattern":
        """Return the pattern with at most as many tasks as slots: a power of two for permutations of bits.

        Grids keep their number of dimensions, with sides as equal as possible, or equal if digits are reversed.
        """
        slots, count = min(slots, MAX_TASKS), len(self.grid)
        if self.kind in OF_BITS:
            bits = slots.bit_length() - 1
            return replace(self, tasks=1 << (bits - bits % 2 if self.kind == "bit-transpose" else bits), dims=None)
        if count == 1:
            return replace(self, tasks=slots, dims=None)
        side = next(side for side in range(isqrt(slots), 0, -1) if side**count <= slots)
        dims = even_sides(max(slots, 2), count)
        equal = self.kind == "digit-reversal" or prod(dims) > slots
        return replace(self, dims=(side,) * count if equal else dims)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, one flow per task.

        Raises SpecError: if the number of tasks is not a power of two but bits are permuted, or sides differ but digits
        are reversed.
        """
        count = prod(self.grid)
        check_tasks("job.dims" if self.dims else "job.tasks", count, count)
        size = MessageSize.of(self.message_bytes, Fraction(1))
        phase = PermutationPhase(self.targets().astype(np.int32), size.volume)
        grid = (self.grid[0], self.grid[1]) if len(self.grid) == 2 else None
        return Job(self, count, (phase,), grid, size.unit, size.quantum, size.measure)

    def targets(self) -> Places:
        """Return the destination of each task, shape ``(tasks,)``.

        Raises SpecError: as `build` does.
        """
        task = np.arange(prod(self.grid))
        if self.kind == "shift":
            return (task + self.shift) % task.size
        if self.kind in OF_BITS:
            return OF_BITS[self.kind](task, self._bits(task.size))
        if self.kind == "digit-reversal" and len(set(self.grid)) > 1:
            raise SpecError("job.dims", "must all be equal for digit-reversal, such as 8 × 8")
        place, sides = np.stack(np.unravel_index(task, self.grid)), np.array(self.grid)[:, None]
        targets: Places = np.ravel_multi_index(tuple(OF_DIGITS[self.kind](place, sides)), self.grid)
        return targets

    def _bits(self, tasks: int) -> int:
        bits, field = (tasks - 1).bit_length(), "job.dims" if self.dims else "job.tasks"
        if tasks != 1 << bits:
            raise SpecError(field, f"makes {tasks:,} tasks; {self.kind} needs a power of two, such as {1 << bits:,}")
        if self.kind == "bit-transpose" and bits % 2:
            near = f"{1 << (bits - 1):,} or {1 << (bits + 1):,}"
            raise SpecError(field, f"makes {tasks:,} tasks; {self.kind} needs an even power of two, such as {near}")
        return bits


def _bits(tasks: Places, count: int, source: list[int]) -> Places:
    # Bit k of the result is bit source[k] of the task.
    permuted = np.zeros_like(tasks)
    for k in range(count):
        permuted |= (tasks >> source[k] & 1) << k
    return permuted
