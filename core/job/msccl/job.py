"""MSCCL: a collective as a schedule that GPUs execute, from a file.

A step that sends moves its chunks to the peer of its thread block; a chunk is the message over the chunks per loop.
Sends form waves: a send is in wave k if at least k - 1 others must precede it one after the other. Each wave is a phase
of the job. With fair-share timing, steps run as soon as their dependencies allow: a thread block executes its steps in
order, a step also waits for the step of its GPU that the file names, and a receive for the matching send of its peer
on the same channel. A send does not wait for its receive, and copies and reductions take no time.
"""

from collections import Counter
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from core.formats import format_of_job
from core.job.collectives.steps import MAX_STEPS, empty_phase
from core.job.flow_parts import FlowParts
from core.job.flows import ListedPhase
from core.job.job import FlowBlock, Job, Phase
from core.job.measure import MEASURES
from core.job.message import BYTES_PER_GB, MESSAGE_SIZE, MessageBytes
from core.job.msccl.dependencies import Dependencies
from core.job.msccl.promise import verify
from core.job.msccl.schedule import Schedule
from core.job.msccl.xml_reader import FIELD, read_schedule
from core.job.ranks import RankedJob
from core.spec import SpecError, declare, parsing, path_in_folder
from core.text import plural

MAX_BYTES = 64 << 20
File = Annotated[
    str, declare("File", "schedule in MSCCL's XML, in the scenario's folder", is_file=True, max_length=1024)
]


class Msccl(RankedJob, frozen=True, tag="msccl"):
    """MSCCL schedule: a collective as GPUs execute it step by step, from an XML file.

    Every GPU is a task. Steps that send move chunks, each the message over the chunks per loop of the file.
    """

    title: ClassVar[str] = "MSCCL schedule"
    default_timing: ClassVar[str] = "fair-share"

    file: File | None = None
    message_bytes: Annotated[
        MessageBytes, declare(MESSAGE_SIZE, "size of the larger of a GPU's input and output buffers", unit="bytes")
    ] = 1e6

    def summary(self) -> str:
        """Return where the schedule comes from."""
        return "no file chosen" if self.file is None else f"steps of {self.file}"

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each wave of sends, and their order.

        Raises SpecError: if the file cannot be read, a send or receive has no counterpart, or steps wait for each
        other.
        """
        path = path_in_folder(FIELD, self.file, folder, MAX_BYTES)
        with parsing(FIELD, path, "an MSCCL schedule"):
            schedule = read_schedule(path)
            dependencies = Dependencies.of(schedule)
            phases = _phases(schedule, dependencies, self.message_bytes / BYTES_PER_GB)
        verdict = verify(schedule, dependencies)
        return Job(
            self,
            schedule.gpus,
            phases or (empty_phase(schedule.gpus),),
            None,
            unit=False,
            quantum=Fraction(self.message_bytes) / BYTES_PER_GB / schedule.chunks,
            measure=MEASURES["MB"],
            warnings=(*_size_notes(schedule, self.message_bytes), *[verdict.words] * verdict.failed),
            source=format_of_job(self.tag()).title,
            contents=(_contents(schedule, dependencies), *[verdict.words] * (not verdict.failed)),
            order=dependencies.message_order() if phases else None,
        )


def _phases(schedule: Schedule, dependencies: Dependencies, volume: float) -> tuple[Phase, ...]:
    waves = [list(wave) for _, wave in groupby(dependencies.sends(), dependencies.wave.__getitem__)]
    if len(waves) > MAX_STEPS:
        raise SpecError(FIELD, f"makes {len(waves):,} waves of sends; the limit is {MAX_STEPS:,}")
    return tuple(_phase(schedule, dependencies, volume / schedule.chunks, *wave) for wave in enumerate(waves, 1))


def _phase(schedule: Schedule, dependencies: Dependencies, chunk: float, number: int, sends: list[int]) -> Phase:
    steps = [dependencies.steps[k] for k in sends]
    ends = np.array([(block.gpu, block.send) for block, _ in steps], np.int32)
    volume = np.array([step.chunks for _, step in steps]) * chunk
    parts = FlowParts("step", [step.name for step in steps], np.arange(len(steps), dtype=np.int32))
    phase = ListedPhase(schedule.gpus, FlowBlock(ends[:, 0], ends[:, 1], volume), parts)
    phase.name = f"wave {number}: {plural(len(steps), 'send')}"
    return phase


def _contents(schedule: Schedule, dependencies: Dependencies) -> str:
    chunks = Counter[tuple[int, int]]()
    for k in dependencies.receiver:
        block, step = dependencies.steps[k]
        chunks[block.gpu, block.send] += step.chunks
    least, most = min(chunks.values(), default=0), max(chunks.values(), default=0)
    each = plural(most, "chunk") if least == most else f"{least:,} to {most:,} chunks"
    counts = (
        plural(schedule.gpus, "GPU"),
        f"{plural(schedule.chunks, 'chunk')} per loop",
        plural(len(dependencies.receiver), "sending step"),
        f"{plural(len(chunks), 'pair')} with {each}{' each' if len(chunks) > 1 else ''}",
    )
    return ", ".join(counts if chunks else counts[:-1])


def _size_notes(schedule: Schedule, message_bytes: float) -> tuple[str, ...]:
    least, most = schedule.sizes
    if least <= message_bytes and (not most or message_bytes <= most):
        return ()
    sizes = f"from {least:,} to {most:,} bytes" if most else f"of at least {least:,} bytes"
    return (f"the schedule is meant for messages {sizes}",)
