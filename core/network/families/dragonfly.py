"""Dragonflies: groups of routers that are all joined to each other, and global links between all groups.

Each of the g groups has a routers of h global ports: a h ports, numbered router by router, of which g - 1 at a time are
spent on a round of links, one to every other group. Arrangements say which port leads where in a round:

absolute   port k of group i to the k-th other group in ascending order (Kim et al. 2008; "consecutive")
relative   port k of group i to group i + k + 1 modulo g (mirrored: "palmtree")
cyclic     ports of group i to groups i + 1, i - 1, i + 2, i - 2 ... ("circulant-based")

Source: Hastings et al., "Comparing global link arrangements for dragonfly networks", 2015. Ports left after the last
whole round go to the nearest groups on either side, as many on one as on the other; a single one that is then left in
each group stays free.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.layouts.groups import groups_on_a_circle
from core.network.network import (
    Cut,
    Gbs,
    Ints,
    Level,
    Network,
    NetworkSpec,
    Nics,
    SymmetryClasses,
    TasksPerNode,
    check_size,
)
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import plural

MAX_SIZE = 1024
"""Routers of a group, global links of a router."""
MAX_GROUPS = 4096

Arrangement = Literal["absolute", "relative", "cyclic"]


class Dragonfly(NetworkSpec, frozen=True, tag="dragonfly"):
    """A dragonfly: groups of routers joined all-to-all, the groups joined by global links."""

    title: ClassVar[str] = "Dragonfly"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "36 routers as nodes": {"routers": 4, "global_links": 2, "groups": 9, "nodes_per_router": 1},
        "1,040 routers as nodes": {"routers": 16, "global_links": 4, "groups": 65, "nodes_per_router": 1},
        "Balanced, 72 nodes": {"routers": 4, "global_links": 2, "groups": 9, "nodes_per_router": 2},
        "Balanced, 1,056 nodes": {"routers": 8, "global_links": 4, "groups": 33, "nodes_per_router": 4},
    }

    routers: Annotated[int, declare("Routers", "of a group, all joined to each other: a", ge=1, le=MAX_SIZE)] = 4
    global_links: Annotated[int, declare("Global links", "ports of a router to other groups: h", ge=1, le=MAX_SIZE)] = 2
    groups: Annotated[int, declare("Groups", "at most routers times global links, and one: g", ge=2, le=MAX_GROUPS)] = 9
    nodes_per_router: Annotated[
        int, declare("Nodes per router", "1: the router is the node; more: nodes are joined to it: p", ge=1, le=256)
    ] = 1
    arrangement: Annotated[Arrangement, declare("Arrangement", "which router has the link to which group")] = "relative"
    links_per_pair: Annotated[
        int,
        declare("Links per pair", "global links between two groups; 0: all that ports allow", ge=0, le=MAX_SIZE),
    ] = 0
    local_gbs: Annotated[Gbs, declare("Local links", "inside a group, per direction", unit="GB/s")] = 12.5
    global_gbs: Annotated[Gbs, declare("Global links", "between groups, per direction", unit="GB/s")] = 12.5
    host_gbs: Annotated[Gbs, declare("Node links", "from a node to its router, per direction", unit="GB/s")] = 12.5
    slots_per_node: TasksPerNode = 1
    nics: Nics = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.groups * self.routers * self.nodes_per_router

    @property
    def hosted(self) -> bool:
        """Return whether nodes are joined to routers; else these are the nodes."""
        return self.nodes_per_router > 1

    def summary(self) -> str:
        """Return the numbers of nodes, of routers if these are others, and of links between two groups."""
        plan = _plan(self)
        few, many = plan.rounds, plan.rounds + (1 if plan.nearest.size else 0)
        links = plural(few, "global link") if few == many else f"{few} or {many} global links"
        routers = self.groups * self.routers
        what = f"{self.nodes:,} nodes, {routers:,} routers" if self.hosted else f"{routers:,} nodes"
        return f"{what}, {links} between any two groups"

    def sized(self, nodes: int) -> Self:
        """Return the one with the number of groups that comes nearest to so many nodes.

        Where there are not ports enough for so many groups, groups of twice as many routers as global links.
        """
        each, share = self.routers * self.nodes_per_router, max(self.links_per_pair, 1)
        routers, ports, halves = self.routers, self.global_links, range(1, MAX_SIZE // 2 + 1)
        if nodes < 2 * each:
            routers = max(round(nodes / 2 / self.nodes_per_router), 1)
        elif nodes > each * (routers * ports // share + 1):
            # The least balanced one that is large enough.
            fitting = (h for h in halves if 2 * h * self.nodes_per_router * (2 * h * h // share + 1) >= nodes)
            ports = next(fitting, halves[-1])
            routers = 2 * ports
        most = min(routers * ports // share + 1, MAX_GROUPS)
        groups = min(max(round(nodes / (routers * self.nodes_per_router)), 2), max(most, 2))
        return msgspec.structs.replace(
            self,
            routers=routers,
            global_links=ports,
            groups=groups,
            links_per_pair=min(self.links_per_pair, routers * ports // (groups - 1)),
        )

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return those whose routers have the degree with as many nodes each, those nearest in size first.

        Of about one size those come first whose groups have about twice as many routers as a router global links.
        """
        found, degree = [], degree - self.nodes_per_router * self.nics * self.hosted
        for ports in range(1, min(degree + 1, MAX_SIZE) + 1):
            routers = degree - ports + 1
            most = min(routers * ports // max(self.links_per_pair, 1) + 1, MAX_GROUPS)
            if 1 <= routers <= MAX_SIZE and most >= 2:
                groups = min(max(round(nodes / (routers * self.nodes_per_router)), 2), most)
                spec = msgspec.structs.replace(self, routers=routers, global_links=ports, groups=groups)
                found.append((round(off_by(spec.nodes, nodes), 1), abs(routers - 2 * ports), ports, spec))
        return tuple(spec for *_, spec in sorted(found, key=lambda one: one[:3])[:4])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are local, global and, with more than one node per router, host.

        Raises SpecError: if the routers have not ports enough, or beyond the limit on links.
        """
        _check(self)
        between = _global_pairs(self)
        return network_from_edges(
            self,
            self.nodes,
            _edges(self, between),
            lambda network: groups_on_a_circle(self.groups, self.routers, self.nodes_per_router),
            slots=self.slots_per_node,
            switches=self.groups * self.routers if self.hosted else 0,
            switch_group=np.repeat(np.arange(self.groups, dtype=np.int32), self.routers) if self.hosted else None,
            levels=_levels(self),
            cuts=_cuts(self, between),
            label=lambda vertex: _label(self, vertex),
            warnings=_warnings(self),
            symmetry=_symmetry(self),
        )


class _Plan(NamedTuple):
    """How the ports of each group are spent."""

    rounds: int
    """Links to every other group."""
    nearest: NDArray[np.int64]
    """One more link to the groups so far ahead; as many lie as far behind."""
    free: int
    """Ports that stay free in each group."""


def _plan(spec: Dragonfly) -> _Plan:
    ports, others = spec.routers * spec.global_links, spec.groups - 1
    if spec.links_per_pair:
        return _Plan(spec.links_per_pair, np.zeros(0, np.int64), ports - spec.links_per_pair * others)
    rounds, rest = divmod(ports, others)
    # Each link takes a port at both ends: what leads o ahead leads o behind from there, and half way round is both.
    used = rest if spec.groups % 2 == 0 else rest - rest % 2
    ahead = np.arange(1, used // 2 + 1)
    halfway = [spec.groups // 2] if used % 2 else []
    return _Plan(rounds, np.concatenate([ahead, spec.groups - ahead, halfway]).astype(np.int64), rest - used)


def _check(spec: Dragonfly) -> None:
    ports, others = spec.routers * spec.global_links, spec.groups - 1
    if others < 1:
        raise SpecError("network.groups", f"is {spec.groups}; at least 2 are joined by global links")
    if ports < others:
        reach = f"{spec.routers} routers of {spec.global_links} global links reach {ports:,} other groups"
        raise SpecError("network.groups", f"is {spec.groups:,}; {reach}, so at most {ports + 1:,}")
    if spec.links_per_pair * others > ports:
        most = f"at most {ports // others} to each of {others:,} other groups"
        given = f"is {spec.links_per_pair}; the {ports:,} global ports of a group give {most}"
        raise SpecError("network.links_per_pair", given)
    routers = spec.groups * spec.routers
    links = (
        routers * (spec.routers - 1)
        + spec.groups * (ports - _plan(spec).free)
        + 2 * spec.nodes * spec.nics * spec.hosted
    )
    check_size("network.groups", f"{spec.groups:,} groups of {spec.routers:,} routers", links)


def _global_pairs(spec: Dragonfly) -> tuple[Ints, Ints]:
    """Return the routers that global links join, shape ``(links,)`` each, numbered group by group."""
    plan = _plan(spec)
    u, v = [], []
    for turn in range(plan.rounds + 1):
        offsets = np.arange(1, spec.groups) if turn < plan.rounds else plan.nearest
        i, j, port_i, port_j = _round(spec.groups, offsets, spec.arrangement)
        first = turn * (spec.groups - 1)
        u.append(i * spec.routers + (first + port_i) // spec.global_links)
        v.append(j * spec.routers + (first + port_j) // spec.global_links)
    return np.concatenate(u).astype(np.int32), np.concatenate(v).astype(np.int32)


def _round(groups: int, offsets: NDArray[np.int64], arrangement: Arrangement) -> tuple[NDArray[np.int64], ...]:
    """Return pairs of groups i < j one of `offsets` apart, and the ports of a round that join them, in i and in j."""
    group = np.arange(groups)[:, None]
    offsets = np.sort(offsets)
    if arrangement == "cyclic":
        offsets = offsets[np.argsort(np.minimum(offsets, groups - offsets), kind="stable")]
    target = (group + offsets) % groups
    if arrangement == "absolute":
        target = np.sort(target, axis=1)
    port = np.full((groups, groups), -1)
    port[group, target] = np.arange(offsets.size)
    i, j = np.nonzero(np.triu(port >= 0))
    return i, j, port[i, j], port[j, i]


def _edges(spec: Dragonfly, between: tuple[Ints, Ints]) -> list[EdgeList]:
    first = np.int32(spec.nodes if spec.hosted else 0)
    u, v = (end.astype(np.int32) for end in np.triu_indices(spec.routers, 1))
    start = first + np.int32(spec.routers) * np.arange(spec.groups, dtype=np.int32)[:, None]
    edges = [
        EdgeList("local", spec.local_gbs, (start + u).ravel(), (start + v).ravel()),
        EdgeList("global", spec.global_gbs, first + between[0], first + between[1]),
    ]
    if spec.hosted:
        node = np.arange(spec.nodes, dtype=np.int32)
        router = first + node // np.int32(spec.nodes_per_router)
        edges.append(EdgeList("host", spec.host_gbs, np.repeat(node, spec.nics), np.repeat(router, spec.nics)))
    return edges


def _levels(spec: Dragonfly) -> tuple[Level, ...]:
    node = np.arange(spec.nodes, dtype=np.int32)
    each = spec.routers * spec.nodes_per_router
    levels = [Level("group", node // np.int32(each), spec.groups)]
    if spec.hosted and spec.routers > 1:
        levels.append(Level("router", node // np.int32(spec.nodes_per_router), spec.groups * spec.routers))
    return tuple(levels)


def _cuts(spec: Dragonfly, between: tuple[Ints, Ints]) -> tuple[Cut, ...]:
    each, half = spec.routers * spec.nodes_per_router, spec.groups // 2

    def _leaving(groups: int) -> int:
        return int(((between[0] < groups * spec.routers) != (between[1] < groups * spec.routers)).sum())

    return (
        Cut("one group", each, {"global": _leaving(1)}),
        Cut("half of the groups", half * each, {"global": _leaving(half)}),
    )


def _symmetry(spec: Dragonfly) -> SymmetryClasses | None:
    # Where ports tell how far ahead they lead, a turn by a group is the same network.
    if spec.arrangement == "absolute":
        return None
    node = np.arange(spec.routers * spec.nodes_per_router, dtype=np.int32)
    return SymmetryClasses(node, np.full(node.size, spec.groups, np.int32))


def _warnings(spec: Dragonfly) -> tuple[str, ...]:
    free, ports = _plan(spec).free, spec.routers * spec.global_links
    what = f"{free:,} of the {ports:,} global ports of each group"
    return (f"{what} stay{'s' if free == 1 else ''} free",) if free else ()


def _label(spec: Dragonfly, vertex: int) -> str:
    router, place = divmod(vertex, spec.nodes_per_router)
    if vertex >= spec.nodes:
        router = vertex - spec.nodes
    group, in_group = divmod(router, spec.routers)
    name = f"g{group} · r{in_group}"
    return name if vertex >= spec.nodes or spec.nodes_per_router == 1 else f"{name} · n{place}"
