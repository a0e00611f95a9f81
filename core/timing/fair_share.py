"""Fair share: no barrier; a rank goes on when its own messages are sent and received, and flows share links fairly.

A rank begins a step, pauses if the step says so, and sends all its messages of the step at once, whether or not the
receivers are there yet. It begins the next when these are sent and those of the step that are for it have arrived.
While messages are being sent their rates are max-min fair (Bertsekas and Gallager, "Data Networks", 1992, section
6.5.2): all rates rise alike until a link is full, then those of all others. A message whose routing has several paths
has one rate, of which each link carries its share. The limit on what a node sends or receives is one more link each.

The last of a message arrives (h + 1) latencies after it has been sent, if it crosses h links (as under a barrier;
on average, where it has several paths). So where all ranks send one message of the same volume in each phase, over
links equally loaded and equally many, times are those of `BarrierTiming`. Between tasks of one node there is that one
latency and nothing else, from a task to itself nothing at all; what failed links cut takes no part, but counts as sent.
"""

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock
from core.load.scenario import Case
from core.routing.flows import Volumes
from core.routing.router import Router
from core.spec import Progress, SpecError, TooLarge, declare, no_progress, subprogress
from core.timing.barrier import BarrierTiming
from core.timing.paths import Paths, paths_of
from core.timing.replay import DONE, Messages, Play, advance, played
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

MAX_MESSAGES = 1 << 21
"""Of all steps together."""
MAX_CELLS = 1 << 24
"""Steps x tasks: when each rank begins each step is kept (128 MB)."""
WORK = 1 << 22
"""Links of paths looked at between two calls of progress, about: some ten milliseconds."""
COUNTED, FOUND = 0.2, 0.4
"""Fractions of the work after which steps are counted, and paths found."""


class FairShare(TimingSpec, frozen=True, tag="fair-share"):
    """Fair share: a rank goes on when its own messages are sent and received; flows share links max-min fairly."""

    title: ClassVar[str] = "Fair share"

    hop_seconds: Annotated[
        float, declare("Latency", "of a hop; a message over h links waits h + 1 times", unit="s", ge=0, le=1e3)
    ] = 0.0

    def summary(self) -> str:
        """Return what counts."""
        return "each rank waits for its own messages, which share links fairly"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs: from when its first message may start to when its last has arrived.

        Raises TooLarge: if there are more messages than can be followed. Raises SpecError: where a node stands for
        many. Raises Cancelled: when `progress` does.
        """
        self._check(case)
        blocks = _messages_of(case)
        alone = BarrierTiming(hop_seconds=self.hop_seconds, injection_gbs=self.injection_gbs)
        counted = alone.timeline(case, subprogress(progress, 0, COUNTED))
        messages, paths = self._routed(case, blocks, subprogress(progress, COUNTED, FOUND))
        paths, capacity = _in_use(paths, self._capacity(case))
        play = Play.of(messages, paths, capacity, np.array([phase.pause_seconds for phase in case.job.phases]))
        events = max(WORK // max(paths.links.size, 1), 1)
        whole = max(messages.step.size, 1)
        while advance(play, events):
            progress(FOUND + (1 - FOUND) * int(play.clock.counts[DONE]) / whole)
        progress(1.0)
        begin, end = played(play).tolist()
        steps = [
            step._replace(start=first, seconds=last - first)
            for step, first, last in zip(counted.steps, begin, end, strict=True)
        ]
        return replace(counted, steps=steps, rank_times=play.ranks.times)

    def _check(self, case: Case) -> None:
        if case.network.aggregation > 1:
            raise SpecError(
                "timing.type", "fair-share follows single messages, and here a node stands for many: barrier"
            )
        cells = (len(case.job.phases) + 1) * case.job.tasks
        if cells > MAX_CELLS:
            raise TooLarge(
                "timing.type",
                f"fair-share keeps when each task begins each step, {cells:,} times; at most {MAX_CELLS:,}: choose "
                "fewer tasks, or barrier",
            )

    def _routed(self, case: Case, blocks: list[FlowBlock], progress: Progress) -> tuple[Messages, Paths]:
        # A plan gives the same two nodes other paths in each step; then they are another pair.
        step = np.repeat(np.arange(len(blocks)), [block.src.size for block in blocks])
        src, dst, volume = FlowBlock.joined(blocks)
        nodes, node = case.network.nodes, case.mapping.nodes.astype(np.int64)
        plan = step if case.router.plans else np.zeros_like(step)
        keys, pair = np.unique((plan * nodes + node[src]) * nodes + node[dst], return_inverse=True)
        plans, between = np.divmod(keys, nodes * nodes)
        u, v = (ends.astype(np.int32) for ends in np.divmod(between, nodes))
        found, waits = [], []
        for number, first, last in _runs(plans):
            some = subprogress(progress, first, last, max(keys.size, 1))
            router = _router(case, number)
            found.append(paths_of(router, u[first:last], v[first:last], some))
            hops = np.where(u[first:last] == v[first:last], 0.0, router.hops(u[first:last], v[first:last]))
            waits.append(self.hop_seconds * (hops + 1))
        wait = np.concatenate([np.zeros(0), *waits])[pair]
        order = np.lexsort((step, src))
        first_of = np.append(0, np.cumsum(np.bincount(src, minlength=case.job.tasks)))
        in_order = Messages(
            step[order].astype(np.int32),
            src[order],
            dst[order],
            pair[order].astype(np.int32),
            volume[order],
            wait[order],
            first_of.astype(np.int64),
        )
        return in_order, self._injecting(case, _joined(found), u, v)

    def _capacity(self, case: Case) -> Volumes:
        limit = np.full(2 * case.network.nodes, self.injection_gbs or 0.0)
        return np.concatenate([case.gbs, limit])

    def _injecting(self, case: Case, paths: Paths, u: NDArray[np.int32], v: NDArray[np.int32]) -> Paths:
        # Two more links for each pair that has any, all that its source sends and all that its destination receives.
        if self.injection_gbs is None:
            return paths
        links, nodes = case.network.links, case.network.nodes
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


def _messages_of(case: Case) -> list[FlowBlock]:
    # Of each step, what goes from a task to another.
    found, total = [], 0
    for _, phase, times in case.job.runs:
        blocks = []
        for _, block in phase.blocks():
            block = block.at(block.src != block.dst)
            total += times * block.src.size
            if total > MAX_MESSAGES:
                raise TooLarge(
                    "timing.type",
                    f"fair-share follows every message, at most {MAX_MESSAGES:,}; here are more: choose a smaller job, "
                    "or barrier",
                )
            blocks.append(block)
        found.append(FlowBlock.joined(blocks))
    return [found[run] for run in case.job.run_of]


def _router(case: Case, step: int) -> Router:
    router = case.router
    return router.planned(case.node_flows(case.job.phases[step]), case.gbs) if router.plans else router


def _runs(plans: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    # Each plan, with the first of its pairs and the one behind its last.
    first = np.flatnonzero(np.diff(plans, prepend=-1))
    last = np.append(first, plans.size)[1:]
    return list(zip(plans[first].tolist(), first.tolist(), last.tolist(), strict=True))


def _joined(found: list[Paths]) -> Paths:
    counts = [np.diff(paths.start) for paths in found]
    return Paths(
        np.cumsum(np.concatenate([np.zeros(1, np.int64), *counts])),
        np.concatenate([np.zeros(0, np.int32), *(paths.links for paths in found)]),
        np.concatenate([np.zeros(0), *(paths.shares for paths in found)]),
    )


def _in_use(paths: Paths, capacity: Volumes) -> tuple[Paths, Volumes]:
    # Only the links in use, numbered anew.
    used, links = np.unique(paths.links, return_inverse=True)
    return paths._replace(links=links.astype(np.int32)), capacity[used]
