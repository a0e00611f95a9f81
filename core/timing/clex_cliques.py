"""What happens inside the cliques of a CLEX network in one call of A(1) and over the links that follow, compiled.

Messages are kept clique by clique. A clique's draws depend on its number and that of the call alone, so that threads
may take whatever cliques they like.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.draws import State, begin, draw
from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint, Nodes

Places = NDArray[np.uint16]


class Held(NamedTuple):
    """Messages in the order of the cliques that hold them."""

    start: FixedPoint
    """(cliques + 1,) where those of each clique begin."""
    place: Places
    """(messages,) the node inside the clique."""
    target: Nodes
    """(messages,) the node to which it goes in the end."""


class Call(NamedTuple):
    """One of the calls of A(1) that A(t) comes to, and the links that are crossed then."""

    number: int
    divisor: int
    """The place to go to is the target divided by it, modulo k; 0: it is drawn."""
    level: int
    """Of the links; 0: no more."""
    k: int
    fat: bool
    copies: int
    """Of a message, handed to relays in each phase but the first."""
    asks: bool
    """Whether relays are asked first, so that only one gets the message."""
    seed: int


class CliqueScratch(NamedTuple):
    """Room for one clique at a time."""

    goal: Nodes
    """(messages,) the place to go to, then where in the clique's order to stand."""
    left: Nodes
    """(messages,) those that have not arrived."""
    won: Nodes
    """(messages,) for each of those, how many relays send it on."""
    met: Nodes
    """(k * k,) when a link was last taken."""
    asked: Nodes
    """(k * k,) how many messages it was wanted for in this phase."""
    winner: Nodes
    """(k * k,) which of those that are left gets it."""
    links: Nodes
    """(k * k,) those taken in this phase."""
    row: Nodes
    """(k * k,) for each place all places, in the order in which it takes them."""
    used: Nodes
    """(k,) how many of these it has taken."""
    fresh: Nodes
    """(k,) when its row was last put in order."""
    clock: Nodes
    """(1,) what time it is: each phase is one."""
    hops: Nodes
    """(hops, 3) those recorded: whether over a link of the call's level, the round inside the call or over these links,
    and the link among those of its level."""
    recorded: FixedPoint
    """(1,) how many there were to record, also those for which there was no room."""
    state: State


ROUNDS, HOPS, CROSSING_ROUNDS, ARRIVED = range(4)


def clique_scratch(k: int, most: int, hops: int = 0) -> CliqueScratch:
    """Return room for cliques of k nodes that hold so many messages at most, and to record so many hops."""
    goal, left, won = np.zeros((3, most), np.int32)
    met, asked, winner, links, row = np.zeros((5, k * k), np.int32)
    used, fresh = np.zeros((2, k), np.int32)
    clock, state = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    record, recorded = np.empty((hops, 3), np.int32), np.zeros(1, np.int64)
    return CliqueScratch(goal, left, won, met, asked, winner, links, row, used, fresh, clock, record, recorded, state)


@kernel
def play(
    first: int, last: int, call: Call, held: Held, after: Held, ends: FixedPoint, took: Nodes, room: CliqueScratch
) -> tuple[int, int, int, int]:
    """Bring the messages of some cliques to their places, and put them in the order of where they go then.

    They are written to `after`, clique by clique as before, in the order of their link, of level 2 of their place:
    ``ends[clique * k + link]`` is where those end. `took`, shape ``(2, cliques)``, gets the rounds inside each clique
    and over its links. Returns sums over messages, as `ROUNDS` and so on name them.
    """
    start, place, target = held
    rounds, hops, crossing, arrived = 0, 0, 0, 0
    k, cliques = call.k, held.start.size - 1
    for clique in range(first, last):
        low, high = start[clique], start[clique + 1]
        begin(room.state, call.seed, call.number * cliques + clique)
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
    # The place to which each message goes now.
    if divisor:
        for i in range(target.size):
            goal[i] = target[i] // divisor % k
    else:
        for i in range(target.size):
            goal[i] = draw(state, k)


@kernel
def _within(call: Call, clique: int, place: Places, room: CliqueScratch) -> tuple[int, int, int]:
    # A(1): return its phases, and over all messages the rounds and the hops.
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
    # A phase with relays, each of which sends one message on to each place; return how many are left, and the hops.
    # It takes the round in which it begins, and the next.
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
            # Any of those that ask, with the same probability.
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
    # From relays to places, one over each link that is taken. A message that asked goes to the first relay alone.
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
    # From places to links of the level, one after the other in an order drawn anew for each k messages. Return the
    # rounds of all messages, and the most of one. Of link and place `goal` gets that by which the clique's messages are
    # put in order, `other` the other. Over a fat link, k a round, all reach the place that is the copy's own number.
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
    # A hop to oneself goes over no link.
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
    # The next of a place's links, any that it has not taken; after k of them all are free again.
    taken = used[at] % k
    used[at] += 1
    other = taken + draw(state, k - taken)
    found = row[at * k + other]
    row[at * k + other] = row[at * k + taken]
    row[at * k + taken] = found
    return int(found)


@kernel
def _sort(call: Call, low: int, ends: FixedPoint, target: Nodes, after: Held, room: CliqueScratch) -> None:
    # Put a clique's messages in the order of `goal`; `after.place` holds their places in the order before.
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
    """Count the messages that come into each clique over the links, into `arriving`, shape ``(cliques,)``."""
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
    """Take what comes into some cliques, those from the first clique first, to where ``held.start`` says."""
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
    # The cliques from which a clique is reached over links of the level: the first, how far apart they are, and by
    # which of their links, or of level 2 from which of their places.
    k, high = call.k, call.k ** (call.level - 2)
    own = clique // high % k
    if call.level == 2:
        return clique - own, 1, own
    low = high // k
    inner = clique // low % k
    return clique - own * high - inner * low + own * low, high, inner
