"""A job whose flows have labelled parts."""

from pathlib import Path

import numpy as np

from core.job import FlowBlock, Job, JobSpec
from core.job.flow_parts import FlowParts
from core.job.flows import ListedPhase

TASKS = 12


class Labelled(JobSpec, frozen=True, tag="labelled"):
    """Phases of flows (source, destination, volume, part); a phase without kind has no parts."""

    phases: tuple = ()
    """(kind, labels, flows, times) each."""

    def build(self, folder: Path | None = None) -> Job:
        """Build the phases, each repeated."""
        built = []
        for kind, labels, flows, times in self.phases:
            src, dst, volume, part = (np.array(column) for column in zip(*flows, strict=True))
            block = FlowBlock(src.astype(np.int32), dst.astype(np.int32), volume.astype(float))
            parts = FlowParts(kind, labels, part.astype(np.int32)) if kind else None
            built += [ListedPhase(TASKS, block, parts)] * times
        return Job(self, TASKS, tuple(built), None, unit=False)

    def summary(self) -> str:
        """Return its name."""
        return "labelled"


def channels(*flows, times=1, kind="channel"):
    labels = [f"channel {number}" for number in range(1 + max(flow[3] for flow in flows))]
    return kind, labels, flows, times
