"""Event simulation of a job's messages: events are ranks becoming ready to send, and messages having been sent.

Every rank goes through the steps in order. It sends all messages of a step as soon as it begins it, and begins the next
when these are sent and its own messages of the step have arrived. Messages between the same two nodes have the same
path, hence the same rate; for each such pair, `served` is the volume sent of each message since the pair was last idle,
so that one number per pair advances all its messages.
"""

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.timing.max_min import ROUNDING, STALE, Sharing, add_pair, changed, remove_pair, rise, share_fairly, sink
from core.timing.paths import Paths

SENT = 1e-9
"""A message is sent once at most this fraction of it remains, so that messages ending together are one event."""
NONE = -1


class Messages(NamedTuple):
    """All messages of a job, sorted by sending rank, then step."""

    step: Nodes
    src: Nodes
    """Rank that sends it."""
    dst: Nodes
    """Rank that receives it."""
    pair: Nodes
    """Index of its pair of nodes in the paths."""
    volume: Volumes
    wait: Volumes
    """Seconds between the end of sending and arrival."""
    first: FixedPoint
    """(ranks + 1,) start of the messages of each rank."""


class RankStates(NamedTuple):
    """The state of each rank."""

    step: Nodes
    """(ranks,) the step it is in."""
    sent: FixedPoint
    """(ranks,) index of the next message it will send."""
    due: Volumes
    """(ranks,) time when it begins to send, for ranks in the heap."""
    heap: Nodes
    """Ranks that wait only for `due`, as a binary heap, earliest first."""
    pending: Nodes
    """(steps, ranks) number of events that a rank still waits for in a step: sends, arrivals, and its own begin."""
    times: Volumes
    """(steps + 1, ranks) time when it begins each step, and ends the last."""


class PairStates(NamedTuple):
    """The state of each pair of nodes."""

    many: Nodes
    """(pairs,) number of messages being sent."""
    served: Volumes
    """(pairs,) volume sent of each present message since the pair was idle."""
    least: Volumes
    """(pairs,) the lowest `target` of its messages."""
    head: FixedPoint
    """(pairs,) first message of a linked list; `follower` has the next."""
    follower: FixedPoint
    """(messages,)"""
    target: Volumes
    """(messages,) value of `served` at which each message is sent."""
    busy: Nodes
    """(pairs,) list of the pairs that are sending, in any order."""


class Clock(NamedTuple):
    """Current time, and when steps begin and end."""

    now: Volumes
    """(1,)"""
    pause: Volumes
    """(steps,) time a rank waits in each step before it sends."""
    begin: Volumes
    """(steps,) time when the first rank that sends begins it."""
    end: Volumes
    """(steps,) time when the last message has arrived."""
    counts: FixedPoint
    """(3,) numbers of ranks in the heap, of busy pairs, and of messages sent."""


WAITING, BUSY, DONE = range(3)


class Play(NamedTuple):
    """State of the simulation."""

    messages: Messages
    ranks: RankStates
    pairs: PairStates
    clock: Clock
    paths: Paths
    sharing: Sharing

    @classmethod
    def of(cls, messages: Messages, paths: Paths, capacity: Volumes, pause: Volumes) -> "Play":
        """Return the initial state, in which every rank is about to begin the first step."""
        steps, ranks, pairs = pause.size, messages.first.size - 1, paths.start.size - 1
        pending = np.ones((steps, ranks), np.int32)
        np.add.at(pending, (messages.step, messages.src), 1)
        np.add.at(pending, (messages.step, messages.dst), 1)
        everyone, due = np.arange(ranks, dtype=np.int32), np.full(ranks, pause[0])
        at = RankStates(
            np.zeros(ranks, np.int32), messages.first[:-1].copy(), due, everyone, pending, np.zeros((steps + 1, ranks))
        )
        none, no_node = np.zeros(pairs), np.zeros(pairs, np.int32)
        nothing, size = np.full(pairs, NONE, np.int64), messages.step.size
        between = PairStates(
            no_node, none, none.copy(), nothing, np.full(size, NONE, np.int64), np.zeros(size), no_node + 0
        )
        clock = Clock(np.zeros(1), pause, np.full(steps, inf), np.zeros(steps), np.array([ranks, 0, 0], np.int64))
        return cls(messages, at, between, clock, paths, Sharing.of(paths, capacity))


@kernel
def simulate(play: Play, events: int) -> bool:
    """Simulate a number of events; return whether any are left."""
    ranks, pairs, clock, paths, sharing = play.ranks, play.pairs, play.clock, play.paths, play.sharing
    counts, now, due, heap = clock.counts, clock.now, ranks.due, ranks.heap
    busy, served, least, rate = pairs.busy, pairs.served, pairs.least, sharing.rates.rate
    for _ in range(events):
        _wake(play)
        if counts[BUSY] == 0 and counts[WAITING] == 0:
            return False
        if sharing.rates.tally[STALE]:
            share_fairly(busy, counts[BUSY], pairs.many, paths, sharing)
        wait = due[heap[0]] - now[0] if counts[WAITING] else inf
        sooner = inf
        for i in range(counts[BUSY]):
            sooner = min(sooner, (least[busy[i]] - served[busy[i]]) / rate[busy[i]])
        passed = max(min(wait, sooner), 0.0)
        now[0] = due[heap[0]] if wait <= sooner else now[0] + passed
        for i in range(counts[BUSY] - 1, -1, -1):
            p = busy[i]
            served[p] += rate[p] * passed
            if least[p] - served[p] <= SENT * least[p]:
                _leave(i, play)
    return True


@kernel
def _wake(play: Play) -> None:
    # Let all ranks that are due send their messages.
    messages, ranks, clock, start = play.messages, play.ranks, play.clock, play.paths.start
    counts, heap, due = clock.counts, ranks.heap, ranks.due
    until = clock.now[0] * (1 + ROUNDING)
    while counts[WAITING] and due[heap[0]] <= until:
        r = heap[0]
        counts[WAITING] -= 1
        if counts[WAITING]:
            sink(heap, counts[WAITING], due, 0, heap[counts[WAITING]])
        step, time = ranks.step[r], due[r]
        while ranks.sent[r] < messages.first[r + 1] and messages.step[ranks.sent[r]] == step:
            m = ranks.sent[r]
            ranks.sent[r] = m + 1
            clock.begin[step] = min(clock.begin[step], time - clock.pause[step])
            pair = messages.pair[m]
            if start[pair] == start[pair + 1] or messages.volume[m] == 0.0:
                _sent(m, time, messages, ranks, clock)
            else:
                _join(m, play)
        _count_off(step, r, time, ranks, clock)


@kernel
def _join(m: int, play: Play) -> None:
    # Start sending a message.
    pairs, counts, p = play.pairs, play.clock.counts, play.messages.pair[m]
    if pairs.many[p] == 0:
        pairs.served[p], pairs.least[p] = 0.0, inf
        pairs.busy[counts[BUSY]] = p
        counts[BUSY] += 1
        add_pair(p, play.paths, play.sharing.on)
    pairs.target[m] = pairs.served[p] + play.messages.volume[m]
    pairs.least[p] = min(pairs.least[p], pairs.target[m])
    pairs.follower[m], pairs.head[p] = pairs.head[p], m
    pairs.many[p] += 1
    changed(p, play.sharing.rates)


@kernel
def _leave(place: int, play: Play) -> None:
    # Remove the messages of a busy pair that have been sent.
    messages, pairs, counts = play.messages, play.pairs, play.clock.counts
    p = pairs.busy[place]
    m, before, least = pairs.head[p], NONE, inf
    while m != NONE:
        after = pairs.follower[m]
        left = pairs.target[m] - pairs.served[p]
        if left <= max(SENT * messages.volume[m], ROUNDING * pairs.target[m]):
            if before == NONE:
                pairs.head[p] = after
            else:
                pairs.follower[before] = after
            pairs.many[p] -= 1
            changed(p, play.sharing.rates)
            _sent(m, play.clock.now[0], messages, play.ranks, play.clock)
        else:
            least, before = min(least, pairs.target[m]), m
        m = after
    pairs.least[p] = least
    if pairs.many[p] == 0:
        counts[BUSY] -= 1
        pairs.busy[place] = pairs.busy[counts[BUSY]]
        remove_pair(p, play.paths, play.sharing.on)


@kernel
def _sent(m: int, time: float, messages: Messages, ranks: RankStates, clock: Clock) -> None:
    # A message has been sent and will arrive after its wait.
    step, there = messages.step[m], time + messages.wait[m]
    clock.end[step] = max(clock.end[step], there)
    clock.counts[DONE] += 1
    _count_off(step, messages.src[m], time, ranks, clock)
    _count_off(step, messages.dst[m], there, ranks, clock)


@kernel
def _count_off(step: int, r: int, time: float, ranks: RankStates, clock: Clock) -> None:
    # Count off one event that a rank waits for in a step; after the last, schedule the rank's next step.
    ranks.times[step + 1, r] = max(ranks.times[step + 1, r], time)
    ranks.pending[step, r] -= 1
    if ranks.pending[step, r] or step + 1 == clock.pause.size:
        return
    ranks.step[r] = step + 1
    ranks.due[r] = ranks.times[step + 1, r] + clock.pause[step + 1]
    rise(ranks.heap, ranks.due, clock.counts[WAITING], r)
    clock.counts[WAITING] += 1


def played(play: Play) -> NDArray[np.float64]:
    """Return when each step begins and ends, shape ``(2, steps)``.

    A step begins when the first rank that sends begins it, and ends when the last message has arrived; a step without
    messages, when the first rank begins it and the last ends it.
    """
    times, silent = play.ranks.times, np.isinf(play.clock.begin)
    begin = np.where(silent, times[:-1].min(axis=1), play.clock.begin)
    return np.stack([begin, np.where(silent, times[1:].max(axis=1), play.clock.end)])
