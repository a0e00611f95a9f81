"""The route of a unit under CLEX's algorithm A(t), as a list of terms: shares spread evenly over sets of links.

A(l) is A(l - 1), a link of level l, and A(l - 1): the first part brings a unit to a random node of its copy among those
whose level-l links lead to the destination's copy; it takes a random one of that node's links, and continues to
its destination. So in between its position is described by a few fixed coordinates, the others being uniformly
distributed, and a route depends on the pair only by which coordinates of links equal some of the source or of the
destination. Journeys inside a copy of level m are:

- from a node to all nodes with one given coordinate m (depending on that coordinate and the source only),
- from all nodes to one node, or to all with one given coordinate m,
- from all to all, which loads every link of a level equally: 2^(m - l) crossings of level l per unit.

With fat links the k parallel links are one, and the node reached keeps the coordinate of the copy it left; then
journeys begin from all nodes with one given coordinate m.

A link of level l >= 2 leaves node (v1 .. vt) and has a number j, coordinate 0 here; a fat one has none. A link of level
1 leaves a node and leads to place j of its clique. Values of coordinates are given by codes: 0 .. t - 1 are the
source's v1 .. vt, t .. 2t - 1 the destination's.
"""

from fractions import Fraction
from typing import Any, NamedTuple

from numpy.typing import NDArray

ANY = -1
"""Instead of a code: all values, equally."""
NONE = -2
"""Instead of a code: links have no such coordinate."""
ROLES = ("before the top level", "over the top level", "after the top level", "to a relay", "from a relay")
BEFORE, TOP, AFTER, TO_RELAY, FROM_RELAY = range(len(ROLES))

Fixed = dict[int, int]
Sums = NDArray[Any]
"""Volumes, or integer multiples of a unit."""


class Term(NamedTuple):
    """Part of a route: the same share on each link with these labels."""

    level: int
    role: int
    where: tuple[int, ...]
    """Codes of the values of coordinates 0 .. t of links."""
    parts: int
    """Share on one link, in units of a common denominator of all terms."""
    avoid: int = NONE
    """Code of a place of the clique that links do not touch."""


def terms(k: int, levels: int, fat: bool) -> list[Term]:
    """Return the route of a unit, in units of k^-(t - 1), without relays.

    Links of level 1 from a place to itself mean no hop.
    """
    journey = _Journey(k, levels, fat)
    journey.top()
    for m in range(1, levels):
        journey.before(m)
        journey.after(m)
    return journey.terms


def ordered_terms(levels: int) -> list[Term]:
    """Return the path of the ordered flood: one link of level 1, then one of each level above; shares are 1.

    From (u1 .. ut) to the place wt of the clique, then over level l = 2 .. t from (w1 .. w(l-2), wt, ul .. ut) to
    (w1 .. w(l-1), wt, u(l+1) .. ut).
    """
    journey = _Journey(1, levels, fat=False)
    for level in range(1, levels + 1):
        fixed = journey.above_source(level - 1)
        fixed |= {place: journey.target(place) for place in range(1, level - 1)}
        fixed |= {level - 1: journey.target(levels)}
        if level > 1:
            fixed |= {0: journey.target(level - 1)}
        where = tuple(fixed[place] for place in range(levels + 1))
        journey.terms.append(Term(level, TOP if level == levels else BEFORE, where, 1))
    return journey.terms


def relayed(term: Term, k: int, share: Fraction) -> list[Term]:
    """Split a term if a `share` of its hops of level 1 is relayed by a random third place of the clique.

    The denominator of shares grows by the factor ``share.denominator * (k - 2)``.
    """
    some, others = share.numerator, k - 2
    if term.level > 1:
        return [term._replace(parts=term.parts * share.denominator * others)]
    place, target = term.where[1], term.where[0]
    direct = term._replace(parts=term.parts * (share.denominator - some) * others)
    # Detours of many pairs add up evenly over links, as their direct hops do.
    to_relay = from_relay = term._replace(parts=term.parts * some * others)
    if target != ANY:
        to_relay = term._replace(where=(ANY, *term.where[1:]), avoid=target, parts=term.parts * some)
    if place != ANY:
        from_relay = term._replace(where=(target, ANY, *term.where[2:]), avoid=place, parts=term.parts * some)
    split = (direct, to_relay._replace(role=TO_RELAY), from_relay._replace(role=FROM_RELAY))
    return [term for term in split if term.parts > 0]


class _Journey:
    """Collects the terms; crossings are counted as in the module's docstring."""

    def __init__(self, k: int, levels: int, fat: bool) -> None:
        self.k, self.levels, self.fat = k, levels, fat
        self.terms: list[Term] = []

    def source(self, place: int) -> int:
        return place - 1

    def target(self, place: int) -> int:
        return self.levels + place - 1

    def above_source(self, m: int) -> Fixed:
        return {place: self.source(place) for place in range(m + 1, self.levels + 1)}

    def above_target(self, m: int) -> Fixed:
        return {place: self.target(place) for place in range(m + 1, self.levels + 1)}

    def top(self) -> None:
        """Add the one crossing between copies of the highest level."""
        t = self.levels
        self._add(t, TOP, 1, {t - 1: self.target(t), t: self.source(t)})

    def before(self, m: int) -> None:
        """Add the links that a flow crosses before it leaves its copy of level m."""
        # From the source to all nodes of its copy of level m whose coordinate m is the destination's copy, over level
        # m; then from all of these (with fat links, the nodes with the source's coordinate) to all of the next lower
        # copy.
        wanted = self.target(self.levels)
        self._add(m, BEFORE, 1, {m - 1: wanted, **self.above_source(m - 1)})
        reached = {m: wanted, **self.above_source(m)}
        for level in range(1, m):
            if not self.fat:
                self._add(level, BEFORE, 1 << (m - 1 - level), reached)
                continue
            self._add(level, BEFORE, 1, {level: self.source(m), **reached})
            for lesser in range(level + 1, m):
                self._add(level, BEFORE, 1 << (lesser - 1 - level), {lesser: self.source(m), **reached})

    def after(self, m: int) -> None:
        """Add the links that a flow crosses after it has reached the destination's copy of level m."""
        # From all nodes of the destination's copy of level m (with fat links, the nodes with the coordinate of the copy
        # left) to the destination: first to all whose coordinate m - 1 is the destination's m.
        begun = {**({m: self.source(self.levels)} if self.fat else {}), **self.above_target(m)}
        self._add(m, AFTER, 1, {m - 1: self.target(m), **begun})
        for level in range(1, m):
            self._add(level, AFTER, 1, {level - 1: self.target(m), **begun})
            for lesser in range(level + 1, m):
                self._add(level, AFTER, 1 << (lesser - 1 - level), {lesser: self.target(m), **begun})

    def _add(self, level: int, role: int, crossings: int, fixed: Fixed) -> None:
        where = [fixed.get(place, ANY) for place in range(self.levels + 1)]
        if self.fat and level > 1:
            where[0] = NONE
        # At most t - 1 coordinates are arbitrary: the top one, and one more, are known.
        parts = crossings * self.k ** (self.levels - 1 - where.count(ANY))
        self.terms.append(Term(level, role, tuple(where), parts))


def add_term(term: Term, share: float, sums: Sums, load: Sums) -> None:
    """Add a term's loads, given sums of flows, to the loads of its level.

    Axes of `sums`: vt .. v1 of one end, then vt of the other; of `load`: vt .. v1, then j, if links have them.
    """
    levels = sums.ndim - 1
    near, far = (levels, levels - 1) if term.role == AFTER else (0, 2 * levels - 1)
    axis = {near + place: levels - 1 - place for place in range(levels)} | {far: levels}
    places = [place for place in reversed(range(levels + 1)) if term.where[place] != NONE]
    wanted = [axis[term.where[place]] for place in places if term.where[place] != ANY]
    summed = sums.sum(axis=tuple(a for a in range(levels + 1) if a not in wanted))
    turned = summed.transpose([sorted(wanted).index(a) for a in wanted])
    load += share * turned.reshape([1 if term.where[place] == ANY else load.shape[0] for place in places])
