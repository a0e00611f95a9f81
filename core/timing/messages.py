"""Counts the messages of a phase: how many, over how many links, and how often two meet on one."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.job.job import Phase
from core.load.evaluate import Loads
from core.load.scenario import Case
from core.routing.flows import NodeFlows, Volumes
from core.routing.router import Router


class MessageCount(NamedTuple):
    """The messages of a phase."""

    messages: int
    """From a task to another."""
    hops: float
    """Links crossed, added up."""
    max_hops: float
    injected: float
    """Volume that a node sends, or receives, at most."""
    size: float
    """The volume of each; 0: they are not alike."""

    @classmethod
    def of(cls, case: Case, phase: Phase, router: Router) -> "MessageCount":
        """Return the count, from one pass over the flows."""
        total, hops, max_hops, sizes = 0, 0.0, 0.0, set()
        sent, received = np.zeros(case.network.nodes), np.zeros(case.network.nodes)
        for flows, messages in _messages(case, phase):
            total += int(messages.sum())
            away = flows.src != flows.dst
            src, dst, volume = flows.src[away], flows.dst[away], flows.volume[away]
            crossed = router.hops(src, dst)
            hops += float(crossed @ messages[away])
            max_hops = max(max_hops, float(crossed.max(initial=0.0)))
            sent += np.bincount(src, volume, sent.size)
            received += np.bincount(dst, volume, sent.size)
            sizes.update(np.unique(volume / np.maximum(messages[away], 1)).tolist()[:2])
        injected = max(float(sent.max(initial=0.0)), float(received.max(initial=0.0)))
        return cls(total, hops, max_hops, injected, sizes.pop() if len(sizes) == 1 else 0.0)

    def contention(self, case: Case, phase: Phase, router: Router, loads: Loads) -> float:
        """Return how many pairs of messages meet on a link, over all links; parts of messages meet by their parts."""
        if self.size:
            on_links = loads / self.size
        else:
            counted = (NodeFlows(flows.src, flows.dst, messages) for flows, messages in _messages(case, phase))
            on_links = router.loads(counted)
        return float((np.maximum(on_links - 1, 0.0) * on_links).sum() / 2)


def _messages(case: Case, phase: Phase) -> Iterator[tuple[NodeFlows, Volumes]]:
    # The flows between nodes, and how many messages of a task to another each of them is.
    node = case.mapping.nodes
    if not phase.aggregates_by_node:
        for _, block in phase.blocks():
            yield NodeFlows(node[block.src], node[block.dst], block.volume), (block.src != block.dst).astype(float)
        return
    tasks_on = np.bincount(node, minlength=case.network.nodes)
    for _, block in case.added_up(phase):
        messages = np.rint(block.volume / phase.message_volume)
        own = block.src == block.dst
        messages[own] -= tasks_on[block.src[own]]
        yield NodeFlows(*block), messages
