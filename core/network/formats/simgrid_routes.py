"""The wiring behind SimGrid's routes, which name links but not the vertices between them.

A link whose routes all pass it between the same two vertices is a cable. The vertices inside routes have no names in
the file: two links that follow each other in a route end at the same vertex, and the ends of each link are chosen so
that as few vertices as possible become equal. A link that cannot be a cable, since its routes lead to more than two
vertices, such as a bus, becomes a one-way link from a vertex "in" to a vertex "out", which all its routes pass; if it
is a FATPIPE, whose messages do not share the bandwidth, it becomes a switch. So the loads are the same as in SimGrid if
the routes of the file are shortest paths; other routes are refused.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, wrong
from core.network.formats.simgrid_cluster import sharing_notes
from core.text import plural

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_HOPS = 2_000_000
"""Links of all routes together."""
CHUNK = 1 << 22
"""Distances computed at a time."""
OPPOSITE = {"UP": "DOWN", "DOWN": "UP", "": ""}
IMPOSSIBLE = 1 << 40
"""The cost of making two vertices with names equal."""
POINT, BUS = -1, -2
ADVICE = "give routes that are shortest paths, as messages take these here"


class Link(NamedTuple):
    """A link of a platform."""

    gbs: float
    policy: str = "SPLITDUPLEX"
    """One of `simgrid_cluster.POLICIES`."""


class Hop(NamedTuple):
    """A link in a route."""

    link: str
    way: str
    """UP or DOWN, else empty."""


class Route(NamedTuple):
    """The links from a host or router to another."""

    src: str
    dst: str
    hops: tuple[Hop, ...]
    both: bool
    """Whether the reverse route has the same links."""


class Wire(NamedTuple):
    """A link in one direction between two vertices with names."""

    src: str
    dst: str
    gbs: float
    policy: str = "SPLITDUPLEX"


class Step(NamedTuple):
    """A link of a route with the vertices between which it is passed; a bus has no vertices."""

    hop: Hop
    begin: "Token | None"
    end: "Token | None"

    def back(self) -> "Step":
        """Return the step in the reverse route."""
        return Step(Hop(self.hop.link, OPPOSITE[self.hop.way]), self.end, self.begin)


Token = tuple[str, int]
"""A vertex: an end of a link, 0 or 1; or by its name a host or router (POINT), or an end of a bus (BUS)."""


Piece = tuple[tuple[Hop, ...], Token | None, Token | None]
"""Links between buses, and the vertices where they begin and end, if these have names."""


def graph_of(
    points: dict[str, bool], links: dict[str, Link], routes: list[Route], wires: list[Wire], notes: tuple[str, ...]
) -> ParsedGraph:
    """Return the network of routes and wires between points, given for each point whether it is a host.

    Raises SpecError: if the routes are too long together.
    """
    if sum(len(route.hops) for route in routes) > MAX_HOPS:
        raise wrong(f"has routes of more than {MAX_HOPS:,} links together, which is not supported")
    buses: set[str] = set()
    while True:
        wiring = _Wiring(points, links, buses)
        new = wiring.lay(routes)
        if not new:
            break
        buses |= new
    for route in routes:
        steps = list(wiring.steps(route))
        wiring.take(route, steps)
        if route.both:
            reverse = route._replace(src=route.dst, dst=route.src)
            wiring.take(reverse, [step.back() for step in reversed(steps)])
    return wiring.graph(wires, notes)


class _Wiring:
    """Vertices that are equal, and the links between them."""

    def __init__(self, points: dict[str, bool], links: dict[str, Link], buses: set[str]) -> None:
        self._points, self._links, self._buses = points, links, buses
        self._parent: dict[Token, Token] = {}
        self._turned: dict[Piece, list[bool]] = {}
        """Whether each link of a piece is passed from its end 1 to its end 0."""
        self._edges: dict[tuple[Token, Token, str], float] = {}
        """Bandwidths by source, destination and link."""
        self._lengths: dict[tuple[str, str], int] = {}
        """Links on the longest route between two points."""

    def lay(self, routes: list[Route]) -> set[str]:
        """Choose the ends of all links; return links that cannot be cables, which must become buses."""
        pieces = {piece: None for route in routes for piece in self._pieces(route)}
        times = Counter(hop.link for hops, _, _ in pieces for hop in hops)
        conflicts = set()
        for piece in sorted(pieces, key=lambda piece: len(piece[0])):
            if not self._lay_piece(*piece):
                conflicts.add(max((hop.link for hop in piece[0]), key=times.__getitem__))
        # A later piece may have made the ends of a link equal.
        return conflicts | {link for link in times if self._root((link, 0)) == self._root((link, 1))}

    def steps(self, route: Route) -> Iterator[Step]:
        """Yield the links of a route with the chosen ends."""
        pieces = iter(self._pieces(route))
        for is_bus, hops in self._parts(route):
            if is_bus:
                yield from (Step(hop, None, None) for hop in hops)
            else:
                for hop, turned in zip(hops, self._turned[next(pieces)], strict=True):
                    yield Step(hop, (hop.link, int(turned)), (hop.link, int(not turned)))

    def take(self, route: Route, steps: list[Step]) -> None:
        """Add the links of a route."""
        here, length, last = self._root((route.src, POINT)), 0, 0.0
        for hop, begin, end in (*steps, Step(Hop("", ""), (route.dst, POINT), None)):
            gbs = self._links[hop.link].gbs if hop.link else 0.0
            begin, after = self._ends(hop) if begin is None else (self._root(begin), end and self._root(end))
            if here != begin:  # to or from a bus
                self._edges[here, begin, ""] = gbs if hop.link in self._buses else last
                length += 1
            if after is not None and after != begin:
                self._edges[begin, after, hop.link] = gbs
                length += 1
            here, last = after or begin, gbs
        ends = route.src, route.dst
        self._lengths[ends] = max(length, self._lengths.get(ends, 0))

    def _parts(self, route: Route) -> list[tuple[bool, tuple[Hop, ...]]]:
        # Successive links that are buses, or are not.
        if not self._buses:
            return [(False, route.hops)]
        return [(is_bus, tuple(hops)) for is_bus, hops in groupby(route.hops, key=lambda hop: hop.link in self._buses)]

    def _pieces(self, route: Route) -> Iterator[Piece]:
        # The first and the last piece begin and end at points, the others at buses.
        parts = self._parts(route)
        for place, (is_bus, hops) in enumerate(parts):
            if not is_bus:
                begin = self._bus(parts[place - 1][1][-1]) if place else (route.src, POINT)
                last = place + 1 == len(parts)
                yield hops, begin, (route.dst, POINT) if last else self._bus(parts[place + 1][1][0])

    def _bus(self, hop: Hop) -> Token | None:
        return (hop.link, BUS) if self._links[hop.link].policy == "FATPIPE" else None

    def _ends(self, hop: Hop) -> tuple[Token, Token]:
        # Where a route enters and leaves a bus.
        if (bus := self._bus(hop)) is not None:
            return bus, bus
        name = f"{hop.link} {hop.way}".strip()
        return (f"{name} in", BUS), (f"{name} out", BUS)

    def _root(self, token: Token) -> Token:
        parent = self._parent
        while (above := parent.get(token, token)) != token:
            parent[token] = parent.get(above, above)
            token = above
        return token

    def _cost(self, a: Token | None, b: Token | None) -> int:
        """Return the cost of making two vertices equal: 0 if they are, 2 if they keep a link between them."""
        if a is None or b is None or self._root(a) == self._root(b):
            return 0
        kinds = {self._root(a)[1], self._root(b)[1]}
        return 1 if max(kinds) >= 0 else 2 if BUS in kinds else IMPOSSIBLE

    def _join(self, a: Token | None, b: Token | None) -> None:
        if self._cost(a, b) == 1 and a is not None and b is not None:
            a, b = sorted((self._root(a), self._root(b)), key=lambda token: token[1] < 0)
            self._parent[a] = b  # names stay roots

    def _lay_piece(self, hops: tuple[Hop, ...], begin: Token | None, end: Token | None) -> bool:
        """Choose the direction in which a piece passes each link, so that few vertices become equal."""
        ends = [((hop.link, 0), (hop.link, 1)) for hop in hops]
        cost = [self._cost(begin, ends[0][way]) for way in (0, 1)]
        before = list[list[int]]()
        for left, right in pairwise(ends):
            sums = [[cost[way] + self._cost(left[1 - way], right[turned]) for way in (0, 1)] for turned in (0, 1)]
            before.append([int(each[1] < each[0]) for each in sums])
            cost = [min(each) for each in sums]
        cost = [cost[way] + self._cost(ends[-1][1 - way], end) for way in (0, 1)]
        if min(cost) >= IMPOSSIBLE:
            return False
        ways = [int(cost[1] < cost[0])]
        for each in reversed(before):
            ways.append(each[ways[-1]])
        ways.reverse()
        self._turned[hops, begin, end] = [bool(way) for way in ways]
        here = begin
        for pair, way in zip(ends, ways, strict=True):
            self._join(here, pair[way])
            here = pair[1 - way]
        self._join(here, end)
        return True

    def graph(self, wires: list[Wire], notes: tuple[str, ...]) -> ParsedGraph:
        """Return the network of all links.

        Raises SpecError: if it has no links.
        """
        names = self._names()
        builder = GraphBuilder(directed=True)
        for name in (*self._points, *(name for name in names.values() if name not in self._points)):
            builder.add(name, host=self._points.get(name, False))
        policies = Counter(wire.policy for wire in wires)
        for wire in wires:
            builder.join(wire.src, wire.dst, wire.gbs)
        for (u, v, link), gbs in self._edges.items():
            builder.join(names[u], names[v], gbs)
            if link and (link not in self._buses):
                policies[self._links[link].policy] += (v, u, link) in self._edges
        policies["FATPIPE"] += any(self._links[link].policy == "FATPIPE" for link in self._buses)
        graph = builder.graph((*notes, *sharing_notes(policies)))
        return replace(graph, warnings=graph.warnings + self._checked(graph))

    def _names(self) -> dict[Token, str]:
        """Return the names of all vertices with links; a vertex inside routes is named by its first two links."""
        at: dict[Token, dict[str, None]] = {}
        for u, v, link in self._edges:
            for token in (u, v):
                at.setdefault(token, {})[link] = None
        names, taken = dict[Token, str](), set(self._points)
        for token, links in at.items():
            name = token[0] if token[1] < 0 else "/".join(list(filter(None, links))[:2])
            if token[1] != POINT:
                name = next(each for each in chain([name], (f"{name} {k}" for k in count(2))) if each not in taken)
                taken.add(name)
            names[token] = name
        return names

    def _checked(self, graph: ParsedGraph) -> tuple[str, ...]:
        """Compare the routes with the shortest paths, on which messages are sent here; return warnings.

        Raises SpecError: naming the first route that is longer.
        """
        from scipy.sparse import coo_array  # 0.2 s of imports that most networks never need

        number = {name: index for index, name in enumerate(graph.names)}
        routes = [(route, length) for route, length in self._lengths.items() if length > 1]
        if not routes:
            return ()
        ends = np.array([(number[u], number[v]) for (u, v), _ in routes], np.int64)
        links = np.array([length for _, length in routes])
        src, dst = (
            (graph.src, graph.dst) if graph.directed else np.hstack([[graph.src, graph.dst], [graph.dst, graph.src]])
        )
        following = coo_array((np.ones(src.size), (src, dst)), shape=(len(number), len(number))).tocsr()
        sources = np.unique(ends[:, 0])
        several = 0
        for some in np.array_split(sources, len(number) * sources.size // CHUNK + 1):
            here = np.flatnonzero(np.isin(ends[:, 0], some))
            places = np.searchsorted(some, ends[here, 0]), ends[here, 1]
            distance, paths = (each[places] for each in _shortest(following, some, int(links[here].max())))
            longer = here[links[here] > distance]
            if longer.size:
                (u, v), _ = routes[longer[0]]
                raise wrong(f"route {u} to {v} is longer than the shortest path over links of other routes; {ADVICE}")
            several += int((paths > 1).sum())
        return (f"{plural(several, 'route')} of the file: other paths are as short, and may be used here",) * (
            several > 0
        )


def _shortest(
    following: "csr_array", sources: NDArray[np.int64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the length of the shortest paths from some vertices to all, and their number, (sources, vertices) each.

    Paths of more than `most` links are not needed.
    """
    paths = np.zeros((sources.size, following.shape[0]))
    paths[np.arange(sources.size), sources] = 1
    distance, front, length = np.where(paths > 0, 0.0, np.inf), paths.copy(), 0
    while length < most and front.any():
        length += 1
        front = np.where(np.isinf(distance), front @ following, 0.0)
        distance[front > 0] = length
        paths += front
    return distance, paths
