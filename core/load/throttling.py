"""Loads of jobs whose flows over slow links send less, while all other flows keep their pace.

Tasks of such jobs do not wait for each other while counters count. All flows over a slow link send the same fraction of
their volume, which the bandwidth of the link allows. A flow with several paths sends this fraction over each of them.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.job.job import MAX_FLOWS, UniformPhase
from core.load.evaluate import LoadReport
from core.load.phases import Loads
from core.load.scenario import Case
from core.routing.flows import NodeFlows

MAX_TRACED = 1 << 16
"""Maximum number of flows that are traced, times slow links; of larger jobs, only loads of slow links are lower."""


def throttled_loads(report: LoadReport, pace: float) -> Loads:
    """Return the load that every link carries if flows over slow links send only what these carry, ``(links,)``.

    Slow links are declared as faults of the scenario. `pace` is the bandwidth (GB/s) per unit of load.
    """
    case, load = report.case, report.total_load
    if case.faults is None or not case.faults.any_slowed or pace <= 0:
        return load
    slow = np.flatnonzero(case.faults.slowed & (pace * load > case.gbs))
    if not slow.size:
        return load
    constant = case.neighbours.constant if case.neighbours.constant.size else np.zeros(load.size)
    own = (load - constant)[slow]
    held = 1 - np.clip((case.gbs / pace - constant)[slow], 0.0, own) / np.where(own > 0, own, 1.0)
    cases = (case, *case.neighbours.cases)
    flows = sum(case.flows(phase) for case in cases for _, phase, _ in case.job.runs)
    if flows * slow.size > MAX_TRACED or case.router.plans:
        lost = np.zeros(load.size)
        lost[slow] = held * own
    else:
        lost = np.sum([case.router.loads(_held_back(case, slow, held)) for case in cases], axis=0)
    return np.maximum(load - lost, 0.0)


def _held_back(case: Case, slow: NDArray[np.intp], held: NDArray[np.float64]) -> Iterator[NodeFlows]:
    """Yield the flows over slow links with the volume that they do not send."""
    for flows, times in _flows(case):
        share = np.zeros(flows.src.size)
        for link, part in zip(slow.tolist(), held.tolist(), strict=True):
            crosses = case.router.crossing(link, flows.src, flows.dst).sum(axis=0) > 0
            share[crosses] = np.maximum(share[crosses], part)
        some = np.flatnonzero(share)
        yield NodeFlows(flows.src[some], flows.dst[some], times * flows.volume[some] * share[some])


def _flows(case: Case) -> Iterator[tuple[NodeFlows, int]]:
    """Yield the flows between nodes in each phase, with the number of times that it runs."""
    node = case.mapping.nodes
    for _, phase, times in case.job.runs:
        if isinstance(phase, UniformPhase) and phase.tasks * phase.fan_out > MAX_FLOWS:
            yield from ((NodeFlows(*block), times) for _, block in case.added_up(phase))
        else:
            for _, block in phase.blocks():
                yield NodeFlows(node[block.src], node[block.dst], block.volume), times
