"""The waits of a job's steps other than for links, for the objective seconds (`core.timing.barrier`)."""

import numpy as np
from numpy.typing import NDArray

from core.job.job import Phase
from core.load.fixed_point import FixedPointScale
from core.load.scenario import Case
from core.mapping.mapping import Mapping
from core.optimise.layers import crossing_flows
from core.optimise.tables import Waits
from core.routing import FaultyRouter
from core.routing.flows import FixedPoint, Nodes
from core.spec import SpecError
from core.timing import BarrierTiming, timing_of

MAX_NODES = 8192
"""Nodes with a table of all distances (256 MB)."""
AT_ONCE = 1 << 20
"""Pairs of nodes per request."""


def barrier_of(case: Case) -> BarrierTiming:
    """Return the timing for the objective seconds.

    Raises SpecError: if the scenario's timing does not allow single moves to be evaluated.
    """
    timing = timing_of(case)
    if not isinstance(timing, BarrierTiming):
        words = f"the objective seconds needs the timing barrier, not {timing.tag()}"
        raise SpecError("objective", f"{words}; search with barrier, then change it back")
    return timing


def no_waits() -> Waits:
    """Return empty waits: steps wait for links alone."""
    return Waits(0, 0.0, np.zeros((0, 0), np.int32), np.zeros((0, 0)), np.zeros((0, 0), np.int64))


def waits_of(case: Case, timing: BarrierTiming, time: float) -> Waits:
    """Return the waits of steps, relative to a time; the counts of flows are not computed yet.

    Raises SpecError: if there are too many nodes for a table of distances.
    """
    runs, latency = case.job.runs, timing.hop_seconds / time
    fixed = sum(run.times * run.phase.pause_seconds for run in runs) / time
    nodes = case.network.nodes if timing.injection_gbs is not None else 0
    if not latency:
        return no_waits()._replace(nodes=nodes, fixed=fixed)
    if case.network.nodes > MAX_NODES:
        raise SpecError("objective", f"the objective seconds with a latency supports at most {MAX_NODES:,} nodes")
    # A message over h links waits h + 1 latencies, so one latency applies whenever anything is sent.
    fixed += latency * sum(run.times * (run.phase.messages() > 0) for run in runs)
    level, hops = _levels(case)
    times = np.array([run.times for run in runs], float)
    return Waits(nodes, fixed, level, np.outer(times, hops * latency), np.zeros((len(runs), hops.size), np.int64))


def _levels(case: Case) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    # The distinct distances between nodes, ascending from 0, and the index of each pair's distance.
    nodes = case.network.nodes
    node, step = np.arange(nodes, dtype=np.int32), max(1, AT_ONCE // nodes)
    rows = [node[first : first + step] for first in range(0, nodes, step)]

    def hops(some: Nodes) -> NDArray[np.float64]:
        src, dst = np.repeat(some, nodes), np.tile(node, some.size)
        return np.where(src == dst, 0.0, case.router.hops(src, dst)).reshape(some.size, nodes)

    distances = np.unique(np.concatenate([[0.0], *(np.unique(hops(some)) for some in rows)]))
    return np.concatenate([np.searchsorted(distances, hops(some)).astype(np.int32) for some in rows]), distances


def injected(case: Case, phase: Phase, mapping: Mapping, scale: FixedPointScale) -> FixedPoint:
    """Return the volumes each node sends in a phase, then those it receives, in fixed point, ``(2 * nodes,)``.

    Disconnected volume is not sent.
    """
    flows, volumes = crossing_flows(phase), np.zeros(2 * case.network.nodes, np.int64)
    src, dst = mapping.nodes[flows.src], mapping.nodes[flows.dst]
    sent = np.where(src != dst, scale.of(flows.volume), 0)
    if isinstance(case.router, FaultyRouter):
        sent[case.router.disconnected(src, dst)] = 0
    np.add.at(volumes, src, sent)
    np.add.at(volumes, dst + case.network.nodes, sent)
    return volumes
