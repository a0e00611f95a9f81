"""Which flows are disconnected while tasks move.

Their number and volume follow every edit; which flows they are is found when a report needs them.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from core.job.job import BLOCK, FlowBlock, Tasks
from core.load.cut import KEPT, DisconnectedFlows, cut_flows, describe_cut
from core.load.evaluate import LoadReport
from core.load.fixed_point import FixedPointScale
from core.load.moved import Pairs
from core.load.scenario import Case
from core.routing import FaultyRouter
from core.routing.flows import Nodes

NAMED = 4 * KEPT
"""Flows kept by name."""


class LiveCut:
    """The cut flows of live loads; where nothing has failed, none."""

    def __init__(self, report: LoadReport, scales: tuple[FixedPointScale, ...]) -> None:
        router = report.case.router
        self._router = router if isinstance(router, FaultyRouter) else None
        self._scales = [one.per_unit for one in scales]
        cut, lost = report.cut, self._lost_volumes(report, scales)
        self.tally = cut.count, lost, False
        """How many flows are cut, what they carry in whole numbers of each band, and whether there are new ones."""
        flowing = report.case.job.volume if cut.flowing is None else cut.flowing
        single = (lost[0] + round(flowing * scales[0].per_unit),)
        self._whole = single if len(scales) == 1 else _volumes(report.case, scales)
        """What all flows carry, in whole numbers of each band."""
        self._named = cut.first
        self._moved = np.zeros(report.case.job.tasks, np.bool_)
        """Tasks that have moved since flows among theirs were last named."""

    @property
    def count(self) -> int:
        """Return how many flows are cut."""
        return self.tally[0]

    @property
    def flowing(self) -> float | None:
        """Return what the flows that are not cut carry; None: none is cut."""
        count, volumes, _ = self.tally
        left = [max(whole - volume, 0) for whole, volume in zip(self._whole, volumes, strict=True)]
        return self._volume(left) if count else None

    def _volume(self, wholes: Iterable[int]) -> float:
        # Exactly, and then as the nearest float.
        return float(sum(Fraction(whole) / Fraction(scale) for whole, scale in zip(wholes, self._scales, strict=True)))

    def _lost_volumes(self, report: LoadReport, scales: tuple[FixedPointScale, ...]) -> tuple[int, ...]:
        if len(scales) == 1:
            return (round(report.cut.volume * scales[0].per_unit),)
        return _volumes(report.case, scales, self._router) if self._router is not None else (0,) * len(scales)

    def note(self, pairs: Pairs, band: int, times: int) -> None:
        """Count flows of a band that are added or removed, in a phase that is run so many times."""
        if self._router is not None:
            lost = pairs.volume[self._router.cut(pairs.src, pairs.dst)]
            count, volumes, grown = self.tally
            more = bool((lost > 0).any())
            volumes = (*volumes[:band], volumes[band] + times * int(lost.sum()), *volumes[band + 1 :])
            self.tally = count + times * int(np.sign(lost).sum()), volumes, grown or more

    def moved(self, tasks: Tasks) -> None:
        """Record tasks that have moved."""
        if self._router is not None:
            self._moved[tasks] = True

    def flows(self, case: Case) -> DisconnectedFlows:
        """Return what is cut under the mapping of `case`; `first` are any of them, all if they are few."""
        count, volumes, grown = self.tally
        candidates = self._candidates(case) if grown else self._named
        self._moved.fill(False)
        self.tally = count, volumes, False
        if not count:
            self._named = candidates.at(slice(0))
            return describe_cut(case, 0, 0.0, 0.0, self._named)
        self._named = self._lost(candidates, case.mapping.nodes).at(slice(NAMED))
        if not self._named.src.size:
            return cut_flows(case)  # all that were known by name are whole again
        return describe_cut(
            case,
            count,
            self._volume(max(volume, 0) for volume in volumes),
            self.flowing or 0.0,
            self._named.at(slice(KEPT)),
        )

    def _candidates(self, case: Case) -> FlowBlock:
        # The flows known by name, and all of the tasks that have moved; of very many tasks, of some.
        phases, named = [run.phase for run in case.job.runs], self._named
        limit = BLOCK // max(1, *(phase.fan_out for phase in phases))
        some = np.flatnonzero(self._moved)[: max(limit, 1)].astype(np.int32)
        chosen = np.zeros_like(self._moved)
        chosen[some] = True
        found = [named.at(np.flatnonzero(~(chosen[named.src] | chosen[named.dst])))]
        for phase in phases:
            into = phase.in_flows(some)
            found += [phase.out_flows(some), into.at(np.flatnonzero(~chosen[into.src]))]
        return FlowBlock.joined(found)

    def _lost(self, flows: FlowBlock, node: Nodes) -> FlowBlock:
        assert self._router is not None
        cut = self._router.cut(node[flows.src], node[flows.dst]) & (flows.volume > 0)
        return flows.at(np.flatnonzero(cut))


def _volumes(case: Case, scales: tuple[FixedPointScale, ...], cut: FaultyRouter | None = None) -> tuple[int, ...]:
    # What all flows carry in whole numbers of each band, or those that a router cuts.
    node, volumes = case.mapping.nodes, [0] * len(scales)
    for _, phase, times in case.job.runs:
        for _, block in phase.blocks():
            some = block if cut is None else block.at(np.flatnonzero(cut.cut(node[block.src], node[block.dst])))
            for band, one in enumerate(scales):
                volumes[band] += times * int(one.of(some.volume).sum())
    return tuple(volumes)
