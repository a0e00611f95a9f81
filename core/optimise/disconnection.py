"""The volume that is disconnected under a mapping, as one integer that a search compares before anything else.

Disconnected flows load nothing, so a mapping that disconnects more may be faster, but counts as worse. The number is
the disconnected volume in `PARTS` of the total (each flow at least one), then the tasks on failed nodes. It depends on
the job and the mapping alone, so workers can compare their results.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from core.job.job import NO_TASKS, FlowBlock, Tasks
from core.load.evaluate import LoadReport
from core.load.moved_flows import by_task
from core.load.scenario import Case
from core.mapping.allocation import Allocation
from core.optimise.layers import crossing_flows, stacked
from core.optimise.tables import TIME, Layers, Place, Touched
from core.routing import FaultyRouter, without_faults
from core.routing.flows import FixedPoint, Nodes

PARTS = 1 << 36
"""Parts of the total volume: with 2^22 tasks the number is below 2^59."""


def share_of(lost: int, tasks: int) -> float:
    """Return the fraction of a job's volume that is disconnected, given the loss and the number of tasks."""
    return lost // (tasks + 1) / PARTS


def within_component(report: LoadReport) -> LoadReport:
    """Return the report with only the job's nodes in the component of all its tasks, where no flow is disconnected.

    There a search can use route tables, which do not show which pairs of nodes are disconnected. Other reports
    are returned unchanged: of connected networks, of jobs in several components, with failed links, and of networks
    whose nodes do not forward.
    """
    case = report.case
    network, component = case.network, case.network.components[case.mapping.nodes]
    if network.connected or network.closed or np.ptp(component):
        return report
    if case.faults is not None and case.faults.any_failed:
        return report
    nodes = np.arange(network.nodes, dtype=np.int32) if case.allocation is None else case.allocation.nodes
    others = () if case.allocation is None else case.allocation.others
    allocation = Allocation(network, nodes[network.components[nodes] == component[0]], others)
    return replace(report, case=replace(case, router=without_faults(case.router), allocation=allocation))


class Losses:
    """Counts disconnected volume; 0 if there is a path between any two nodes."""

    def __init__(self, case: Case) -> None:
        self._router = case.router if isinstance(case.router, FaultyRouter) else None
        self._job = case.job
        self._each = case.job.tasks + 1
        """Weight of a part: more than the number of tasks."""
        failed = case.faults.failed_nodes if case.faults is not None else np.zeros(case.network.vertices)
        self._failed = failed.astype(np.int64)

    def of(self, nodes: Nodes) -> int:
        """Return the loss with tasks on these nodes, shape ``(tasks,)``; 0 if nothing is disconnected."""
        if self._router is None:
            return 0
        lost = 0
        for _, phase, times in self._job.runs:
            for _, flows in phase.blocks():
                without = self._router.disconnected(nodes[flows.src], nodes[flows.dst])
                lost += times * int(self._parts(flows)[without].sum())
        return lost * self._each + int(self._failed[nodes].sum())

    def losing(self, nodes: Nodes) -> Tasks:
        """Return the tasks with disconnected flows, and the tasks on failed nodes."""
        if self._router is None:
            return NO_TASKS
        losing = self._failed[nodes] > 0
        for run in self._job.runs:
            for _, flows in run.phase.blocks():
                cut = self._router.disconnected(nodes[flows.src], nodes[flows.dst]) & (flows.volume > 0)
                losing[flows.src[cut]] = losing[flows.dst[cut]] = True
        return np.flatnonzero(losing).astype(np.int32)

    def change(self, tasks: int, place: Place, touched: Touched) -> int:
        """Return the change of the loss by the marked move of `tasks` tasks."""
        if self._router is None:
            return 0
        from core.optimise.kernel import list_pairs  # slow to import, and not needed to start the program

        cut, moved = 0, place.moved[:tasks]
        for phase in range(self.flows.term.size):
            pairs = list_pairs(phase, tasks, place, self.flows, touched)
            lost = self._router.disconnected(touched.src[:pairs], touched.dst[:pairs])
            cut += int(touched.volume[:pairs][lost].sum())
        return cut * self._each + int((self._failed[place.after[moved]] - self._failed[place.node[moved]]).sum())

    @cached_property
    def flows(self) -> Layers:
        """Return the flows of all phases, in parts; empty without faults."""
        runs = () if self._router is None else self._job.runs
        flows = [(crossing_flows(phase), times) for _, phase, times in runs]
        tables = [by_task(each.src, each.dst, times * self._parts(each), self._job.tasks) for each, times in flows]
        return stacked([TIME] * len(tables), tables, [], self._job.tasks)

    def _parts(self, flows: FlowBlock) -> FixedPoint:
        parts = np.rint(flows.volume / (self._job.volume or 1.0) * PARTS)
        return np.maximum(parts, flows.volume > 0).astype(np.int64)
