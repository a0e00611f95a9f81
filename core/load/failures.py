"""Loads after a failure, computed from the loads without it: only flows that lose paths are routed again."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from core.job.job import Phase
from core.load.disconnected import DisconnectedFlows, find_disconnected
from core.load.evaluate import LoadReport, evaluate
from core.load.phases import Loads, Phases, PhaseSums
from core.load.scenario import Case
from core.network import AnyFault
from core.routing.faulty import INTACT, NOISE, FaultyRouter, depends_on
from core.routing.flows import Flags, NodeFlows
from core.spec import Progress, no_progress

INACCURATE = 1e-6
"""A remainder below this fraction of the removed load has lost too many digits."""


class Failures:
    """Evaluates failures of links, nodes and bundles, one after the other, on top of the faults of a scenario.

    Reports equal `evaluate` of the scenario with the failure, except for rounding. Planning schemes plan again, and
    schemes whose paths may all change (`core.routing.faulty.depends_on`) route all flows again.
    """

    def __init__(self, report: LoadReport) -> None:
        self.report = report

    @cached_property
    def _runs(self) -> list[tuple[NodeFlows, Loads]]:
        # The flows between different nodes, summed by pair, and the loads of each run of phases.
        case, phases = self.report.case, self.report.phases
        return [(flows_by_pair(case, run.phase), phases[run.first]) for run in case.job.runs]

    def with_failure(self, *failed: AnyFault, progress: Progress = no_progress) -> LoadReport:
        """Return the report of the scenario with further faults.

        Raises SpecError: naming the field, if a component does not exist. Raises Cancelled: when `progress` does.
        """
        scenario = self.report.case.scenario
        case = replace(scenario, faults=(*scenario.faults, *failed)).build(before=self.report.case)
        return self.report_of(case, progress)

    def report_of(self, case: Case, progress: Progress = no_progress) -> LoadReport:
        """Return the report of a case that differs from the scenario only by further faults.

        Raises Cancelled: when `progress` does.
        """
        before = self.report.case
        if before.router.plans or not isinstance(case.router, FaultyRouter):
            return evaluate(case, progress)
        lost = np.flatnonzero((case.gbs == 0) & (before.gbs > 0))
        changed = [self._changed(lost.tolist(), flows) for flows, _ in self._runs]
        if any(part is None for part in changed):
            return evaluate(case, progress)
        parts = [part for part in changed if part is not None]
        runs = [self._loads(case.router, part, run) for part, (_, run) in zip(parts, self._runs, strict=True)]
        loads = [part for part in runs if part is not None]
        if len(loads) < len(runs):
            return evaluate(case, progress)
        return _report(case, loads, self._disconnected(case, parts, progress))

    def _changed(self, lost: Sequence[int], flows: NodeFlows) -> NodeFlows | None:
        """Return the flows whose paths may change if links are lost; None if all may."""
        before = self.report.case.router
        changed: Flags | None = depends_on(before, lost, flows.src, flows.dst)
        if changed is not None and isinstance(before, FaultyRouter):
            changed = changed | (before.state(flows.src, flows.dst) != INTACT)
        return None if changed is None else flows.some(np.flatnonzero(changed))

    def _loads(self, router: FaultyRouter, changed: NodeFlows, loads: Loads) -> Loads | None:
        """Return the loads after the failure; None if so much of a load is removed that few digits remain."""
        if not changed.src.size:
            return loads
        before = self.report.case.router
        if isinstance(before, FaultyRouter):
            added, removed = router.loads([changed]), before.loads([changed])
        else:
            added, removed = router.changes(changed)
        after = loads + added - removed
        after[after < NOISE * removed] = 0.0
        after[router.failed] = 0.0
        return None if np.any((after > 0) & (after < INACCURATE * removed)) else after

    def _disconnected(self, case: Case, changed: Sequence[NodeFlows], progress: Progress) -> DisconnectedFlows:
        router, failed_nodes = case.router, case.faults is not None and case.faults.failed_nodes.any()
        assert isinstance(router, FaultyRouter)
        lost = (router.disconnected(part.src, part.dst).any() for part in changed)
        if self.report.disconnected or failed_nodes or any(lost):
            return find_disconnected(case, progress)
        return DisconnectedFlows()


def flows_by_pair(case: Case, phase: Phase) -> NodeFlows:
    """Return the flows of a phase between different nodes, summed by pair."""
    blocks, nodes, at = list(phase.blocks()), case.network.nodes, case.mapping.nodes
    pairs = np.concatenate(
        [np.zeros(0, np.int64), *(at[b.src].astype(np.int64) * nodes + at[b.dst] for _, b in blocks)]
    )
    volume = np.concatenate([np.zeros(0), *(block.volume for _, block in blocks)])
    pair, place = np.unique(pairs, return_inverse=True)
    sums = np.bincount(place, volume, pair.size).astype(np.float64)
    src, dst = (pair // nodes).astype(np.int32), (pair % nodes).astype(np.int32)
    return NodeFlows(src, dst, sums).some((src != dst) & (sums > 0))


def _report(case: Case, loads: Sequence[Loads], disconnected: DisconnectedFlows) -> LoadReport:
    sums = PhaseSums(case)
    for part in loads:
        sums.add(part)
    phases = Phases(case, loads[0] if len(loads) == 1 else None)
    return LoadReport(case, phases, sums.load, sums.busy, sums.sent, disconnected=disconnected)
