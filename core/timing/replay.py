"""Event simulation of a job's messages: events are threads becoming ready to send, and messages having been sent.

Every thread performs its operations in order (`core.job.order`). It sends all messages of an operation as soon as it
begins it, and begins the next when these are sent and all messages that the next awaits have arrived. A thread is a
rank, and its operations are the steps, unless the job has its own order. Messages between the same two nodes have the
same path, hence the same rate; for each such pair, `served` is the volume sent of each message since the pair was last
idle, so that one number per pair advances all its messages.
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
    """All messages of a job, sorted by sending operation."""

    step: Nodes
    """Step of the job; for signals, the number of steps."""
    src: Nodes
    """Thread that sends it."""
    dst: Nodes
    """Thread that receives it."""
    sender: Nodes
    """Operation that sends it."""
    awaiting: Nodes
    """Operation that awaits it."""
    pair: Nodes
    """Index of its pair of nodes in the paths."""
    volume: Volumes
    wait: Volumes
    """Seconds between the end of sending and arrival."""
    first: FixedPoint
    """(threads + 1,) start of the messages of each thread."""
    start: Nodes
    """(threads + 1,) first operation of each thread; its last operation only marks its end."""


class ThreadStates(NamedTuple):
    """The state of each thread."""

    operation: Nodes
    """(threads,) the operation it is in."""
    sent: FixedPoint
    """(threads,) index of the next message it will send."""
    due: Volumes
    """(threads,) time when it begins to send, for threads in the heap."""
    heap: Nodes
    """Threads that wait only for `due`, as a binary heap, earliest first."""
    pending: Nodes
    """(operations,) number of events that each still waits for: arrivals, and the begin and sends of the previous."""
    times: Volumes
    """(operations,) time when each begins, before any pause."""


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
    """(operations of a thread,) time a thread waits in each operation before it sends."""
    begin: Volumes
    """(steps + 1,) time when the first thread that sends begins it; last for signals."""
    end: Volumes
    """(steps + 1,) time when the last message has arrived; last for signals."""
    counts: FixedPoint
    """(3,) numbers of threads in the heap, of busy pairs, and of messages sent."""


WAITING, BUSY, DONE = range(3)


class Play(NamedTuple):
    """State of the simulation."""

    messages: Messages
    threads: ThreadStates
    pairs: PairStates
    clock: Clock
    paths: Paths
    sharing: Sharing

    @classmethod
    def of(cls, messages: Messages, paths: Paths, capacity: Volumes, steps: int, pause: Volumes) -> "Play":
        """Return the initial state, in which every thread is about to begin its first operation."""
        threads, pairs, first = messages.first.size - 1, paths.start.size - 1, messages.start[:-1]
        pending = np.ones(messages.start[-1], np.int32)
        pending[first] = 0
        np.add.at(pending, messages.sender + 1, 1)
        np.add.at(pending, messages.awaiting, 1)
        everyone, due = np.arange(threads, dtype=np.int32), np.full(threads, pause[0])
        sent, times = messages.first[:-1].copy(), np.zeros(pending.size)
        at = ThreadStates(first.copy(), sent, due, everyone, pending, times)
        none, no_node = np.zeros(pairs), np.zeros(pairs, np.int32)
        nothing, size = np.full(pairs, NONE, np.int64), messages.step.size
        between = PairStates(
            no_node, none, none.copy(), nothing, np.full(size, NONE, np.int64), np.zeros(size), no_node + 0
        )
        counts = np.array([threads, 0, 0], np.int64)
        clock = Clock(np.zeros(1), pause, np.full(steps + 1, inf), np.zeros(steps + 1), counts)
        return cls(messages, at, between, clock, paths, Sharing.of(paths, capacity))


@kernel
def simulate(play: Play, events: int) -> bool:
    """Simulate a number of events; return whether any are left."""
    threads, pairs, clock, paths, sharing = play.threads, play.pairs, play.clock, play.paths, play.sharing
    counts, now, due, heap = clock.counts, clock.now, threads.due, threads.heap
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
    # Let all threads that are due send their messages.
    messages, threads, clock, start = play.messages, play.threads, play.clock, play.paths.start
    counts, heap, due = clock.counts, threads.heap, threads.due
    until = clock.now[0] * (1 + ROUNDING)
    while counts[WAITING] and due[heap[0]] <= until:
        t = heap[0]
        counts[WAITING] -= 1
        if counts[WAITING]:
            sink(heap, counts[WAITING], due, 0, heap[counts[WAITING]])
        operation, time = threads.operation[t], due[t]
        begin = time - clock.pause[operation - messages.start[t]]
        while threads.sent[t] < messages.first[t + 1] and messages.sender[threads.sent[t]] == operation:
            m = threads.sent[t]
            threads.sent[t] = m + 1
            clock.begin[messages.step[m]] = min(clock.begin[messages.step[m]], begin)
            pair = messages.pair[m]
            if messages.volume[m] == 0.0 or start[pair] == start[pair + 1]:
                _sent(m, time, messages, threads, clock)
            else:
                _join(m, play)
        _count_off(operation + 1, t, time, messages, threads, clock)


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
            _sent(m, play.clock.now[0], messages, play.threads, play.clock)
        else:
            least, before = min(least, pairs.target[m]), m
        m = after
    pairs.least[p] = least
    if pairs.many[p] == 0:
        counts[BUSY] -= 1
        pairs.busy[place] = pairs.busy[counts[BUSY]]
        remove_pair(p, play.paths, play.sharing.on)


@kernel
def _sent(m: int, time: float, messages: Messages, threads: ThreadStates, clock: Clock) -> None:
    # A message has been sent and will arrive after its wait.
    step, there = messages.step[m], time + messages.wait[m]
    clock.end[step] = max(clock.end[step], there)
    clock.counts[DONE] += 1
    _count_off(messages.sender[m] + 1, messages.src[m], time, messages, threads, clock)
    _count_off(messages.awaiting[m], messages.dst[m], there, messages, threads, clock)


@kernel
def _count_off(operation: int, t: int, time: float, messages: Messages, threads: ThreadStates, clock: Clock) -> None:
    # Count off one event that an operation of a thread waits for; after the last, schedule it.
    threads.times[operation] = max(threads.times[operation], time)
    threads.pending[operation] -= 1
    if threads.pending[operation] or operation + 1 == messages.start[t + 1]:
        return
    threads.operation[t] = operation
    threads.due[t] = threads.times[operation] + clock.pause[operation - messages.start[t]]
    rise(threads.heap, threads.due, clock.counts[WAITING], t)
    clock.counts[WAITING] += 1


def played(play: Play) -> NDArray[np.float64]:
    """Return when each step begins and ends, shape ``(2, steps)``.

    A step begins when the first thread that sends begins it, and ends when the last message has arrived; both are
    infinite and 0 for a step without messages.
    """
    return np.stack([play.clock.begin[:-1], play.clock.end[:-1]])


def rank_times(play: Play) -> NDArray[np.float64]:
    """Return when each rank begins each step, and ends the last, shape ``(steps + 1, ranks)``, if threads are ranks."""
    return np.ascontiguousarray(play.threads.times.reshape(-1, play.clock.begin.size).T)
