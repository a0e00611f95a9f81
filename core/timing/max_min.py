"""Max-min fair rates by water filling: all rates rise together, and the rates of flows on a full link stop rising.

Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2, with this criterion: rates are max-min fair if and only if
each flow crosses a full link on which no flow is faster, its bottleneck. So when flows come and go it is enough to
refill the flows whose bottlenecks they touch, while all others keep their rates; then also the flows that thereby lost
their bottleneck, or are faster than others at a bottleneck of these; and so on until no such flow is left.

A heap holds, for every link in use, a lower bound on the rate that it allows. As rates become fixed that rate only
grows, so a link is recomputed when it comes to the top of the heap, and is full if it allows no more than its key.

Few links are bottlenecks: one in thirty if messages spread over all shortest paths of a torus. Rates are computed from
these binding links alone; for all others the carried volume is tracked, and a link that carries too much becomes
binding and rates are computed again. In the end no link carries too much and every flow has a bottleneck.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, inlined, kernel
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.timing.paths import Paths

ROUNDING = 1e-12
"""Relative difference below which two rates, or two times, count as equal."""
RISING = -1.0
"""The rate of flows that are not yet stopped by a full link."""
FULL = 1e-9
"""Relative excess over its bandwidth that a non-binding link may carry: sums are rounded."""
REFILL_ALL = 6
"""If more than one pair in this many must be refilled, or exceeded its earlier rate last time, all of them are."""
GROWN, FEW = 1.25, 16
"""Once more than GROWN times as many links bind as there were bottlenecks, plus FEW, only bottlenecks stay binding."""

Marks = NDArray[np.int8]


class OnLinks(NamedTuple):
    """The flows that cross each link. A link has room for all pairs that ever cross it; the present ones come first."""

    capacity: Volumes
    """(links,) bandwidth, above 0."""
    first: FixedPoint
    """(links,) start of each link's room."""
    many: Nodes
    """(links,) number of path entries that cross each link now."""
    entry: FixedPoint
    """(entries,) the path entry at each place."""
    place: FixedPoint
    """(entries,) the place of each path entry."""
    who: Nodes
    """(entries,) by place, the pair that crosses the link."""
    share: Volumes
    """(entries,) by place, the share of that pair's rate."""


class Rates(NamedTuple):
    """The rates of pairs, and the state needed to update them."""

    rate: Volumes
    """(pairs,)"""
    bottleneck: Nodes
    """(pairs,) the bottleneck link of each pair."""
    stale: Marks
    """(pairs,) 1 if its flows have changed since rates were computed."""
    touched: Nodes
    """(pairs,) list of the stale pairs."""
    chosen: Marks
    """(pairs,) whether each is refilled: 0, 1, `RISEN` or `OVER`."""
    refill: Nodes
    """(pairs,) list of the chosen pairs."""
    used: Marks
    """(links,) whether a chosen pair crosses each link."""
    links: Nodes
    """(links,) list of these links."""
    level: Volumes
    """(links,) lower bound on the rate that each link allows."""
    heap: Nodes
    """Links as a binary heap, lowest level first."""
    tally: FixedPoint
    """(5,) numbers of stale pairs, of chosen pairs, of binding links, of binding links when only bottlenecks were kept,
    and of pairs that sent more than before when rates were last computed."""
    binds: Marks
    """(links,) whether each link binds."""
    binding: Nodes
    """(links,) list of the binding links."""
    carried: Volumes
    """(links,) volume per second carried, whether the link binds or not."""
    sent: Volumes
    """(pairs,) volume that the flows of each pair send per second."""


STALE, CHOSEN, BINDING, KEPT, MORE = range(5)
RISEN, OVER = 2, 3
"""Marks of chosen pairs that send more than before, and of pairs that pushed a link over its bandwidth; for each
overloaded link the last pair that added to it is marked `OVER`.
"""


class Sharing(NamedTuple):
    """The state of links that flows share."""

    on: OnLinks
    rates: Rates

    @classmethod
    def of(cls, paths: Paths, capacity: Volumes) -> "Sharing":
        """Return the state of links without any flow."""
        links, pairs, entries = capacity.size, paths.start.size - 1, paths.links.size
        ends = np.cumsum(np.bincount(paths.links, minlength=links)).astype(np.int64)
        first = np.append(0, ends)[:-1].astype(np.int64)
        entry, place = np.zeros((2, entries), np.int64)
        who, share = np.zeros(entries, np.int32), np.zeros(entries)
        on = OnLinks(capacity, first, np.zeros(links, np.int32), entry, place, who, share)
        (stale, chosen), (touched, refill, bottleneck) = np.zeros((2, pairs), np.int8), np.zeros((3, pairs), np.int32)
        heap, listed = np.zeros((2, links), np.int32)
        (used, binds), (level, carried) = np.zeros((2, links), np.int8), np.zeros((2, links))
        (rate, sent), tally, binding = np.zeros((2, pairs)), np.zeros(5, np.int64), np.zeros(links, np.int32)
        fill = (used, listed, level, heap, tally)
        return cls(on, Rates(rate, bottleneck, stale, touched, chosen, refill, *fill, binds, binding, carried, sent))


@inlined
def sink(heap: Nodes, size: int, key: Volumes, at: int, item: int) -> None:
    """Sift an item down from a place of a binary heap, lowest key first."""
    while True:
        child = 2 * at + 1
        if child + 1 < size and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if child >= size or key[heap[child]] >= key[item]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = item


@inlined
def rise(heap: Nodes, key: Volumes, at: int, item: int) -> None:
    """Sift an item up from a place of the heap."""
    while at > 0 and key[heap[(at - 1) // 2]] > key[item]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = item


@kernel
def add_pair(p: int, paths: Paths, on: OnLinks) -> None:
    """Record that a pair, so far without flows, has some."""
    links, many, first, entry, place, who, share = paths.links, on.many, on.first, on.entry, on.place, on.who, on.share
    for e in range(paths.start[p], paths.start[p + 1]):
        to = first[links[e]] + many[links[e]]
        entry[to], place[e], who[to], share[to] = e, to, p, paths.shares[e]
        many[links[e]] += 1


@kernel
def remove_pair(p: int, paths: Paths, on: OnLinks) -> None:
    """Record that a pair has no flows any more."""
    links, many, first, entry, place, who, share = paths.links, on.many, on.first, on.entry, on.place, on.who, on.share
    for e in range(paths.start[p], paths.start[p + 1]):
        many[links[e]] -= 1
        last, to = first[links[e]] + many[links[e]], place[e]
        entry[to], who[to], share[to], place[entry[last]] = entry[last], who[last], share[last], to


@kernel
def changed(p: int, rates: Rates) -> None:
    """Record that the number of a pair's flows has changed."""
    if not rates.stale[p]:
        rates.stale[p] = 1
        rates.touched[rates.tally[STALE]] = p
        rates.tally[STALE] += 1


@kernel
def share_fairly(pairs: Nodes, count: int, flows: Nodes, paths: Paths, sharing: Sharing) -> None:
    """Make the rates of the first `count` of some pairs max-min fair.

    Parameters
    ----------
    flows
        ``(pairs,)`` number of flows of each pair: they have the same path, hence the same rate.
    """
    on, rates = sharing
    tally, chosen, refill = rates.tally, rates.chosen, rates.refill
    if tally[BINDING] > GROWN * tally[KEPT] + FEW:
        _keep_bottlenecks(pairs, count, rates)
    _choose_touched(flows, paths, on, rates)
    over = False
    while True:
        size = 0
        while size < tally[CHOSEN]:
            if max(tally[CHOSEN], tally[MORE]) * REFILL_ALL > count:
                for i in range(count):
                    _choose(pairs[i], chosen, refill, tally)
            size = tally[CHOSEN]
            used = _fill(size, flows, paths, on, rates)
            if size < count:
                _choose_wronged(used, flows, on, rates)
        over |= _note_carried(flows, paths, on, rates)
        if not (over and _bind_over(paths, on, rates)):
            break
    tally[MORE] = 0
    for i in range(size):
        if chosen[refill[i]] >= RISEN:
            tally[MORE] += 1
        chosen[refill[i]] = 0
    tally[CHOSEN] = tally[STALE] = 0


@inlined
def _choose(p: int, chosen: Marks, refill: Nodes, tally: FixedPoint) -> None:
    if not chosen[p]:
        chosen[p] = 1
        refill[tally[CHOSEN]] = p
        tally[CHOSEN] += 1


@kernel
def _choose_touched(flows: Nodes, paths: Paths, on: OnLinks, rates: Rates) -> None:
    # Choose stale pairs, and pairs whose bottleneck is crossed by one of these.
    start, links = paths.start, paths.links
    many, first, who = on.many, on.first, on.who
    bottleneck, chosen, refill, tally = rates.bottleneck, rates.chosen, rates.refill, rates.tally
    for i in range(tally[STALE]):
        p = rates.touched[i]
        rates.stale[p] = 0
        if flows[p]:
            _choose(p, chosen, refill, tally)
            _bind_tightest(p, paths, on.capacity, rates)
        for e in range(start[p], start[p + 1]):
            link = links[e]
            if not rates.binds[link]:
                continue
            for at in range(first[link], first[link] + many[link]):
                q = who[at]
                if bottleneck[q] == link:
                    _choose(q, chosen, refill, tally)


@inlined
def _bind(link: int, rates: Rates) -> None:
    if not rates.binds[link]:
        rates.binds[link] = 1
        rates.binding[rates.tally[BINDING]] = link
        rates.tally[BINDING] += 1


@kernel
def _keep_bottlenecks(pairs: Nodes, count: int, rates: Rates) -> None:
    # Stop tracking links that are no longer bottlenecks as binding.
    for i in range(rates.tally[BINDING]):
        rates.binds[rates.binding[i]] = 0
    rates.tally[BINDING] = 0
    for i in range(count):
        if rates.rate[pairs[i]] > 0.0:
            _bind(rates.bottleneck[pairs[i]], rates)
    rates.tally[KEPT] = rates.tally[BINDING]


@kernel
def _bind_tightest(p: int, paths: Paths, capacity: Volumes, rates: Rates) -> None:
    # If none of the pair's links is saturated, treat its slowest link as its bottleneck.
    least, tightest = np.inf, -1
    for e in range(paths.start[p], paths.start[p + 1]):
        link = paths.links[e]
        if rates.binds[link]:
            return
        if capacity[link] < least * paths.shares[e]:
            least, tightest = capacity[link] / paths.shares[e], link
    _bind(tightest, rates)


@kernel
def _note_carried(flows: Nodes, paths: Paths, on: OnLinks, rates: Rates) -> bool:
    # Record the volumes carried at the new rates, first where they are less; return whether some link might carry too
    # much.
    tally, touched, refill, chosen, over = rates.tally, rates.touched, rates.refill, rates.chosen, False
    for i in range(tally[STALE]):
        if flows[touched[i]] == 0:
            _carry(touched[i], 0.0, paths, on.capacity, rates)
    for more in (False, True):
        for i in range(tally[CHOSEN]):
            p = refill[i]
            now = flows[p] * rates.rate[p]
            # Differences within rounding do not count.
            if (now > rates.sent[p]) == more and abs(now - rates.sent[p]) > ROUNDING * now:
                if _carry(p, now, paths, on.capacity, rates) and more:
                    chosen[p], over = OVER, True
                elif more:
                    chosen[p] = max(chosen[p], RISEN)
    return over


@inlined
def _carry(p: int, now: float, paths: Paths, capacity: Volumes, rates: Rates) -> bool:
    # Record the volume a pair sends now; return whether a link that it crosses is overloaded.
    (start, links, shares), carried, over = paths, rates.carried, False
    change = now - rates.sent[p]
    rates.sent[p] = now
    for e in range(start[p], start[p + 1]):
        link = links[e]
        carried[link] += shares[e] * change
        over |= carried[link] > (1 + FULL) * capacity[link]
    return bool(over)


@kernel
def _bind_over(paths: Paths, on: OnLinks, rates: Rates) -> bool:
    # Make links that carry too much binding: of each pair with that mark the fullest; return whether there are any.
    tally, refill, chosen = rates.tally, rates.refill, rates.chosen
    bound = tally[BINDING]
    for i in range(tally[CHOSEN]):
        if chosen[refill[i]] == OVER:
            _bind_fullest(refill[i], paths, on.capacity, rates)
    for i in range(bound, tally[BINDING]):
        link = rates.binding[i]
        for at in range(on.first[link], on.first[link] + on.many[link]):
            _choose(on.who[at], chosen, refill, tally)
    return bool(tally[BINDING] > bound)


@kernel
def _bind_fullest(p: int, paths: Paths, capacity: Volumes, rates: Rates) -> None:
    # Make the most overloaded link of a pair binding, if any is overloaded.
    links, carried = paths.links, rates.carried
    most, fullest = 1 + FULL, -1
    for e in range(paths.start[p], paths.start[p + 1]):
        if carried[links[e]] > most * capacity[links[e]]:
            most, fullest = carried[links[e]] / capacity[links[e]], links[e]
    if fullest >= 0:
        _bind(fullest, rates)


@kernel
def _fill(size: int, flows: Nodes, paths: Paths, on: OnLinks, rates: Rates) -> int:
    # Compute the rates of the chosen pairs; return the number of links they cross.
    capacity, first, many, who, share = on.capacity, on.first, on.many, on.who, on.share
    rate, bottleneck, level, heap = rates.rate, rates.bottleneck, rates.level, rates.heap
    used = 0
    for i in range(_links_of(size, paths, many, rates)):
        link = rates.links[i]
        rates.used[link] = 0
        carried, rising = _on_link(first[link], many[link], who, share, flows, rate)
        if rising > 0.0:
            level[link] = max((capacity[link] - carried) / rising, 0.0)
            heap[used] = rates.links[used] = link
            used += 1
    for i in range(used // 2 - 1, -1, -1):
        sink(heap, used, level, i, heap[i])
    left = used
    while left:
        link = heap[0]
        carried, rising = _on_link(first[link], many[link], who, share, flows, rate)
        if rising > 0.0:
            # At least its former level: rates that become fixed never lower it, except by rounding.
            allowed = max((capacity[link] - carried) / rising, level[link])
            if allowed > level[link] * (1 + ROUNDING):
                level[link] = allowed
                sink(heap, left, level, 0, link)
                continue
            for at in range(first[link], first[link] + many[link]):
                p = who[at]
                if rate[p] < 0.0:
                    rate[p], bottleneck[p] = allowed, link
        left -= 1
        if left:
            sink(heap, left, level, 0, heap[left])
    return used


@kernel
def _links_of(size: int, paths: Paths, many: Nodes, rates: Rates) -> int:
    # Collect the saturated links, including every link crossed by a chosen flow: their rates are about to rise.
    rate, refill, used, binds, links_crossed, count = rates.rate, rates.refill, rates.used, rates.binds, rates.links, 0
    start, links, binding, bound = paths.start, paths.links, rates.binding, rates.tally[BINDING]
    path_links, all_of_them = 0, 0
    for i in range(size):
        rate[refill[i]] = RISING
        path_links += start[refill[i] + 1] - start[refill[i]]
    for i in range(bound):
        all_of_them += many[binding[i]]
    if all_of_them < path_links:
        copy(binding, links_crossed[:bound])
        return int(bound)
    for i in range(size):
        for e in range(start[refill[i]], start[refill[i] + 1]):
            if binds[links[e]] and not used[links[e]]:
                used[links[e]] = 1
                links_crossed[count] = links[e]
                count += 1
    return count


@inlined
def _on_link(first: int, many: int, who: Nodes, share: Volumes, flows: Nodes, rate: Volumes) -> tuple[float, float]:
    # Return the volume a link carries at fixed rates, and the volume it would carry beyond that if all others were 1.
    carried, rising = 0.0, 0.0
    for at in range(first, first + many):
        p = who[at]
        if rate[p] < 0.0:
            rising += share[at] * flows[p]
        else:
            carried += share[at] * flows[p] * rate[p]
    return carried, rising


@kernel
def _choose_wronged(used: int, flows: Nodes, on: OnLinks, rates: Rates) -> None:
    # Among unchanged flows: those whose bottleneck is gone, and those faster than a flow bottlenecked on the same link.
    capacity, first, many, who, share = on.capacity, on.first, on.many, on.who, on.share
    rate, bottleneck, chosen, refill, tally = rates.rate, rates.bottleneck, rates.chosen, rates.refill, rates.tally
    for i in range(used):
        link = rates.links[i]
        begins, ends = first[link], first[link] + many[link]
        carried, fastest, fair = 0.0, 0.0, np.inf
        for at in range(begins, ends):
            p = who[at]
            carried += share[at] * flows[p] * rate[p]
            fastest = max(fastest, rate[p])
            if chosen[p] and bottleneck[p] == link:
                fair = min(fair, rate[p])
        full = carried >= capacity[link] * (1 - ROUNDING)
        for at in range(begins, ends):
            p = who[at]
            lost = bottleneck[p] == link and (not full or rate[p] < fastest * (1 - ROUNDING))
            if lost or rate[p] > fair * (1 + ROUNDING):
                _choose(p, chosen, refill, tally)
