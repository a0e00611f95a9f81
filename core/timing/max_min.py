"""Max-min fair rates by water filling: all rates rise alike, and those that cross a full link stay as they are.

Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2. There, too: rates are max-min fair if, and only if, each
crosses a link that is full and on which nobody is faster, its bottleneck. So when flows come and go it is enough to
fill anew for those whose bottlenecks they touch, while all others keep their rates; then for those too that have lost
their bottlenecks over it, or that are faster than others at a bottleneck of these; and so on until nobody is left.

A heap holds, for every link in use, a rate that it allows at least. What the others leave it only grows as their rates
come to stay, so a link is looked at anew when it comes to the top, and is full if it still allows no more.

Few links are anybody's bottleneck: where messages spread over all shortest paths of a torus, one in thirty. Only these
bind: rates are shared over them alone. Of all others it is noted what they carry; one that carries too much binds from
then on, and rates are shared anew. In the end none carries too much, and everybody has a bottleneck: as if all did.
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
FULL = 1e-9
"""What does not bind may carry so much more than it can, relatively, before it does: carried volumes are rounded."""
MOST = 6
"""If more than one in so many must be filled anew, or has sent more than before the last time, all are."""
GROWN, FEW = 1.25, 16
"""When links that bind are so many times as many as the bottlenecks were, and so many more, only bottlenecks stay."""

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
    who: Nodes
    """(entries,) by place, the pair that crosses."""
    share: Volumes
    """(entries,) by place, the share of it that does."""


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
    """(pairs,) whether each is filled anew: 1, `RISEN` or `OVER`."""
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
    """(5,) how many pairs are stale, and chosen; how many links bind, and stayed so when only bottlenecks did; how many
    pairs sent more than before when rates were shared last."""
    binds: Marks
    """(links,) whether rates heed each link."""
    binding: Nodes
    """(links,) those that bind."""
    carried: Volumes
    """(links,) what each carries, whether it binds or not."""
    sent: Volumes
    """(pairs,) what the flows of each pair send of that."""


STALE, CHOSEN, BINDING, KEPT, MORE = range(5)
RISEN, OVER = 2, 3
"""The marks of those that are chosen and have sent more than before, and of those that have brought a link beyond what
it can carry: whatever link carries too much, the last of those that made it carry more has that mark."""


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
        entry, place = np.zeros((2, entries), np.int64)
        who, share = np.zeros(entries, np.int32), np.zeros(entries)
        on = OnLinks(capacity, first, np.zeros(links, np.int32), entry, place, who, share)
        (stale, chosen), (news, some, bottleneck) = np.zeros((2, pairs), np.int8), np.zeros((3, pairs), np.int32)
        heap, listed = np.zeros((2, links), np.int32)
        (used, binds), (level, carried) = np.zeros((2, links), np.int8), np.zeros((2, links))
        (rate, sent), tally, binding = np.zeros((2, pairs)), np.zeros(5, np.int64), np.zeros(links, np.int32)
        fill = (used, listed, level, heap, tally)
        return cls(on, Rates(rate, bottleneck, stale, news, chosen, some, *fill, binds, binding, carried, sent))


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
    links, many, first, entry, place, who, share = paths.links, on.many, on.first, on.entry, on.place, on.who, on.share
    for e in range(paths.start[p], paths.start[p + 1]):
        to = first[links[e]] + many[links[e]]
        entry[to], place[e], who[to], share[to] = e, to, p, paths.shares[e]
        many[links[e]] += 1


@kernel
def end(p: int, paths: Paths, on: OnLinks) -> None:
    """Note that no flows of a pair are there any more."""
    links, many, first, entry, place, who, share = paths.links, on.many, on.first, on.entry, on.place, on.who, on.share
    for e in range(paths.start[p], paths.start[p + 1]):
        many[links[e]] -= 1
        last, to = first[links[e]] + many[links[e]], place[e]
        entry[to], who[to], share[to], place[entry[last]] = entry[last], who[last], share[last], to


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
    if tally[BINDING] > GROWN * tally[KEPT] + FEW:
        _keep_bottlenecks(pairs, count, rates)
    _choose_touched(flows, paths, on, rates)
    over = False
    while True:
        size = 0
        while size < tally[CHOSEN]:
            if max(tally[CHOSEN], tally[MORE]) * MOST > count:
                for i in range(count):
                    _choose(pairs[i], chosen, some, tally)
            size = tally[CHOSEN]
            used = _fill(size, flows, paths, on, rates)
            if size < count:
                _choose_wronged(used, flows, on, rates)
        over |= _note_carried(flows, paths, on, rates)
        if not (over and _bind_over(paths, on, rates)):
            break
    tally[MORE] = 0
    for i in range(size):
        if chosen[some[i]] >= RISEN:
            tally[MORE] += 1
        chosen[some[i]] = 0
    tally[CHOSEN] = tally[STALE] = 0


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
    many, first, who = on.many, on.first, on.who
    bottleneck, chosen, some, tally = rates.bottleneck, rates.chosen, rates.some, rates.tally
    for i in range(tally[STALE]):
        p = rates.news[i]
        rates.stale[p] = 0
        if flows[p]:
            _choose(p, chosen, some, tally)
            _bind_tightest(p, paths, on.capacity, rates)
        for e in range(start[p], start[p + 1]):
            link = links[e]
            if not rates.binds[link]:
                continue
            for at in range(first[link], first[link] + many[link]):
                q = who[at]
                if bottleneck[q] == link:
                    _choose(q, chosen, some, tally)


@inlined
def _bind(link: int, rates: Rates) -> None:
    if not rates.binds[link]:
        rates.binds[link] = 1
        rates.binding[rates.tally[BINDING]] = link
        rates.tally[BINDING] += 1


@kernel
def _keep_bottlenecks(pairs: Nodes, count: int, rates: Rates) -> None:
    # Let go of links that are nobody's bottleneck any more.
    for i in range(rates.tally[BINDING]):
        rates.binds[rates.binding[i]] = 0
    rates.tally[BINDING] = 0
    for i in range(count):
        if rates.rate[pairs[i]] > 0.0:
            _bind(rates.bottleneck[pairs[i]], rates)
    rates.tally[KEPT] = rates.tally[BINDING]


@kernel
def _bind_tightest(p: int, paths: Paths, capacity: Volumes, rates: Rates) -> None:
    # Whoever is alone is as fast as its tightest link lets it.
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
    # Note what links carry at the new rates, first where that is less; return whether some might carry too much.
    tally, news, some, chosen, over = rates.tally, rates.news, rates.some, rates.chosen, False
    for i in range(tally[STALE]):
        if flows[news[i]] == 0:
            _carry(news[i], 0.0, paths, on.capacity, rates)
    for more in (False, True):
        for i in range(tally[CHOSEN]):
            p = some[i]
            now = flows[p] * rates.rate[p]
            # What differs by rounding is the same.
            if (now > rates.sent[p]) == more and abs(now - rates.sent[p]) > ROUNDING * now:
                if _carry(p, now, paths, on.capacity, rates) and more:
                    chosen[p], over = OVER, True
                elif more:
                    chosen[p] = max(chosen[p], RISEN)
    return over


@inlined
def _carry(p: int, now: float, paths: Paths, capacity: Volumes, rates: Rates) -> bool:
    # Note what a pair sends now; return whether a link that it crosses carries too much.
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
    # Let links that carry too much bind from now on, of each pair with that mark the fullest; return whether any does.
    tally, some, chosen = rates.tally, rates.some, rates.chosen
    bound = tally[BINDING]
    for i in range(tally[CHOSEN]):
        if chosen[some[i]] == OVER:
            _bind_fullest(some[i], paths, on.capacity, rates)
    for i in range(bound, tally[BINDING]):
        link = rates.binding[i]
        for at in range(on.first[link], on.first[link] + on.many[link]):
            _choose(on.who[at], chosen, some, tally)
    return bool(tally[BINDING] > bound)


@kernel
def _bind_fullest(p: int, paths: Paths, capacity: Volumes, rates: Rates) -> None:
    # Of the links that a pair crosses, that which carries most beyond what it can, if any does.
    links, carried = paths.links, rates.carried
    most, fullest = 1 + FULL, -1
    for e in range(paths.start[p], paths.start[p + 1]):
        if carried[links[e]] > most * capacity[links[e]]:
            most, fullest = carried[links[e]] / capacity[links[e]], links[e]
    if fullest >= 0:
        _bind(fullest, rates)


@kernel
def _fill(size: int, flows: Nodes, paths: Paths, on: OnLinks, rates: Rates) -> int:
    # Fill for those that are chosen; return how many links they cross.
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
            # Not below what it was: rounding aside, no rate that stays makes room smaller.
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
    # List binding links, all that those that are chosen cross among them; the rates of these are about to rise.
    rate, some, used, binds, found, count = rates.rate, rates.some, rates.used, rates.binds, rates.links, 0
    start, links, binding, bound = paths.start, paths.links, rates.binding, rates.tally[BINDING]
    theirs, all_of_them = 0, 0
    for i in range(size):
        rate[some[i]] = RISING
        theirs += start[some[i] + 1] - start[some[i]]
    for i in range(bound):
        all_of_them += many[binding[i]]
    if all_of_them < theirs:
        found[:bound] = binding[:bound]
        return int(bound)
    for i in range(size):
        for e in range(start[some[i]], start[some[i] + 1]):
            if binds[links[e]] and not used[links[e]]:
                used[links[e]] = 1
                found[count] = links[e]
                count += 1
    return count


@inlined
def _on_link(first: int, many: int, who: Nodes, share: Volumes, flows: Nodes, rate: Volumes) -> tuple[float, float]:
    # What a link carries at rates that stay, and what it would carry more if all others were 1.
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
    # Of those that kept their rates, those that have lost their bottleneck, and those that are faster than others that
    # have theirs there.
    capacity, first, many, who, share = on.capacity, on.first, on.many, on.who, on.share
    rate, bottleneck, chosen, some, tally = rates.rate, rates.bottleneck, rates.chosen, rates.some, rates.tally
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
                _choose(p, chosen, some, tally)
