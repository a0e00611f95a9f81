"""Rounds of CLEX's algorithm A(t), simulated message by message: store and forward, one message per link and round.

A(l) is A(l - 1), a crossing of one link of level l, and A(l - 1). The first part brings each message to a random node
of its copy among those whose links of level l lead to the copy of its target; that node spreads its messages evenly
over its k links, with any extra messages on randomly drawn links. A message that is already in the right copy does the
same over a link back to that copy. So all messages make the same 2^(t - 1) calls of A(1), with crossings of links of
level 2, 3, 2, 4 ... between them, and each call brings them to a place of the clique that is either a coordinate of the
target or random.

A(1): in the first phase each node sends one message directly over each of its links, including one to itself. In each
later phase it hands copies of the remaining messages, as evenly as possible, to other places of the clique as relays;
each relay forwards one message to each place, drawn from those it received; the others wait for the next phase. A
message that arrives in phase p has taken 2 p - 1 rounds. With `asks`, relays are asked first and the message is sent
once; the call takes two rounds more.

Source: Lenzen and Wattenhofer, "CLEX: yet another supercomputer architecture?", 2016, sections II-D and III. The number
of copies is a parameter here: the schedule printed in the paper does not reproduce the figures of its tables.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, zip_longest
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.figure import Figure
from core.random_numbers import state_of
from core.routing.flows import FixedPoint, Nodes
from core.spec import Progress, no_progress, subprogress
from core.timing.clex_cliques import Call, Held, arrivals, clique_scratch, collect, play_cliques

AT_ONCE = 1 << 18
"""Approximate number of messages between two calls of progress: some milliseconds."""

Work = Callable[[Callable[[int, int], Any], FixedPoint, Progress], list[Any]]


class LevelRounds(msgspec.Struct, frozen=True):
    """Figures of all calls of A(l), without the calls of A(l - 1) inside them."""

    level: Annotated[int, Figure("Level", "", "level of the links, from 1")]
    max_rounds: Annotated[
        int, Figure("Most rounds", "", "largest number of rounds of a call, over all calls and copies")
    ]
    mean_rounds: Annotated[float, Figure("Mean rounds", "", "rounds of a message in all calls, averaged over messages")]
    max_mean_load: Annotated[float, Figure("Largest mean load", "", "largest number of messages per node of a copy")]
    mean_hops: Annotated[float, Figure("Mean hops", "", "links of the level crossed by a message on average")]


class ClexRounds(NamedTuple):
    """The rounds that A(t) takes to deliver messages."""

    rounds: int
    """Rounds until all messages have arrived. A call begins in a copy when the previous one has ended there."""
    arrived: int
    """Messages that have reached their targets."""
    levels: tuple[LevelRounds, ...]
    """Ascending, from level 1."""
    calls: tuple[int, ...] = ()
    """Number of calls of A(1), counted per clique, that took 0, 1, 2 ... rounds."""

    @classmethod
    def joined(cls, parts: "Sequence[ClexRounds]") -> "ClexRounds":
        """Return the figures of consecutive runs (at least one): maxima, and means over all messages."""
        if len(parts) == 1:
            return parts[0]
        arrived = sum(part.arrived for part in parts)

        def mean(figures: Iterable[float]) -> float:
            each = zip(figures, parts, strict=True)
            return sum(figure * part.arrived for figure, part in each) / max(arrived, 1)

        levels = [
            LevelRounds(
                some[0].level,
                max(level.max_rounds for level in some),
                mean(level.mean_rounds for level in some),
                max(level.max_mean_load for level in some),
                mean(level.mean_hops for level in some),
            )
            for some in zip(*(part.levels for part in parts), strict=True)
        ]
        calls = tuple(map(sum, zip_longest(*(part.calls for part in parts), fillvalue=0)))
        return cls(sum(part.rounds for part in parts), arrived, tuple(levels), calls)


class LinkCrossings(NamedTuple):
    """The links that messages cross in each round, sorted by round."""

    start: FixedPoint
    """(rounds + 1,) start of the entries of each round."""
    level: NDArray[np.int8]
    """(hops,) level of the link."""
    link: Nodes
    """(hops,) number of the link within its level."""


class Algorithm(NamedTuple):
    """A CLEX network and the parameters for simulating A(t) on it."""

    k: int
    levels: int
    copies: int = 2
    asks: bool = True
    fat: bool = False
    seed: int = 0

    def calls(self) -> Iterator[Call]:
        """Yield the calls of A(1) in order."""
        # Half of the state: kernels take signed integers.
        seed, count = int(state_of(self.seed)[0]) >> 1, 1 << (self.levels - 1)
        for number in range(count):
            # This call of A(1) is the first or the last inside a call of A(own); `turn` is the number of that call.
            own = _zeros(number) + 1 if number else self.levels
            turn = number >> (own - 1)
            ends = turn == (1 << (self.levels - own)) - 1
            divisor = self.k ** (own - 1) if ends else 0
            level = _zeros(number + 1) + 2 if number + 1 < count else 0
            yield Call(number, divisor, level, self.k, self.fat, self.copies, self.asks, seed)


def _zeros(number: int) -> int:
    # The exponent of 2 in a number above 0.
    return (number & -number).bit_length() - 1


def by_clique(algorithm: Algorithm, source: Nodes, target: Nodes) -> Held:
    """Return messages between nodes, both ``(messages,)``, grouped by clique; `target` may be overwritten."""
    k, cliques = algorithm.k, algorithm.k ** (algorithm.levels - 1)
    clique = source // np.int32(k)
    place, target = (source % np.int32(k)).astype(np.uint16), target.astype(np.int32, copy=False)
    if np.any(clique[1:] < clique[:-1]):
        order = np.argsort(clique, kind="stable")
        place, target = place[order], target[order]
    return Held(_starts(np.bincount(clique, minlength=cliques)), place, target)


def rounds_of(
    algorithm: Algorithm, messages: Held, progress: Progress = no_progress, hops: "Recorder | None" = None
) -> ClexRounds:
    """Return the rounds that A(t) takes for some messages, whose arrays are overwritten; `hops` records link crossings.

    Raises Cancelled: when `progress` does.
    """
    k, levels = algorithm.k, algorithm.levels
    counted = _Counts(algorithm, messages.target.size)
    clock = np.zeros(k ** (levels - 1), np.int64)
    other = Held(messages.start, np.empty_like(messages.place), np.empty_like(messages.target))
    ends = np.zeros(k**levels, np.int64)
    with _threads() as work:
        for call in algorithm.calls():
            counted.see_loads(call.number, messages.start)
            done = subprogress(progress, call.number, call.number + 1, 1 << (levels - 1))
            took = np.zeros((2, clock.size), np.int32)
            other = other._replace(start=messages.start)
            some = subprogress(done, 0, 0.8)
            sums = _play_all(work, call, messages, other, ends, took, some, hops)
            counted.add(call, took, sums)
            if hops is not None:
                hops.add(call, clock, clock + took[0])
            clock += took[0]
            if call.level:
                messages, other = _cross(work, call, other, messages, ends, subprogress(done, 0.8, 1.0))
                copies = clock.reshape(-1, k ** (call.level - 1))
                spent = copies.max(axis=1) + took[1].reshape(copies.shape).max(axis=1)
                clock = np.repeat(spent, copies.shape[1])
    progress(1.0)
    return ClexRounds(int(clock.max()), counted.arrived, counted.levels(), tuple(counted.calls.tolist()))


def _play_all(
    work: Work,
    call: Call,
    messages: Held,
    after: Held,
    ends: FixedPoint,
    took: Nodes,
    progress: Progress,
    hops: "Recorder | None",
) -> list[int]:
    most, flat = int(np.diff(messages.start).max()), took.reshape(-1)

    def some(first: int, last: int) -> tuple[int, int, int, int]:
        room = clique_scratch(
            call.k, most, 0 if hops is None else 4 * int(messages.start[last] - messages.start[first])
        )
        sums: tuple[int, int, int, int] = play_cliques(first, last, call, messages, after, ends, flat, room)
        recorded = int(room.recorded[0])
        if hops is not None:
            if recorded > len(room.hops):  # repeat with more room, and the same draws
                room = clique_scratch(call.k, most, recorded)
                play_cliques(first, last, call, messages, after, ends, flat, room)
            hops.took.append(room.hops[:recorded])
        return sums

    return [sum(each) for each in zip(*work(some, messages.start, progress), strict=True)]


def _cross(work: Work, call: Call, sent: Held, empty: Held, ends: FixedPoint, progress: Progress) -> tuple[Held, Held]:
    # Return the messages by clique after the crossing, and the arrays that are free then.
    arriving = np.zeros(sent.start.size - 1, np.int64)
    arrivals(call, sent.start, ends, arriving)
    full = empty._replace(start=_starts(arriving))
    work(lambda first, last: collect(first, last, call, sent, ends, full), full.start, progress)
    return full, sent


def _starts(counts: NDArray[np.int64]) -> FixedPoint:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


@contextmanager
def _threads() -> Iterator[Work]:
    # Yields a function that applies work to all cliques, in ranges, on as many threads as there are cores available.
    from concurrent.futures import ThreadPoolExecutor

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = ThreadPoolExecutor(cores, thread_name_prefix="rounds")

    def work(some: Callable[[int, int], Any], start: FixedPoint, progress: Progress) -> list[Any]:
        every = np.arange(0, int(start[-1]) + AT_ONCE, AT_ONCE)
        cuts = np.unique(np.append(0, np.append(np.searchsorted(start[:-1], every[1:]), start.size - 1)))
        if cuts.size == 2:
            return [some(int(cuts[0]), int(cuts[1]))]
        waiting = [pool.submit(some, int(a), int(b)) for a, b in pairwise(cuts)]
        results = []
        for number, future in enumerate(waiting, 1):
            results.append(future.result())
            progress(number / len(waiting))
        return results

    try:
        yield work
    finally:
        pool.shutdown(cancel_futures=True)


class Recorder:
    """Records which links messages cross in which round."""

    def __init__(self, algorithm: Algorithm) -> None:
        self._algorithm = algorithm
        self.took: list[Nodes] = []
        """The hops that kernels have recorded in the current call."""
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int8], Nodes]] = []

    def add(self, call: Call, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """Record a call that begins and ends in each clique after these rounds, both of shape ``(cliques,)``."""
        k, fat = self._algorithm.k, self._algorithm.fat
        rows, self.took = np.concatenate(self.took), []
        crosses, number, link = rows[:, 0] == 1, rows[:, 1], rows[:, 2]
        if call.level:
            copies = ends.reshape(-1, k ** (call.level - 1))
            ends = np.repeat(copies.max(axis=1), copies.shape[1])
        nodes = np.where(crosses, link // (1 if fat else k), link // max(k - 1, 1))
        clique = nodes // k
        level = np.where(crosses, call.level, 1).astype(np.int8)
        self._parts.append((np.where(crosses, ends[clique], begins[clique]) + number - 1, level, link))

    def hops(self, rounds: int) -> LinkCrossings:
        """Return the recorded crossings of `rounds` rounds."""
        number, level, link = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        order = np.argsort(number, kind="stable")
        return LinkCrossings(_starts(np.bincount(number, minlength=rounds)), level[order], link[order])


class _Counts:
    # Accumulates the figures of the calls.
    def __init__(self, algorithm: Algorithm, messages: int) -> None:
        self._k, self._levels, self._messages = algorithm.k, algorithm.levels, max(messages, 1)
        self._most = np.zeros(algorithm.levels + 1, np.int64)
        self._rounds, self._load = np.zeros_like(self._most), np.zeros(algorithm.levels + 1)
        self._hops = np.zeros_like(self._most)
        self.calls = np.zeros(0, np.int64)
        self.arrived = 0

    def see_loads(self, number: int, start: FixedPoint) -> None:
        # Record the loads of the copies in which a call of A(l) begins with this call of A(1).
        for level in range(1, self._levels + 1):
            if number % (1 << (level - 1)) == 0:
                holds = np.diff(start[:: self._k ** (level - 1)]).max() / self._k**level
                self._load[level] = max(self._load[level], holds)

    def add(self, call: Call, took: Nodes, sums: list[int]) -> None:
        rounds, hops, crossing, arrived = sums
        self._note(1, int(took[0].max()), rounds, hops)
        if call.level:
            self._note(call.level, int(took[1].max()), crossing, self._messages)
        self.arrived = arrived
        calls = np.bincount(took[0], minlength=self.calls.size)
        calls[: self.calls.size] += self.calls
        self.calls = calls

    def _note(self, level: int, most: int, rounds: int, hops: int) -> None:
        self._most[level] = max(self._most[level], most)
        self._rounds[level] += rounds
        self._hops[level] += hops

    def levels(self) -> tuple[LevelRounds, ...]:
        means = [(sums / self._messages).tolist() for sums in (self._rounds, self._hops)]
        each = zip(self._most.tolist(), means[0], self._load.tolist(), means[1], strict=True)
        return tuple(LevelRounds(level, *figures) for level, figures in enumerate(each) if level)
