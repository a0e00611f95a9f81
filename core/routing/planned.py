"""Planning schemes, which choose paths for all flows of a phase together; the plan is then an ordinary router.

Without a plan they route given flows as if these were the whole phase.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from core.routing.faulty import DISCONNECTED, INTACT, FaultyRouter, States
from core.routing.flows import Flags, NodeFlows, Nodes, Volumes
from core.routing.node_pairs import NodePairDemand, sum_by_node_pair
from core.routing.router import PlanNote, Route, Router
from core.spec import Progress, declare, no_progress
from core.text import plural

MAX_PAIRS = 1 << 25
"""Limit on pairs of nodes in a plan: 0.5 GB."""


Tolerance = Annotated[
    float,
    declare(
        "Tolerance",
        "largest gap between the longest link time and its proved lower bound, at which rounds end",
        unit="%",
        gt=0,
        le=100,
    ),
]
"""The declaration of the tolerance of iterative schemes."""


@dataclass(frozen=True)
class PlannedFlow:
    """Quality of a plan."""

    time: float
    """Time of the slowest link, seconds for units of 1 GB."""
    bound: float
    """Lower bound on the time of any plan of this kind."""
    rounds: int

    @property
    def gap(self) -> float:
        """Return the largest possible relative reduction of the time."""
        return self.time / self.bound - 1 if self.bound > 0 else 0.0

    def note(self, among: str = "") -> PlanNote:
        """Return a remark on the distance from the optimum; `among` names the plans considered."""
        figures = {"time": self.time, "bound": self.bound, "gap": self.gap, "rounds": float(self.rounds)}
        gap = 100 * self.gap
        remark = "optimal" if gap < 0.05 else f"within {gap:.1f} % of the optimum"
        return PlanNote(f"{remark}{among} ({plural(self.rounds, 'round')})", figures)


def demand_of(flows: Iterable[NodeFlows], nodes: int, scheme: str) -> NodePairDemand:
    """Return the flows of a phase summed by pair of nodes.

    Raises SpecError: naming the scheme, if there are more than `MAX_PAIRS`.
    """
    refusal = f"{scheme} supports at most {MAX_PAIRS:,} pairs of nodes; choose minimal"
    return sum_by_node_pair(flows, nodes, MAX_PAIRS, refusal)


class PlanningRouter(Router):
    """A scheme that plans by `planned`, phase by phase."""

    plans = True

    @abstractmethod
    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> Router:
        """Return the router planned for the flows of a phase; it avoids links without bandwidth.

        Raises SpecError: if there are too many flows to plan. Raises Cancelled: when `progress` does.
        """

    @abstractmethod
    def with_faults(self, failed: Flags) -> FaultyRouter:
        """Return a router that knows which flows are disconnected under any plan."""

    @property
    def gbs(self) -> Volumes:
        """Return the bandwidth of every link for plans made on request."""
        return self.network.gbs

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link, planned for these flows."""
        blocks = list(flows)
        return self.planned(blocks, self.gbs, progress).loads(blocks)

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, planned for it alone."""
        flows = NodeFlows(np.array([u], np.int32), np.array([v], np.int32), np.ones(1))
        return self.planned([flows], self.gbs).route(u, v)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`, planned for these flows with one unit each."""
        return self.planned([NodeFlows(src, dst, np.ones(src.size))], self.gbs).crossing(link, src, dst)


class FaultyPlanningRouter(PlanningRouter, FaultyRouter):
    """A planning scheme on the remaining network; which flows are disconnected does not depend on the plan."""

    base: PlanningRouter

    def __init__(self, base: PlanningRouter, failed: Flags) -> None:
        FaultyRouter.__init__(self, base, failed)

    @cached_property
    def _left(self) -> FaultyRouter:
        return self.base.with_faults(self.failed)

    @property
    def gbs(self) -> NDArray[np.float64]:
        """Return the bandwidth of every link, 0 for failed ones."""
        return np.where(self.failed, 0.0, self.network.gbs)

    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> Router:
        """Return the router planned on the remaining links."""
        return self.base.planned(flows, gbs, progress)

    def with_faults(self, failed: Flags) -> FaultyRouter:
        """Return the scheme's own faulty router."""
        return self.base.with_faults(failed)

    def disconnected(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow has no path left."""
        return self._left.disconnected(src, dst)

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return `DISCONNECTED` for flows without a path; all others are planned on the remaining network."""
        return np.where(self.disconnected(src, dst), DISCONNECTED, INTACT).astype(np.int8)
