"""Verifies that a schedule has the result of its collective, by executing it with contributions instead of numbers.

The value of a chunk is the set of input chunks whose sum it is. Input chunk k of a GPU begins as its own contribution;
other memory is undefined. Steps are executed in an order that their dependencies allow.
"""

from collections.abc import Callable
from typing import NamedTuple

from core.job.msccl.dependencies import Dependencies
from core.job.msccl.schedule import Place, Schedule
from core.text import examples

MAX_WORK = 1 << 21
"""Contributions of all chunks that all steps read or receive, by number of the input chunk: some seconds."""


class Contributors(NamedTuple):
    """GPUs whose input chunk of the same number contributes to a value, as bit masks."""

    once: int
    """At least once."""
    again: int = 0
    """More than once."""


Value = dict[int, Contributors]
"""Contributors by number of the input chunk."""
UNDEFINED = -1
"""Number that stands for memory without a value."""
NOBODY = Contributors(0)


class Promise(NamedTuple):
    """The result of a collective."""

    inputs: int
    """Input chunks of a GPU."""
    outputs: int
    """Output chunks of a GPU."""
    expected: Callable[[int, int], Value]
    """Value of each output chunk, by GPU and number."""
    input_at: int = 0
    """Times the number of a GPU: place of its input in its output, if they share memory."""
    output_at: int = 0
    """Times the number of a GPU: place of its output in its input, if they share memory."""
    divided: bool = True
    """Whether each GPU has its own part of the chunks."""


class Verdict(NamedTuple):
    """Whether a schedule has the result of its collective."""

    words: str
    """The result, or the reason that it is not known."""
    failed: bool = False


def verify(schedule: Schedule, dependencies: Dependencies) -> Verdict:
    """Execute a schedule, in place and out of place if it supports both, and compare the result."""
    name = schedule.collective or "custom"
    collective = name.lower().replace("_", "").replace("-", "")
    promise = _promises(schedule, 0).get(collective)
    if promise is None:
        return Verdict(f"not verified: {name} promises no known result")
    if promise.divided and schedule.chunks % schedule.gpus:
        return Verdict(f"not verified: {schedule.chunks:,} chunks cannot be divided among {schedule.gpus:,} GPUs")
    for in_place in schedule.in_place:
        memory = _Memory(promise, in_place)
        if not _execute(dependencies, memory):
            return Verdict("not verified: the schedule moves too many chunks")
        if collective == "broadcast":
            root = _lowest(memory.output(0, 0).get(0, NOBODY).once)
            promise = _promises(schedule, root)[collective]
        wrong = _first_wrong(schedule.gpus, promise, memory)
        if wrong:
            return Verdict(f"{name} {'in place ' if in_place else ''}fails: {wrong}", failed=True)
    return Verdict(f"verified: every GPU ends with the result of {name}")


def _promises(schedule: Schedule, root: int) -> dict[str, Promise]:
    chunks, part = schedule.chunks, max(schedule.chunks // schedule.gpus, 1)
    everybody = Contributors((1 << schedule.gpus) - 1)
    return {
        "allreduce": Promise(chunks, chunks, lambda gpu, k: {k: everybody}, divided=False),
        "allgather": Promise(part, chunks, lambda gpu, k: {k % part: Contributors(1 << k // part)}, input_at=part),
        "reducescatter": Promise(chunks, part, lambda gpu, k: {gpu * part + k: everybody}, output_at=part),
        "alltoall": Promise(chunks, chunks, lambda gpu, k: {gpu * part + k % part: Contributors(1 << k // part)}),
        "broadcast": Promise(chunks, chunks, lambda gpu, k: {k: Contributors(1 << root)}, divided=False),
    }


class _Memory:
    """The values of all buffers of all GPUs."""

    def __init__(self, promise: Promise, in_place: bool) -> None:
        self._promise, self._in_place = promise, in_place
        self._written: dict[tuple[int, str, int], Value] = {}

    def _key(self, gpu: int, buffer: str, index: int) -> tuple[int, str, int]:
        if self._in_place and buffer != "s":
            # One buffer, in which input and output begin at their places.
            begin = self._promise.input_at if buffer == "i" else self._promise.output_at
            return gpu, "i", gpu * begin + index
        return gpu, buffer, index

    def read(self, gpu: int, place: Place, count: int) -> list[Value]:
        keys = (self._key(gpu, place.buffer, place.first + k) for k in range(count))
        return [self._written[key] if key in self._written else self._initial(*key) for key in keys]

    def _initial(self, gpu: int, buffer: str, index: int) -> Value:
        number = index - (gpu * self._promise.input_at if self._in_place else 0)
        own = buffer == "i" and 0 <= number < self._promise.inputs
        return {number: Contributors(1 << gpu)} if own else {UNDEFINED: Contributors(1)}

    def write(self, gpu: int, place: Place, values: list[Value]) -> None:
        for k, value in enumerate(values):
            self._written[self._key(gpu, place.buffer, place.first + k)] = value

    def output(self, gpu: int, index: int) -> Value:
        return self.read(gpu, Place("o", index), 1)[0]


def _execute(dependencies: Dependencies, memory: _Memory) -> bool:
    # Return whether all steps are executed, and not too much has to be done.
    work, arrived = 0, dict[int, list[Value]]()
    for number in dependencies.order:
        (gpu, *_), step = dependencies.steps[number]
        parts = [arrived.pop(number)] if step.kind.receives else []
        parts += [memory.read(gpu, step.source, step.chunks)] if step.kind.reads else []
        parts += [memory.read(gpu, step.target, step.chunks)] if step.kind.accumulates else []
        work += step.chunks + sum(len(value) for part in parts for value in part)
        if work > MAX_WORK:
            return False
        values = [_sum(values) for values in zip(*parts, strict=True)]
        if step.kind.writes:
            memory.write(gpu, step.target, values)
        if step.kind.sends:
            arrived[dependencies.receiver[number]] = values
    return True


def _sum(values: tuple[Value, ...]) -> Value:
    first, *others = values
    total = dict(first) if others else first
    for other in others:
        for number, (once, again) in other.items():
            present = total.get(number, NOBODY)
            total[number] = Contributors(present.once | once, present.again | again | present.once & once)
    return total


def _first_wrong(gpus: int, promise: Promise, memory: _Memory) -> str:
    for gpu in range(gpus):
        for k in range(promise.outputs):
            value, expected = memory.output(gpu, k), promise.expected(gpu, k)
            if value != expected:
                return f"output chunk {k} of gpu {gpu} {_difference(value, expected)}"
    return ""


def _difference(value: Value, expected: Value) -> str:
    for number, contributors in expected.items():
        missing = contributors.once & ~value.get(number, NOBODY).once
        if missing and UNDEFINED in value and len(value) == 1:
            return "is never written"
        if missing:
            return f"lacks input chunk {number} of {_gpus(missing)}"
    if UNDEFINED in value:
        return "includes memory that is never written"
    for number, contributors in value.items():
        extra = contributors.once & ~expected.get(number, NOBODY).once
        if extra:
            return f"includes input chunk {number} of {_gpus(extra)}, which does not belong there"
    number, again = next((number, contributors.again) for number, contributors in value.items() if contributors.again)
    return f"includes input chunk {number} of {_gpus(again)} more than once"


def _lowest(mask: int) -> int:
    return max((mask & -mask).bit_length() - 1, 0)


def _gpus(mask: int) -> str:
    return examples([f"gpu {gpu}" for gpu in range(mask.bit_length()) if mask >> gpu & 1])
