"""Which flows are cut while tasks move: their number and volume are kept, and some of them by name."""

import numpy as np

from core.job.job import BLOCK, FlowBlock, Phase, Tasks
from core.load.cut import KEPT, CutFlows, cut_flows, told
from core.load.evaluate import LoadReport
from core.load.moved import Pairs
from core.load.scenario import Case
from core.routing import FaultyRouter
from core.routing.routing import Nodes

NAMED = 4 * KEPT
"""Flows kept by name."""


class LiveCut:
    """The cut flows of live loads; where nothing has failed, none."""

    def __init__(self, report: LoadReport, scale: float) -> None:
        router = report.case.router
        self._router = router if isinstance(router, FaultyRouter) else None
        self._scale = scale
        self.tally = report.cut.count, round(report.cut.volume * scale), False
        """How many flows are cut, what they carry in whole numbers, and whether there are new ones among them."""
        self._named = report.cut.first

    @property
    def count(self) -> int:
        """Return how many flows are cut."""
        return self.tally[0]

    def note(self, pairs: Pairs) -> None:
        """Take note of flows added or removed."""
        if self._router is not None:
            lost = pairs.volume[self._router.cut(pairs.src, pairs.dst)]
            count, volume, grown = self.tally
            more = bool((lost > 0).any())
            self.tally = count + int(np.sign(lost).sum()), volume + int(lost.sum()), grown or more

    def name(self, phases: tuple[Phase, ...], tasks: Tasks, node: Nodes) -> None:
        """Look for what was cut anew among the flows of tasks that have moved; of very many, among some."""
        count, volume, grown = self.tally
        if not grown:
            return
        self.tally = count, volume, False
        for phase in phases:
            some = tasks[: max(BLOCK // phase.fan_out, 1)]
            self._named = _merged(self._named, self._lost(phase.out_flows(some), node))
            self._named = _merged(self._named, self._lost(phase.in_flows(some), node))

    def _lost(self, flows: FlowBlock, node: Nodes) -> FlowBlock:
        assert self._router is not None
        cut = self._router.cut(node[flows.src], node[flows.dst]) & (flows.volume > 0)
        return flows.at(np.flatnonzero(cut))

    def flows(self, case: Case) -> CutFlows:
        """Return what is cut under the mapping of `case`; `first` are any of them, all if they are few."""
        count, volume, _ = self.tally
        if not count:
            return told(case, 0, 0.0, self._named.part(0, 0))
        self._named = self._lost(self._named, case.mapping.nodes)
        if not self._named.src.size:
            return cut_flows(case)  # all that were known by name are whole again
        return told(case, count, volume / self._scale, self._named.part(0, KEPT))


def _merged(named: FlowBlock, more: FlowBlock) -> FlowBlock:
    if not more.src.size:
        return named
    src, dst = np.concatenate([named.src, more.src]), np.concatenate([named.dst, more.dst])
    _, first = np.unique(np.stack([src, dst]), axis=1, return_index=True)
    return FlowBlock(src, dst, np.concatenate([named.volume, more.volume])).at(first[:NAMED])
