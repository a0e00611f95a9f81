"""Kernels that simulate one call of A(1) inside the cliques of a CLEX network, and the link crossing that follows it.

Messages are stored clique by clique. Random draws of a clique depend only on its number and on the call's, so that
threads may process the cliques in any order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.random_numbers import State, begin_stream, draw
from core.routing.flows import FixedPoint, Nodes

Places = NDArray[np.uint16]


class Held(NamedTuple):
    """Messages, grouped by the clique that holds them."""

    start: FixedPoint
    """(cliques + 1,) start of the messages of each clique."""
    place: Places
    """(messages,) their present node, as a number inside the clique."""
    target: Nodes
    """(messages,) their final destination node."""


class Call(NamedTuple):
    """One base-level call A(1) inside A(t), and the hop between cliques that follows it."""

    number: int
    divisor: int
    """The call brings a message to ``target // divisor % k`` of its clique, or to a random place if 0."""
    level: int
    """Level of the links crossed after the call; 0 for none."""
    k: int
    fat: bool
    copies: int
    """Copies of a message handed to relays in each phase but the first."""
    asks: bool
    """Whether relays are asked first, so that only one gets the message (two rounds more)."""
    seed: int


class CliqueScratch(NamedTuple):
    """Buffers for simulating one clique at a time."""

    goal: Nodes
    """(messages,) the place to go to; afterwards the key by which the clique's messages are sorted."""
    left: Nodes
    """(messages,) indices of the messages that have not arrived yet."""
    won: Nodes
    """(messages,) for each entry of `left`, the number of relays that forward it in this phase."""
    met: Nodes
    """(k * k,) the phase (`clock`) in which each link was last used."""
    asked: Nodes
    """(k * k,) the number of messages that ask for each link in this phase."""
    winner: Nodes
    """(k * k,) which entry of `left` gets the link."""
    links: Nodes
    """(k * k,) the links used in this phase."""
    row: Nodes
    """(k * k,) for each place a permutation of all places: the order in which it uses its links."""
    used: Nodes
    """(k,) number of links each place has used."""
    fresh: Nodes
    """(k,) the phase in which each place's row was last reset."""
    clock: Nodes
    """(1,) number of the current phase."""
    hops: Nodes
    """(hops, 3) recorded hops: 1 if over a link of the call's level, else 0; the round inside the call or inside the
    crossing; and the link's number within its level."""
    recorded: FixedPoint
    """(1,) number of hops to record, including hops that did not fit into `hops`."""
    state: State


def clique_scratch(k: int, most: int, hops: int = 0) -> CliqueScratch:
    """Return buffers for cliques of k nodes with at most `most` messages, and room to record `hops` hops."""
    goal, left, won = np.zeros((3, most), np.int32)
    met, asked, winner, links, row = np.zeros((5, k * k), np.int32)
    used, fresh = np.zeros((2, k), np.int32)
    clock, state = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    record, recorded = np.empty((hops, 3), np.int32), np.zeros(1, np.int64)
    return CliqueScratch(goal, left, won, met, asked, winner, links, row, used, fresh, clock, record, recorded, state)


@kernel
def play_cliques(
    first: int, last: int, call: Call, held: Held, after: Held, ends: FixedPoint, took: Nodes, room: CliqueScratch
) -> tuple[int, int, int, int]:
    """Move the messages of cliques `first` to `last` to their places, then sort them by the link they take next.

    They are written to `after`, still clique by clique, sorted by link (on level 2: by place); ``ends[clique * k +
    link]`` is the end of each link's messages. `took`, shape ``(2, cliques)``, receives the rounds inside each clique
    and over its links. Returns sums over messages: rounds, hops, rounds of the crossing, arrivals.
    """
    start, place, target = held
    rounds, hops, crossing, arrived = 0, 0, 0, 0
    k, cliques = call.k, held.start.size - 1
    for clique in range(first, last):
        low, high = start[clique], start[clique + 1]
        begin_stream(room.state, call.seed, call.number * cliques + clique)
        _aim(call.divisor, k, target[low:high], room.goal, room.state)
        phases, waited, crossed = _within(call, clique, place[low:high], room)
        rounds += waited
        hops += crossed
        took[clique] = 0
        if phases:
            took[clique] = 2 * phases - 1 + (2 if call.asks and phases > 1 else 0)
        if call.level:
            own = clique // k ** (call.level - 2) % k
            waited, most = _choose_links(call, clique, own, after.place[low:high], room, high - low)
            crossing += waited
            took[cliques + clique] = most
            _sort(call, low, ends[clique * k : clique * k + k], target[low:high], after, room)
        else:
            for i in range(low, high):
                arrived += target[i] == clique * k + room.goal[i - low]
    return rounds, hops, crossing, arrived


@kernel
def _aim(divisor: int, k: int, target: Nodes, goal: Nodes, state: State) -> None:
    # The place to which each message goes in this call.
    if divisor:
        for i in range(target.size):
            goal[i] = target[i] // divisor % k
    else:
        for i in range(target.size):
            goal[i] = draw(state, k)


@kernel
def _within(call: Call, clique: int, place: Places, room: CliqueScratch) -> tuple[int, int, int]:
    # Play A(1); return the number of phases, and the sums of rounds and of hops over all messages.
    k, goal, left, met, clock = call.k, room.goal, room.left, room.met, room.clock
    now = clock[0] + 1
    some = 0
    for i in range(place.size):
        link = place[i] * k + goal[i]
        if met[link] == now:
            left[some] = i
            some += 1
        else:
            met[link] = now
            _record_inside(clique, k, place[i], goal[i], 1, room.hops, room.recorded)
    rounds = hops = place.size - some
    phases = 1 if place.size else 0
    clock[0] = now
    while some:
        phases += 1
        before = some
        some, more = _relay(call, clique, place, some, 2 * phases - (0 if call.asks else 2), room)
        rounds += (before - some) * (2 * phases - 1)
        hops += more
    return phases, rounds, hops


@kernel
def _relay(call: Call, clique: int, place: Places, some: int, begins: int, room: CliqueScratch) -> tuple[int, int]:
    # A phase with relays, each of which forwards at most one message to each place; it takes the rounds `begins` and
    # `begins` + 1. Return the number of remaining messages, and the hops.
    k, asks, goal, left, won = call.k, call.asks, room.goal, room.left, room.won
    met, row, used, fresh, state = room.met, room.row, room.used, room.fresh, room.state
    asked, winner, links = room.asked, room.winner, room.links
    room.clock[0] += 1
    now, taken, hops = room.clock[0], 0, 0
    for e in range(some):
        sender = int(place[left[e]])
        if fresh[sender] != now:
            _refresh(sender, k, row, used, fresh, now)
        won[e] = 0
        sent = min(call.copies, k - used[sender])
        for _ in range(sent):
            link = _next(sender, k, row, used, state) * k + goal[left[e]]
            if met[link] != now:
                met[link], asked[link], links[taken] = now, 0, link
                taken += 1
            asked[link] += 1
            # Reservoir sampling: each message that asks gets the link with the same probability.
            if asked[link] == 1 or draw(state, asked[link]) == 0:
                winner[link] = e
            if not asks:
                _record_inside(clique, k, sender, link // k, begins, room.hops, room.recorded)
        hops += 0 if asks else sent
    _send_on(call, clique, place, taken, begins, room)
    still = 0
    for e in range(some):
        if won[e]:
            hops += 2 if asks else won[e]
        else:
            left[still] = left[e]
            still += 1
    return still, hops


@kernel
def _send_on(call: Call, clique: int, place: Places, taken: int, begins: int, room: CliqueScratch) -> None:
    # Forward from relays to places, one message over each link. A message that asked goes to its first relay only.
    k, left, won, links, winner = call.k, room.left, room.won, room.links, room.winner
    for at in range(taken):
        link = links[at]
        e, relay = winner[link], link // k
        won[e] += 1
        if call.asks and won[e] == 1:
            _record_inside(clique, k, int(place[left[e]]), relay, begins, room.hops, room.recorded)
        if won[e] == 1 or not call.asks:
            _record_inside(clique, k, relay, link % k, begins + 1, room.hops, room.recorded)


@kernel
def _choose_links(call: Call, clique: int, own: int, other: Places, room: CliqueScratch, size: int) -> tuple[int, int]:
    # Assign the messages at each place to links of the level in random order, k messages at a time. Return the rounds
    # summed over messages, and their maximum. Of link and place, `goal` receives the sort key (on level 2 the place),
    # `other` the other one. A fat link carries k messages a round, all to the place with the copy's own number.
    k, by_place, fat = call.k, call.level == 2, call.fat
    goal, row, used, fresh, state = room.goal, room.row, room.used, room.fresh, room.state
    room.clock[0] += 1
    now, rounds, most = room.clock[0], 0, 0
    for i in range(size):
        at = int(goal[i])
        if fresh[at] != now:
            _refresh(at, k, row, used, fresh, now)
        waited = used[at] // k + 1
        rounds += waited
        most = max(most, waited)
        link = own
        if fat:
            used[at] += 1
        else:
            link = _next(at, k, row, used, state)
        node = clique * k + at
        _record(1, waited, node if fat else node * k + link, room.hops, room.recorded)
        other[i] = link if by_place else at
        goal[i] = at if by_place else link
    return rounds, most


@inlined
def _record_inside(clique: int, k: int, src: int, dst: int, number: int, hops: Nodes, recorded: FixedPoint) -> None:
    # A hop from a node to itself uses no link.
    if src != dst:
        link = (clique * k + src) * (k - 1) + dst - (1 if dst > src else 0)
        _record(0, number, link, hops, recorded)


@inlined
def _record(crossing: int, number: int, link: int, hops: Nodes, recorded: FixedPoint) -> None:
    at = recorded[0]
    recorded[0] += 1
    if at < hops.shape[0]:
        hops[at, 0], hops[at, 1], hops[at, 2] = crossing, number, link


@inlined
def _refresh(at: int, k: int, row: Nodes, used: Nodes, fresh: Nodes, now: int) -> None:
    fresh[at], used[at] = now, 0
    for i in range(k):
        row[at * k + i] = i


@inlined
def _next(at: int, k: int, row: Nodes, used: Nodes, state: State) -> int:
    # Draw the next link of a place among those not used yet; after k draws all are free again.
    taken = used[at] % k
    used[at] += 1
    other = taken + draw(state, k - taken)
    drawn = row[at * k + other]
    row[at * k + other] = row[at * k + taken]
    row[at * k + taken] = drawn
    return int(drawn)


@kernel
def _sort(call: Call, low: int, ends: FixedPoint, target: Nodes, after: Held, room: CliqueScratch) -> None:
    # Sort a clique's messages by `goal` (counting sort); `after.place` holds their places in the old order.
    goal, left, place = room.goal, room.left, after.place
    for b in range(ends.size):
        ends[b] = 0
    for i in range(target.size):
        ends[goal[i]] += 1
        left[i] = place[low + i]
    behind = low
    for b in range(ends.size):
        behind += ends[b]
        ends[b] = behind - ends[b]
    for i in range(target.size):
        at = ends[goal[i]]
        ends[goal[i]] += 1
        place[at] = left[i]
        after.target[at] = target[i]


@kernel
def arrivals(call: Call, start: FixedPoint, ends: FixedPoint, arriving: FixedPoint) -> None:
    """Count the messages that arrive in each clique over the links, into `arriving`, shape ``(cliques,)``."""
    k = call.k
    for clique in range(arriving.size):
        base, step, link = _sources(call, clique)
        total = 0
        for y in range(k):
            source = base + y * step
            first = ends[source * k + link - 1] if link else start[source]
            total += ends[source * k + link] - first
        arriving[clique] = total


@kernel
def collect(first: int, last: int, call: Call, sent: Held, ends: FixedPoint, held: Held) -> None:
    """Copy the arrivals in some cliques, by source clique, to the places given by ``held.start``."""
    k, start, place, target = call.k, sent.start, sent.place, sent.target
    for clique in range(first, last):
        base, step, link = _sources(call, clique)
        at = held.start[clique]
        for y in range(k):
            source = base + y * step
            begins = ends[source * k + link - 1] if link else start[source]
            for i in range(begins, ends[source * k + link]):
                held.place[at] = place[i]
                held.target[at] = target[i]
                at += 1


@inlined
def _sources(call: Call, clique: int) -> tuple[int, int, int]:
    # The cliques with links of the level to this one: the first, their stride, and the number of the link in each
    # (on level 2: of the place).
    k, high = call.k, call.k ** (call.level - 2)
    own = clique // high % k
    if call.level == 2:
        return clique - own, 1, own
    low = high // k
    inner = clique // low % k
    return clique - own * high - inner * low + own * low, high, inner
