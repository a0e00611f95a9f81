"""Traced traffic: explicit flows, listed in the scenario or in a file of its folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.formats import choice_of_format
from core.job.flow_parts import FlowParts
from core.job.job import BLOCK, MAX_TASKS, FlowBlock, Job, Phase, Tasks, check_tasks
from core.job.matrix_file import read_matrix
from core.job.measure import MEASURES, Counted
from core.job.ranks import RankedJob
from core.job.traffic.pairs import ParsedTraffic
from core.spec import SpecError, declare

Count = Annotated[int, declare("Tasks", "number of tasks (default: all tasks in the flows)", ge=1, le=MAX_TASKS)]
File = Annotated[
    str,
    declare(
        "File",
        "matrix (dense or src,dst,volume as text, .npy, .mtx) or output of a profiler, in the scenario's folder",
        is_file=True,
        max_length=1024,
    ),
]
TaskId = Annotated[int, declare("", "", ge=0, lt=MAX_TASKS)]
Volume = Annotated[float, declare("", "", ge=0)]

if TYPE_CHECKING:
    Format = str
else:
    Format = choice_of_format("job")

NO_UNIT = "has no unit of volume; 1 is taken as 1 GB (set unit to bytes, KB, MB, GB or messages)"
"""The assumption about a file without a unit of volume."""
MAX_VOLUME = 1e150
"""Maximum total volume, which keeps loads and times from overflowing."""


class Flows(RankedJob, frozen=True, tag="flows"):
    """Traced flows: volumes between pairs of tasks, from a matrix file or listed in the scenario.

    Flows of volume 0 are ignored.
    """

    title: ClassVar[str] = "Traced flows"

    tasks: Count | None = None
    src: Annotated[tuple[TaskId, ...] | None, declare("Sources", "source task of each flow")] = None
    dst: Annotated[tuple[TaskId, ...] | None, declare("Destinations", "destination task of each flow")] = None
    volume: Annotated[tuple[Volume, ...] | None, declare("Volumes", "volume of each flow")] = None
    file: File | None = None
    format: Annotated[Format, declare("Format", "format of the file (auto: detected from the content)")] = "auto"
    scale: Annotated[float, declare("Scale", "factor for every volume", gt=0, le=1e30)] = 1.0
    unit: Annotated[
        Counted,
        declare(
            "Unit",
            "unit of the volumes, where 1 KB is 1,000 bytes and messages have no times "
            "(auto: given by the file's format or column name, otherwise GB)",
        ),
    ] = "auto"

    def summary(self) -> str:
        """Return where the flows come from."""
        if self.file is not None:
            return f"flows from {self.file}"
        if self.src is None:
            return "no file chosen"
        return f"{len(self.src):,} flows listed in the scenario"

    def volumes_without_unit(self, folder: Path | None = None) -> NDArray[np.float64]:
        """Return the volumes in a file if neither the file nor `unit` gives their unit, otherwise an empty array.

        Raises SpecError: if the file cannot be read.
        """
        if self.file is None or self.unit != "auto":
            return np.zeros(0)
        traffic, _ = self._flows(folder)
        return traffic.flows.volume if traffic.counted == "auto" else np.zeros(0)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase with the given flows.

        Raises SpecError: if the lists do not match, or the file cannot be read.
        """
        traffic, where = self._flows(folder)
        flows, listed = traffic.flows, traffic.tasks
        unit = traffic.counted if self.unit == "auto" else self.unit
        measure = MEASURES[unit if unit != "auto" else "GB"]
        scale = self.scale * (traffic.factor if self.unit == "auto" else 1.0)
        assumed = unit == "auto" and self.file is not None
        notes = (f"{Path(self.file or '').name!r} {NO_UNIT}",) * assumed
        named = 1 + int(max(flows.src.max(initial=-1), flows.dst.max(initial=-1)))
        # A dense matrix has a row for each task, even if the last tasks send nothing.
        tasks = self.tasks if self.tasks is not None else max(named, listed)
        if named > tasks:
            raise SpecError(where, f"refers to task {named - 1:,}; tasks are 0 to {tasks - 1:,}")
        if tasks < 1:
            raise SpecError("job.tasks", "is required, because the list of flows is empty")
        check_tasks("job.tasks", tasks, flows.src.size)
        with np.errstate(over="ignore"):
            volume = flows.volume * scale / measure.per_volume
            total = volume.sum()
        if not total <= MAX_VOLUME:
            field = "job.scale" if self.scale != 1 else "job.volume" if self.file is None else where
            advice = "give smaller volumes or a smaller scale"
            raise SpecError(field, f"the total volume exceeds {MAX_VOLUME:g}; {advice}")
        # A flow of volume 0 counts for the number of tasks, but is not a message.
        phase = ListedPhase(tasks, flows._replace(volume=volume).at(np.flatnonzero(volume)))
        return Job(
            self,
            tasks,
            (phase,),
            None,
            unit=False,
            measure=measure,
            warnings=traffic.warnings + notes,
            source=traffic.source,
            unit_assumed=assumed,
        )

    @property
    def _lists(self) -> dict[str, tuple[float, ...] | None]:
        return {"src": self.src, "dst": self.dst, "volume": self.volume}

    def _flows(self, folder: Path | None) -> tuple[ParsedTraffic, str]:
        given = {name: values for name, values in self._lists.items() if values is not None}
        if self.file is not None or not given:
            if given:
                raise SpecError("job.file", "cannot be combined with src, dst and volume; give one or the other")
            return read_matrix(self.file, folder, self.format, self.unit), "job.file"
        for name in self._lists:
            if name not in given:
                raise SpecError(f"job.{name}", "is missing; give src, dst and volume of equal length, or a file")
        src, dst, listed = given.values()
        if not len(src) == len(dst) == len(listed):
            lengths = f"{len(src)}, {len(dst)} and {len(listed)}"
            raise SpecError("job.volume", f"src, dst and volume have {lengths} entries; give them equal length")
        volume = np.array(listed, np.float64)
        if not np.isfinite(volume).all():
            raise SpecError("job.volume", "has an entry that is not finite; give numbers from 0")
        return ParsedTraffic(FlowBlock(np.array(src, np.int32), np.array(dst, np.int32), volume), 0), "job.src"


class ListedPhase(Phase):
    """Flows held as arrays, sorted by source; an index sorts them by destination.

    `parts` are given in the order of `flows`.
    """

    def __init__(self, tasks: int, flows: FlowBlock, parts: FlowParts | None = None) -> None:
        order = np.argsort(flows.src, kind="stable")
        self.tasks = tasks
        self.flows = flows.at(order)
        self.parts = None if parts is None else parts.at(order)
        self._by_dst = np.argsort(self.flows.dst, kind="stable")
        self._reached = self.flows.dst[self._by_dst]
        self.fan_out = int(np.bincount(self.flows.src, minlength=1).max())

    def blocks(self) -> Iterator[tuple[float, FlowBlock]]:
        """Yield slices of the arrays."""
        count = self.flows.src.size
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            yield last / count, self.flows.at(slice(first, last))

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows whose source is one of the tasks."""
        return self.flows.at(_members(self.flows.src, tasks))

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows whose destination is one of the tasks."""
        return self.flows.at(self._by_dst[_members(self._reached, tasks)])


def _members(key: Tasks, wanted: Tasks) -> NDArray[np.intp]:
    # Indices of the sorted array `key` whose value is in `wanted`, by binary search.
    first, last = np.searchsorted(key, wanted), np.searchsorted(key, wanted, side="right")
    counts = last - first
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.repeat(first, counts) + offset)
