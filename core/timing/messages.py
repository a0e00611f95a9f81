"""Counts the messages of a phase: their number, the links they cross, and how often two meet on one."""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from core.job.job import Phase, UniformPhase
from core.load.evaluate import LoadReport
from core.load.phases import Loads
from core.load.scenario import Case
from core.routing.flows import NodeFlows, Volumes
from core.routing.router import Router
from core.spec import Progress, no_progress

MAX_PARTS = 1 << 32
"""Path links of all messages, over all parts, up to which meeting pairs are counted: about ten seconds."""


class MessageCount(NamedTuple):
    """Counts of a phase's messages."""

    messages: int
    """Messages between different tasks."""
    hops: float
    """Links that the messages cross, summed."""
    max_hops: float
    injected: float
    """The largest volume that any node sends, or receives."""
    size: float
    """Volume of each message; 0 if they differ."""
    squares: float | None
    """Sum over messages of `Router.squares`; None if it takes too long."""

    @classmethod
    def of(cls, case: Case, phase: Phase, router: Router, progress: Progress = no_progress) -> "MessageCount":
        """Count in one pass over the flows. Disconnected messages count, but cross nothing.

        Raises Cancelled: when `progress` does.
        """
        hops, max_hops, squares, sizes = 0.0, 0.0, 0.0, _Sizes()
        sent, received = np.zeros(case.network.nodes), np.zeros(case.network.nodes)
        representative = case.of_one(phase)
        counted = _can_be_squared(case, phase, router)
        for flows, messages in _away(case, phase, progress):
            crossed = router.hops(flows.src, flows.dst)
            hops += float(crossed @ messages)
            max_hops = max(max_hops, float(crossed.max(initial=0.0)))
            carried = np.where(crossed > 0, flows.volume, 0.0)
            sent += np.bincount(flows.src, carried, sent.size)
            received += np.bincount(flows.dst, carried, sent.size)
            sizes.note(flows.volume, messages)
            if counted and representative is None:
                squares += float(router.squares(flows.src, flows.dst) @ messages)
        if counted and representative is not None and isinstance(phase, UniformPhase):
            # All nodes send equal volumes.
            each = router.squares(representative.src, representative.dst) @ np.rint(
                representative.volume / phase.message_volume
            )
            squares = case.network.nodes * float(each)
        injected = max(float(sent.max(initial=0.0)), float(received.max(initial=0.0)))
        return cls(phase.messages(), hops, max_hops, injected, sizes.common, squares if counted else None)

    def contention(self, case: Case, phase: Phase, router: Router, loads: Loads) -> float | None:
        """Return the number of pairs of messages that meet on a link, summed over links, or None if it takes too long.

        Messages split over paths count by the product of their shares of the link.
        """
        if self.squares is None:
            return None
        if self.size:
            on_links = loads / self.size
        else:
            counted = (NodeFlows(flows.src, flows.dst, messages) for flows, messages in _away(case, phase))
            on_links = router.loads(counted)
        on_links = np.rint(on_links) if self.unsplit else on_links
        # Not a dot product: numpy would spend milliseconds on distributing it to threads.
        return self.pairs(float(np.square(on_links).sum()))

    @property
    def unsplit(self) -> bool:
        """Return whether no message is split over paths."""
        return self.squares == self.hops

    def pairs(self, squared: float) -> float | None:
        """Return the contention, given the sum over links of the squared numbers of messages."""
        return None if self.squares is None else max(squared - self.squares, 0.0) / 2


def _can_be_squared(case: Case, phase: Phase, router: Router) -> bool:
    # If all nodes send equal volumes, only the flows of the first node are counted.
    nodes = case.network.nodes
    flows = nodes if case.of_one(phase) is not None else min(phase.tasks * phase.fan_out, nodes**2)
    return router.traceable and router.updates(flows) * len(case.job.runs) <= MAX_PARTS


def message_count(case: Case) -> int:
    """Return the number of messages of all phases."""
    return sum(run.times * run.phase.messages() for run in case.job.runs)


def total(report: LoadReport) -> tuple[int, float]:
    """Return the number of messages of all phases, and the links that they cross, summed."""
    hops = sum(times * _hops(report, first, phase) for first, phase, times in report.case.job.runs)
    return message_count(report.case), hops


def _hops(report: LoadReport, number: int, phase: Phase) -> float:
    case, sizes = report.case, _Sizes()
    for flows, messages in _away(case, phase):
        sizes.note(flows.volume, messages)
    if sizes.common and report.sent is not None:
        # The load in units of one message counts each message on every link that it crosses.
        sent = zip(report.sent[number].tolist(), case.network.classes, strict=True)
        return float(sum(carried * c.multiplicity for carried, c in sent)) / sizes.common
    router = report.router(number)
    return sum(float(router.hops(flows.src, flows.dst) @ messages) for flows, messages in _away(case, phase))


class _Sizes:
    # The smallest and the largest message.
    def __init__(self) -> None:
        self.least, self.most = inf, 0.0

    def note(self, volume: Volumes, messages: Volumes) -> None:
        if volume.size:
            each = volume / messages
            self.least, self.most = min(self.least, float(each.min())), max(self.most, float(each.max()))

    @property
    def common(self) -> float:
        return self.most if self.most <= self.least * (1 + 1e-12) else 0.0


def _away(case: Case, phase: Phase, progress: Progress = no_progress) -> Iterator[tuple[NodeFlows, Volumes]]:
    # Yield flows between different nodes with the number of messages of each; report progress after each block.
    for done, flows, messages in _messages(case, phase):
        away = flows.src != flows.dst
        yield NodeFlows(flows.src[away], flows.dst[away], flows.volume[away]), messages[away]
        progress(done)


def _messages(case: Case, phase: Phase) -> Iterator[tuple[float, NodeFlows, Volumes]]:
    # Yield flows between nodes with the number of messages of each, and the fraction done.
    node = case.mapping.nodes
    if not isinstance(phase, UniformPhase):
        for done, block in phase.blocks():
            yield done, NodeFlows(node[block.src], node[block.dst], block.volume), np.ones(block.src.size)
        return
    for done, block in case.added_up(phase):
        yield done, NodeFlows(*block), np.rint(block.volume / phase.message_volume)
