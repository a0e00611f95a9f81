"""Links that several flows of one part of a job cross, such as a ring that leads twice over the same cable."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock
from core.load.evaluate import LoadReport
from core.load.routes.switch_links import switch_links
from core.routing.flows import NodeFlows
from core.spec import Progress, no_progress

EXACT = 1e-9
"""Rounding of shares."""


@dataclass(frozen=True, eq=False)
class PartCrossings:
    """The links between switches that the flows of a part cross more than once."""

    label: str
    """Label of the part: ``channel 3``."""
    links: NDArray[np.intp]
    """The most crossed link first."""
    times: NDArray[np.float64]
    """(links,) number of flows on each, where a flow on several paths counts on each by its share."""


def part_crossings(report: LoadReport, progress: Progress = no_progress) -> tuple[PartCrossings, ...]:
    """Return the crossings of the labelled parts of a job that have several flows, in the order of parts.

    Where no link joins two switches, as in a torus without switch vertices, all links count. Repeated phases count
    once.

    Raises Cancelled: when `progress` does.
    """
    case, crossings = report.case, list[PartCrossings]()
    runs = [run for run in case.job.runs if run.phase.parts is not None]
    counted = switch_links(case.router) if runs else np.zeros(0, np.bool_)
    for number, (first, phase, _) in enumerate(runs):
        assert phase.parts is not None
        flows, of_flow = FlowBlock.joined(block for _, block in phase.blocks()), phase.parts.of_flow
        order = np.argsort(of_flow, kind="stable")
        used, start = np.unique(of_flow[order], return_index=True)
        node = case.mapping.nodes
        for k, (part, which) in enumerate(zip(used.tolist(), np.split(order, start[1:]), strict=True)):
            if which.size == 1:
                continue
            once = NodeFlows(node[flows.src[which]], node[flows.dst[which]], np.ones(which.size))
            times = np.where(counted, report.router(first).loads([once]), 0.0)
            links = np.flatnonzero(times > 1 + EXACT)
            links = links[np.argsort(-np.round(times[links], 9), kind="stable")]
            crossings.append(PartCrossings(phase.parts.labels[part], links, times[links]))
            progress((number + (k + 1) / used.size) / len(runs))
    return tuple(crossings)
