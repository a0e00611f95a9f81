"""Max-min fair rates by water filling: all rates rise alike, and those that cross a full link stay as they are.

Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2. There, too: rates are max-min fair if, and only if, each
crosses a link that is full and on which nobody is faster, its bottleneck. So when flows come and go it is enough to
fill anew for those whose bottlenecks they touch, while all others keep their rates; then for those too that have lost
their bottlenecks over it, or that are faster than others at a bottleneck of these; and so on until nobody is left.

A heap holds, for every link in use, a rate that it allows at least. What the others leave it only grows as their rates
come to stay, so a link is looked at anew when it comes to the top, and is full if it still allows no more.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.timing.paths import Paths

ROUNDING = 1e-12
"""Relative difference below which two rates, or two times, count as equal."""
RISING = -1.0
"""The rate of what does not cross a full link yet."""
MOST = 2
"""If more than one in so many must be filled anew, all are."""

Marks = NDArray[np.int8]


class OnLinks(NamedTuple):
    """Which flows are on which link: a link has room for all pairs that ever cross it; those that do now come first."""

    capacity: Volumes
    """(links,) bandwidth, above 0."""
    first: FixedPoint
    """(links,) where its room begins."""
    many: Nodes
    """(links,) how many entries of paths cross it now."""
    entry: FixedPoint
    """(entries,) which ones, by place in the links' rooms."""
    place: FixedPoint
    """(entries,) the place of each."""
    owner: Nodes
    """(entries,) the pair whose path each is of."""


class Rates(NamedTuple):
    """The rates of pairs, and what must be known to share them anew."""

    rate: Volumes
    """(pairs,)"""
    bottleneck: Nodes
    """(pairs,) the full link that each crosses on which nobody is faster."""
    stale: Marks
    """(pairs,) whether flows have come or gone since rates were shared."""
    news: Nodes
    """(pairs,) those that are stale."""
    chosen: Marks
    """(pairs,) whether each is filled anew."""
    some: Nodes
    """(pairs,) those that are."""
    used: Marks
    """(links,) whether one of them crosses it."""
    links: Nodes
    """(links,) those that are used."""
    level: Volumes
    """(links,) a rate that each allows at least."""
    heap: Nodes
    """Links, the one with the least level first."""
    tally: FixedPoint
    """(2,) how many are stale, and how many are chosen."""


STALE, CHOSEN = range(2)


class Sharing(NamedTuple):
    """Links that are shared."""

    on: OnLinks
    rates: Rates

    @classmethod
    def of(cls, paths: Paths, capacity: Volumes) -> "Sharing":
        """Return links of which none is in use."""
        links, pairs, entries = capacity.size, paths.start.size - 1, paths.links.size
        ends = np.cumsum(np.bincount(paths.links, minlength=links)).astype(np.int64)
        first = np.append(0, ends)[:-1].astype(np.int64)
        owner = np.repeat(np.arange(pairs, dtype=np.int32), np.diff(paths.start))
        on = OnLinks(
            capacity, first, np.zeros(links, np.int32), np.zeros(entries, np.int64), np.zeros(entries, np.int64), owner
        )
        (stale, chosen), (news, some, bottleneck) = np.zeros((2, pairs), np.int8), np.zeros((3, pairs), np.int32)
        heap, listed = np.zeros((2, links), np.int32)
        used, level, tally = np.zeros(links, np.int8), np.zeros(links), np.zeros(2, np.int64)
        return cls(on, Rates(np.zeros(pairs), bottleneck, stale, news, chosen, some, used, listed, level, heap, tally))


@inlined
def sink(heap: Nodes, size: int, key: Volumes, at: int, item: int) -> None:
    """Put an item at a place of a heap, the least key first, from where it sinks to its own."""
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
    """Put an item at a place of a heap, from where it rises to its own."""
    while at > 0 and key[heap[(at - 1) // 2]] > key[item]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = item


@kernel
def begin(p: int, paths: Paths, on: OnLinks) -> None:
    """Note that flows of a pair are there, of which there were none."""
    links, many, first, entry, place = paths.links, on.many, on.first, on.entry, on.place
    for e in range(paths.start[p], paths.start[p + 1]):
        to = first[links[e]] + many[links[e]]
        entry[to], place[e] = e, to
        many[links[e]] += 1


@kernel
def end(p: int, paths: Paths, on: OnLinks) -> None:
    """Note that no flows of a pair are there any more."""
    links, many, first, entry, place = paths.links, on.many, on.first, on.entry, on.place
    for e in range(paths.start[p], paths.start[p + 1]):
        many[links[e]] -= 1
        last = first[links[e]] + many[links[e]]
        entry[place[e]], place[entry[last]] = entry[last], place[e]


@kernel
def changed(p: int, rates: Rates) -> None:
    """Note that a pair has more flows, or fewer."""
    if not rates.stale[p]:
        rates.stale[p] = 1
        rates.news[rates.tally[STALE]] = p
        rates.tally[STALE] += 1


@kernel
def share_fairly(pairs: Nodes, count: int, flows: Nodes, paths: Paths, sharing: Sharing) -> None:
    """Make the rates of the first `count` of some pairs max-min fair.

    Parameters
    ----------
    flows
        ``(pairs,)`` how many flows each pair has: they have the same path, hence the same rate.
    """
    on, rates = sharing
    tally, chosen, some = rates.tally, rates.chosen, rates.some
    _choose_touched(flows, paths, on, rates)
    size = 0
    while size < tally[CHOSEN]:
        if tally[CHOSEN] * MOST > count:
            for i in range(count):
                _choose(pairs[i], chosen, some, tally)
        size = tally[CHOSEN]
        used = _fill(size, flows, paths, on, rates)
        _choose_wronged(used, flows, paths.shares, on, rates)
    for i in range(size):
        chosen[some[i]] = 0
    tally[CHOSEN] = 0


@inlined
def _choose(p: int, chosen: Marks, some: Nodes, tally: FixedPoint) -> None:
    if not chosen[p]:
        chosen[p] = 1
        some[tally[CHOSEN]] = p
        tally[CHOSEN] += 1


@kernel
def _choose_touched(flows: Nodes, paths: Paths, on: OnLinks, rates: Rates) -> None:
    # Those with more flows or fewer, and those with a bottleneck that they cross.
    start, links = paths.start, paths.links
    many, first, entry, owner = on.many, on.first, on.entry, on.owner
    bottleneck, chosen, some, tally = rates.bottleneck, rates.chosen, rates.some, rates.tally
    for i in range(tally[STALE]):
        p = rates.news[i]
        rates.stale[p] = 0
        if flows[p]:
            _choose(p, chosen, some, tally)
        for e in range(start[p], start[p + 1]):
            link = links[e]
            for at in range(first[link], first[link] + many[link]):
                q = owner[entry[at]]
                if bottleneck[q] == link:
                    _choose(q, chosen, some, tally)
    tally[STALE] = 0


@kernel
def _fill(size: int, flows: Nodes, paths: Paths, on: OnLinks, rates: Rates) -> int:
    # Fill for those that are chosen; return how many links they cross.
    capacity, first, many, entry, owner = on.capacity, on.first, on.many, on.entry, on.owner
    rate, bottleneck, level, heap = rates.rate, rates.bottleneck, rates.level, rates.heap
    used = _links_of(size, paths.start, paths.links, rates.some, rate, rates.used, rates.links)
    for i in range(used):
        link = rates.links[i]
        rates.used[link] = 0
        carried, rising = _on_link(link, first, many, entry, owner, paths.shares, flows, rate)
        level[link] = max((capacity[link] - carried) / rising, 0.0)
        heap[i] = link
    for i in range(used // 2 - 1, -1, -1):
        sink(heap, used, level, i, heap[i])
    left = used
    while left:
        link = heap[0]
        carried, rising = _on_link(link, first, many, entry, owner, paths.shares, flows, rate)
        if rising > 0.0:
            # Not below what it was: rounding aside, no rate that stays makes room smaller.
            allowed = max((capacity[link] - carried) / rising, level[link])
            if allowed > level[link] * (1 + ROUNDING):
                level[link] = allowed
                sink(heap, left, level, 0, link)
                continue
            for at in range(first[link], first[link] + many[link]):
                p = owner[entry[at]]
                if rate[p] < 0.0:
                    rate[p], bottleneck[p] = allowed, link
        left -= 1
        if left:
            sink(heap, left, level, 0, heap[left])
    return used


@inlined
def _links_of(size: int, start: FixedPoint, links: Nodes, some: Nodes, rate: Volumes, used: Marks, found: Nodes) -> int:
    # List the links of those that are chosen, whose rates are about to rise.
    count = 0
    for i in range(size):
        rate[some[i]] = RISING
        for e in range(start[some[i]], start[some[i] + 1]):
            if not used[links[e]]:
                used[links[e]] = 1
                found[count] = links[e]
                count += 1
    return count


@inlined
def _on_link(
    link: int,
    first: FixedPoint,
    many: Nodes,
    entry: FixedPoint,
    owner: Nodes,
    shares: Volumes,
    flows: Nodes,
    rate: Volumes,
) -> tuple[float, float]:
    # What a link carries at rates that stay, and what it would carry more if all others were 1.
    carried, rising = 0.0, 0.0
    for at in range(first[link], first[link] + many[link]):
        e = entry[at]
        p = owner[e]
        if rate[p] < 0.0:
            rising += shares[e] * flows[p]
        else:
            carried += shares[e] * flows[p] * rate[p]
    return carried, rising


@kernel
def _choose_wronged(used: int, flows: Nodes, shares: Volumes, on: OnLinks, rates: Rates) -> None:
    # Of those that kept their rates, those that have lost their bottleneck, and those that are faster than others that
    # have theirs there.
    capacity, first, many, entry, owner = on.capacity, on.first, on.many, on.entry, on.owner
    rate, bottleneck, chosen, some, tally = rates.rate, rates.bottleneck, rates.chosen, rates.some, rates.tally
    for i in range(used):
        link = rates.links[i]
        begins, ends = first[link], first[link] + many[link]
        carried, fastest, fair = 0.0, 0.0, np.inf
        for at in range(begins, ends):
            p = owner[entry[at]]
            carried += shares[entry[at]] * flows[p] * rate[p]
            fastest = max(fastest, rate[p])
            if chosen[p] and bottleneck[p] == link:
                fair = min(fair, rate[p])
        full = carried >= capacity[link] * (1 - ROUNDING)
        for at in range(begins, ends):
            p = owner[entry[at]]
            lost = bottleneck[p] == link and (not full or rate[p] < fastest * (1 - ROUNDING))
            if lost or rate[p] > fair * (1 + ROUNDING):
                _choose(p, chosen, some, tally)
