"""Tracks which flows are disconnected while tasks move.

Their number and volume are updated by every edit; the flows are listed when a report needs them.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from core.job.job import BLOCK, FlowBlock, Tasks
from core.load.disconnected import MAX_LISTED, DisconnectedFlows, describe_disconnected, find_disconnected
from core.load.evaluate import LoadReport
from core.load.fixed_point import FixedPointScale
from core.load.moved_flows import VolumeChanges
from core.load.scenario import Case
from core.routing import FaultyRouter
from core.routing.flows import Nodes

MAX_NAMED = 4 * MAX_LISTED
"""Disconnected flows that are remembered."""


class LiveDisconnected:
    """The disconnected flows of live loads; empty without failures."""

    def __init__(self, report: LoadReport, scales: tuple[FixedPointScale, ...]) -> None:
        router = report.case.router
        self._router = router if isinstance(router, FaultyRouter) else None
        self._scales = [scale.per_unit for scale in scales]
        cut, lost = report.disconnected, self._lost_volumes(report, scales)
        self.tally = cut.count, lost, False
        """Number of disconnected flows, their fixed-point volume in each band, and whether any is not in `_named`."""
        flowing = report.case.job.volume if cut.flowing is None else cut.flowing
        single = (lost[0] + round(flowing * scales[0].per_unit),)
        self._total_volume = single if len(scales) == 1 else _volumes(report.case, scales)
        """(bands,) the fixed-point volume of all flows."""
        self._named = cut.first
        self._moved = np.zeros(report.case.job.tasks, np.bool_)
        """(tasks,) tasks that have moved since flows were last listed."""

    @property
    def count(self) -> int:
        """Return the number of disconnected flows."""
        return self.tally[0]

    @property
    def volume(self) -> float:
        """Return the volume of the disconnected flows."""
        count, volumes, _ = self.tally
        return self._volume(max(volume, 0) for volume in volumes) if count else 0.0

    @property
    def flowing(self) -> float | None:
        """Return the volume of all other flows, or None if no flow is disconnected."""
        count, volumes, _ = self.tally
        left = [max(total - volume, 0) for total, volume in zip(self._total_volume, volumes, strict=True)]
        return self._volume(left) if count else None

    def _volume(self, wholes: Iterable[int]) -> float:
        # Summed exactly, then rounded once.
        return float(sum(Fraction(total) / Fraction(scale) for total, scale in zip(wholes, self._scales, strict=True)))

    def _lost_volumes(self, report: LoadReport, scales: tuple[FixedPointScale, ...]) -> tuple[int, ...]:
        if len(scales) == 1:
            return (round(report.disconnected.volume * scales[0].per_unit),)
        return _volumes(report.case, scales, self._router) if self._router is not None else (0,) * len(scales)

    def note(self, pairs: VolumeChanges, band: int, times: int) -> None:
        """Count the added or removed flows of a band, in a phase that runs `times` times."""
        if self._router is not None:
            lost = pairs.volume[self._router.disconnected(pairs.src, pairs.dst)]
            count, volumes, grown = self.tally
            more = bool((lost > 0).any())
            volumes = (*volumes[:band], volumes[band] + times * int(lost.sum()), *volumes[band + 1 :])
            self.tally = count + times * int(np.sign(lost).sum()), volumes, grown or more

    def moved(self, tasks: Tasks) -> None:
        """Record tasks that have moved."""
        if self._router is not None:
            self._moved[tasks] = True

    def flows(self, case: Case) -> DisconnectedFlows:
        """Return the disconnected flows under the mapping of `case`; its `first` flows are in any order."""
        count, volumes, grown = self.tally
        candidates = self._candidates(case) if grown else self._named
        self._moved.fill(False)
        self.tally = count, volumes, False
        if not count:
            self._named = candidates.at(slice(0))
            return describe_disconnected(case, 0, 0.0, 0.0, self._named)
        self._named = self._lost(candidates, case.mapping.nodes).at(slice(MAX_NAMED))
        if not self._named.src.size:
            return find_disconnected(case)  # all remembered flows are connected again
        return describe_disconnected(
            case,
            count,
            self.volume,
            self.flowing or 0.0,
            self._named.at(slice(MAX_LISTED)),
        )

    def _candidates(self, case: Case) -> FlowBlock:
        # The remembered flows, and all flows of the tasks that have moved (of some of them if they are many).
        phases, named = [run.phase for run in case.job.runs], self._named
        limit = BLOCK // max(1, *(phase.fan_out for phase in phases))
        some = np.flatnonzero(self._moved)[: max(limit, 1)].astype(np.int32)
        chosen = np.zeros_like(self._moved)
        chosen[some] = True
        candidates = [named.at(np.flatnonzero(~(chosen[named.src] | chosen[named.dst])))]
        for phase in phases:
            into = phase.in_flows(some)
            candidates += [phase.out_flows(some), into.at(np.flatnonzero(~chosen[into.src]))]
        return FlowBlock.joined(candidates)

    def _lost(self, flows: FlowBlock, node: Nodes) -> FlowBlock:
        assert self._router is not None
        cut = self._router.disconnected(node[flows.src], node[flows.dst]) & (flows.volume > 0)
        return flows.at(np.flatnonzero(cut))


def _volumes(case: Case, scales: tuple[FixedPointScale, ...], router: FaultyRouter | None = None) -> tuple[int, ...]:
    # The fixed-point volume in each band of all flows, or only of flows that a router disconnects.
    node, volumes = case.mapping.nodes, [0] * len(scales)
    for _, phase, times in case.job.runs:
        for _, block in phase.blocks():
            if router is not None:
                block = block.at(np.flatnonzero(router.disconnected(node[block.src], node[block.dst])))
            for band, scale in enumerate(scales):
                volumes[band] += times * int(scale.of(block.volume).sum())
    return tuple(volumes)
