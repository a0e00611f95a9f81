"""Sequences: jobs one after the other, repeated, with pauses between them.

All parts have the same number of tasks. Every repeat has the same phase objects, so each phase is evaluated once.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias, cast

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.collectives.all_to_all import AllToAll
from core.job.collectives.allreduce import Allreduce
from core.job.collectives.steps import MAX_STEPS, empty_phase
from core.job.job import Job, JobSpec, Phase
from core.job.measure import MEASURES, UNITS, Measure
from core.job.message import common_quantum
from core.job.patterns import AnyPattern
from core.spec import Spec, SpecError, declare
from core.text import plural

MAX_PARTS = 256


class Pause(Spec, frozen=True, tag="pause"):
    """Pause: nothing is sent for a while, for example because all tasks compute."""

    title: ClassVar[str] = "Pause"

    seconds: Annotated[float, declare("Duration", "time without messages", unit="s", ge=0, le=1e9)] = 1e-3

    def summary(self) -> str:
        """Return its duration."""
        return f"{self.seconds:g} s"


AnyPart: TypeAlias = AnyPattern | Pause


class Sequence(JobSpec, frozen=True, tag="sequence"):
    """Sequence: jobs with the same number of tasks, one after the other, repeated any number of times.

    Parts are written like jobs. A part can also be a pause, during which nothing is sent:
    `{"type": "pause", "seconds": 0.5}`.
    """

    title: ClassVar[str] = "Sequence"

    repeat: Annotated[int, declare("Repeats", "number of times that all parts run", ge=1, le=MAX_STEPS)] = 1
    parts: Annotated[
        tuple[AnyPart, ...],
        declare("Parts", "jobs with the same number of tasks, and pauses", min_length=1, max_length=MAX_PARTS),
    ] = (AllToAll(tasks=64, message_bytes=1e6), Allreduce(tasks=64))

    @property
    def jobs(self) -> tuple[JobSpec, ...]:
        """Return the parts that are not pauses."""
        return tuple(part for part in self.parts if not isinstance(part, Pause))

    def summary(self) -> str:
        """Return the numbers of parts and of repeats."""
        return f"{plural(len(self.parts), 'part')}, {'once' if self.repeat == 1 else f'{self.repeat:,} times'}"

    def resized(self, slots: int) -> "Sequence":
        """Return the sequence with all parts resized to fill the slots, or to the largest size possible for all."""
        while slots > 0:
            resized = replace(self, parts=tuple(_resized(part, slots) for part in self.parts))
            least = min((_tasks(part, slots) for part in resized.jobs), default=slots)
            if least >= slots:
                return resized
            slots = least
        return self

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: the phases of all parts, repeated.

        Raises SpecError: naming the part that cannot be built, or differs from earlier parts in tasks or measure; or
        beyond the limit on phases.
        """
        jobs: dict[int, Job] = {}
        for k, part in enumerate(self.parts):
            if not isinstance(part, Pause):
                with _named_as_part(k):
                    jobs[k] = part.build(folder)
        if not jobs:
            raise SpecError("job.parts", "contain only pauses; add a job, which sets the number of tasks")
        first, *others = jobs
        for k in others:
            _check_alike(jobs[first], jobs[k], f"job.parts[{k}]", f"parts[{first}]")
        tasks = jobs[first].tasks
        once = tuple(phase for k, part in enumerate(self.parts) for phase in _phases(k, part, jobs, tasks))
        if len(once) * self.repeat > MAX_STEPS:
            count = f"{len(once) * self.repeat:,} phases; the limit is {MAX_STEPS:,}"
            raise SpecError("job.repeat", f"makes {count} (choose fewer repeats or parts)")
        grids = {job.grid for job in jobs.values() if job.grid is not None}
        quanta = [job.quantum for job in jobs.values()]
        return Job(
            self,
            tasks,
            once * self.repeat,
            grids.pop() if len(grids) == 1 else None,
            unit=False,
            quantum=None if None in quanta else reduce(common_quantum, filter(None, quanta)),
            measure=_measure([job.measure for job in jobs.values()]),
            repeats=self.repeat,
            warnings=(*dict.fromkeys(warning for job in jobs.values() for warning in job.warnings), *_unordered(jobs)),
            logged_hosts=next((job.logged_hosts for job in jobs.values() if job.logged_hosts), None),
            unit_assumed=any(job.unit_assumed for job in jobs.values()),
        )

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of the bounds of all parts."""
        return np.asarray(self.repeat * sum(part.min_leaving_volume(sizes) for part in self.jobs), np.float64)


def joining(part: AnyPart, parts: Iterable[AnyPart], folder: Path | None = None) -> AnyPart:
    """Return a new part in the size of the existing parts, counting bytes if they do."""
    jobs = [part for part in parts if not isinstance(part, Pause)]
    if isinstance(part, Pause) or not jobs:
        return part
    with suppress(SpecError):
        part = cast(AnyPart, part.resized(jobs[0].build(folder).tasks))
    counted = [getattr(part, "message_bytes", None) for part in jobs]
    if None not in counted and getattr(part, "message_bytes", counted) is None:
        return replace(part, message_bytes=counted[0])
    return part


def _resized(part: AnyPart, slots: int) -> AnyPart:
    return part if isinstance(part, Pause) else cast(AnyPart, part.resized(slots))


def _tasks(part: JobSpec, slots: int) -> int:
    # The number of tasks after resizing; the slots if it is only known after building from files.
    with suppress(SpecError):
        return part.build().tasks
    return slots


@contextmanager
def _named_as_part(number: int) -> Iterator[None]:
    # Prefix errors of a job with its part.
    try:
        yield
    except SpecError as error:
        raise type(error)(f"job.parts[{number}]{error.field.removeprefix('job')}", error.message) from error


def _unordered(jobs: dict[int, Job]) -> Iterator[str]:
    for k, job in jobs.items():
        if job.order is not None:
            yield f"fair-share runs the schedule of part {k + 1} rank by rank, as part of a sequence"


def _phases(number: int, part: AnyPart, jobs: dict[int, Job], tasks: int) -> Iterator[Phase]:
    name = f"{number + 1} {part.tag()}"
    if isinstance(part, Pause):
        pause = empty_phase(tasks)
        pause.name, pause.pause_seconds = name, part.seconds
        yield pause
        return
    for run in jobs[number].runs:
        run.phase.name = f"{name}, {run.phase.name}" if run.phase.name else name
    yield from jobs[number].phases


def _check_alike(job: Job, other: Job, place: str, before: str) -> None:
    if other.tasks != job.tasks:
        words = f"has {other.tasks:,} tasks, but {before} has {job.tasks:,}"
        raise SpecError(place, f"{words}; give all parts the same number of tasks")
    counts, before_counts = _counted(other.measure), _counted(job.measure)
    if counts != before_counts:
        words = f"counts {counts}, but {before} counts {before_counts}"
        raise SpecError(place, f"{words}; {_advice({place: other, before: job})}")


def _advice(jobs: dict[str, Job]) -> str:
    # Patterns in units can be given bytes if they have that field; traced messages have no size.
    units = [place for place, job in jobs.items() if job.measure == UNITS and hasattr(job.spec, "message_bytes")]
    if units and all(job.measure.timed for job in jobs.values()):
        return f"give {units[0]} message_bytes"
    return "they cannot be combined"


def _counted(measure: Measure) -> str:
    if measure == UNITS:
        return "units"
    return "bytes" if measure.timed else "messages"


def _measure(measures: list[Measure]) -> Measure:
    return measures[0] if len(set(measures)) == 1 else MEASURES["MB"]
