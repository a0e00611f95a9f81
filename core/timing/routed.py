"""The single messages of a job, each with the links that it crosses; for timings without a barrier."""

from typing import NamedTuple

import numpy as np

from core.job.job import FlowBlock
from core.job.order import MessageOrder
from core.load.scenario import Case
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.router import Router
from core.spec import Progress, SpecError, TooLarge, subprogress
from core.timing.barrier import BarrierTiming
from core.timing.paths import Paths, paths_of
from core.timing.replay import Messages
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

MAX_MESSAGES = 1 << 21
"""Messages of all steps together."""
MAX_CELLS = 1 << 24
"""Limit on steps times tasks: a begin time is stored for each (128 MB)."""
COUNTED, FOUND = 0.2, 0.4
"""Fractions of the progress when steps are counted, and when paths are found."""


class RoutedMessages(NamedTuple):
    """Messages, and the paths of their pairs of nodes."""

    messages: Messages
    paths: Paths
    capacity: Volumes
    """(links,) bandwidth: of the network's links, then the limits on each node's sending, then on its receiving."""
    src: Nodes
    """(pairs,) source node."""
    dst: Nodes
    """(pairs,) destination node."""


def routed_messages(timing: TimingSpec, case: Case, progress: Progress) -> tuple[Timeline, RoutedMessages]:
    """Return the timeline under a barrier, and the messages with their paths.

    Raises TooLarge: if there are too many messages or path links. Raises SpecError: if nodes are aggregated. Raises
    Cancelled: when `progress` does.
    """
    _check(case, timing.tag())
    blocks, routers = _messages_of(case, timing.tag()), list[Router]()
    barrier = BarrierTiming(hop_seconds=timing.hop_seconds, injection_gbs=timing.injection_gbs)
    counted = barrier.timeline(case, subprogress(progress, 0, COUNTED), routers)
    return counted, _routed(timing, case, blocks, routers, subprogress(progress, COUNTED, FOUND))


def _messages_of(case: Case, timing: str) -> list[FlowBlock]:
    # The flows of each step between different tasks.
    flows, total = [], 0
    for _, phase, times in case.job.runs:
        blocks = []
        for _, block in phase.blocks():
            block = block.at(block.src != block.dst)
            total += times * block.src.size
            if total > MAX_MESSAGES:
                raise TooLarge(
                    "timing.type",
                    f"{timing} simulates every message, at most {MAX_MESSAGES:,}, and this job has more; choose a "
                    "smaller job, or barrier",
                )
            blocks.append(block)
        flows.append(FlowBlock.joined(blocks))
    return [flows[run] for run in case.job.run_of]


def _check(case: Case, timing: str) -> None:
    if case.network.aggregation > 1:
        raise SpecError(
            "timing.type", f"{timing} simulates single messages, but each node here represents several; choose barrier"
        )
    cells = (len(case.job.phases) + 1) * case.job.tasks
    if cells > MAX_CELLS:
        raise TooLarge(
            "timing.type",
            f"{timing} stores when each task begins each step, {cells:,} times; at most {MAX_CELLS:,} fit; choose "
            "fewer tasks, or barrier",
        )


def _routed(
    timing: TimingSpec, case: Case, blocks: list[FlowBlock], routers: list[Router], progress: Progress
) -> RoutedMessages:
    # A planning router gives the same two nodes different paths in each phase, so pairs are kept apart by phase.
    step = np.repeat(np.arange(len(blocks)), [block.src.size for block in blocks])
    src, dst, volume = FlowBlock.joined(blocks)
    nodes, node = case.network.nodes, case.mapping.nodes.astype(np.int64)
    plan = np.array(case.job.run_of, np.int64)[step] if case.router.plans else np.zeros_like(step)
    keys, pair = np.unique((plan * nodes + node[src]) * nodes + node[dst], return_inverse=True)
    plans, between = np.divmod(keys, nodes * nodes)
    u, v = (ends.astype(np.int32) for ends in np.divmod(between, nodes))
    parts, waits = [], []
    for number, first, last in _runs(plans):
        some = subprogress(progress, first, last, max(keys.size, 1))
        router = routers[number]
        parts.append(paths_of(router, u[first:last], v[first:last], timing.tag(), some))
        hops = np.where(u[first:last] == v[first:last], 0.0, router.hops(u[first:last], v[first:last]))
        waits.append(timing.hop_seconds * (hops + 1))
    wait = np.concatenate([np.zeros(0), *waits])[pair]
    order = case.job.order or _by_rank(case, step, src, dst)
    in_order = _messages(order, len(blocks), step, pair, volume, wait)
    paths, capacity = _joined(parts), case.gbs
    if timing.injection_gbs is not None:
        paths = _injecting(paths, case.network.links, nodes, u, v)
        capacity = np.append(capacity, np.full(2 * nodes, timing.injection_gbs))
    return RoutedMessages(in_order, paths, capacity, u, v)


def _by_rank(case: Case, step: FixedPoint, src: Nodes, dst: Nodes) -> MessageOrder:
    # Ranks that begin a step when they have sent, and received, their messages of the previous step.
    each = len(case.job.phases) + 1
    start = np.arange(case.job.tasks + 1, dtype=np.int32) * each
    return MessageOrder(start, start[src] + step, start[dst] + step + 1, np.zeros((0, 2), np.int32))


def _messages(
    order: MessageOrder, steps: int, step: FixedPoint, pair: FixedPoint, volume: Volumes, wait: Volumes
) -> Messages:
    # Messages and signals, sorted by the operations that send them.
    signals = len(order.signals)
    sender, awaiting = (
        np.concatenate([own, others]).astype(np.int32)
        for own, others in zip((order.sender, order.awaiting), order.signals.T, strict=True)
    )
    by_sender, thread = np.argsort(sender, kind="stable"), order.threads(sender)
    first = np.append(0, np.cumsum(np.bincount(thread, minlength=order.start.size - 1)))
    none, no_node = np.zeros(signals), np.zeros(signals, np.int32)
    return Messages(
        np.append(step, np.full(signals, steps)).astype(np.int32)[by_sender],
        thread[by_sender],
        order.threads(awaiting)[by_sender],
        sender[by_sender],
        awaiting[by_sender],
        np.append(pair, no_node).astype(np.int32)[by_sender],
        np.append(volume, none)[by_sender],
        np.append(wait, none)[by_sender],
        first.astype(np.int64),
        order.start,
    )


def _injecting(paths: Paths, links: int, nodes: int, u: Nodes, v: Nodes) -> Paths:
    # Add two more links to each pair with links: the limits of its source and of its destination.
    moving = np.flatnonzero(np.diff(paths.start))
    at = np.repeat(paths.start[moving + 1], 2)
    more = np.stack([links + u[moving], links + nodes + v[moving]], axis=1).ravel()
    counts = np.diff(paths.start)
    counts[moving] += 2
    return Paths(
        np.append(0, np.cumsum(counts)),
        np.insert(paths.links, at, more).astype(np.int32),
        np.insert(paths.shares, at, 1.0),
    )


def _runs(plans: FixedPoint) -> list[tuple[int, int, int]]:
    # Ranges of pairs that have the same plan.
    first = np.flatnonzero(np.diff(plans, prepend=-1))
    last = np.append(first, plans.size)[1:]
    return list(zip(plans[first].tolist(), first.tolist(), last.tolist(), strict=True))


def _joined(parts: list[Paths]) -> Paths:
    counts = [np.diff(paths.start) for paths in parts]
    return Paths(
        np.cumsum(np.concatenate([np.zeros(1, np.int64), *counts])),
        np.concatenate([np.zeros(0, np.int32), *(paths.links for paths in parts)]),
        np.concatenate([np.zeros(0), *(paths.shares for paths in parts)]),
    )
