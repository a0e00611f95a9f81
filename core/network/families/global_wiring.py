"""Global links of dragonflies and their relatives: which ports of which groups are connected.

Each of g groups has a routers with h global ports: a h ports, numbered router by router. A round of links, one to every
other group, uses g - 1 of them. The arrangement determines which port leads to which group in a round:

absolute   port k of group i to the k-th other group in ascending order (Kim et al. 2008; "consecutive")
relative   port k of group i to group i + k + 1 modulo g (mirrored: "palmtree")
cyclic     ports of group i to groups i + 1, i - 1, i + 2, i - 2 ... ("circulant-based")

Source: Hastings et al., "Comparing global link arrangements for dragonfly networks", 2015. Ports left after the last
full round go to the nearest groups, equally on both sides; a single port left in each group stays unused.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.network import Cut, Ints, SymmetryClasses
from core.spec import SpecError, declare
from core.text import plural

MAX_SIZE = 1024
"""Routers of a group, global links of a router."""
MAX_GROUPS = 4096

Arrangement = Annotated[
    Literal["absolute", "relative", "cyclic"],
    declare("Global arrangement", "rule that assigns the global links of a group to its routers"),
]
LinksPerPair = Annotated[
    int,
    declare(
        "Links per pair",
        "global links between every two groups (automatic: as many as the ports allow)",
        zero="automatic",
        ge=0,
        le=MAX_SIZE,
    ),
]


class PortPlan(NamedTuple):
    """Use of the ports of each group."""

    rounds: int
    """Rounds of links to every other group."""
    nearest: NDArray[np.int64]
    """Distances to the groups with one more link, ahead and behind."""
    free: int
    """Unused ports in each group."""


@dataclass(frozen=True)
class GlobalWiring:
    """The global links of some groups of routers."""

    groups: int
    routers: int
    """Routers per group with global ports."""
    ports: int
    """Global ports per router."""
    arrangement: str
    links_per_pair: int
    """Links between two groups; 0 for as many as ports allow."""
    called: str = "routers"
    """Name of routers in messages."""

    @cached_property
    def plan(self) -> PortPlan:
        """Return the use of the ports."""
        ports, others = self.routers * self.ports, self.groups - 1
        if self.links_per_pair:
            return PortPlan(self.links_per_pair, np.zeros(0, np.int64), ports - self.links_per_pair * others)
        rounds, rest = divmod(ports, others)
        # Each link uses a port at both ends: from there, a group o ahead is o behind; halfway around it is both.
        used = rest if self.groups % 2 == 0 else rest - rest % 2
        ahead = np.arange(1, used // 2 + 1)
        halfway = [self.groups // 2] if used % 2 else []
        return PortPlan(rounds, np.concatenate([ahead, self.groups - ahead, halfway]).astype(np.int64), rest - used)

    def check(self) -> None:
        """Check that groups have enough ports.

        Raises SpecError: naming the field.
        """
        ports, others = self.routers * self.ports, self.groups - 1
        if others < 1:
            raise SpecError("network.groups", f"is {self.groups}; must be at least 2")
        if ports < others:
            reach = f"{self.routers} {self.called} with {plural(self.ports, 'global link')} each"
            raise SpecError("network.groups", f"is {self.groups:,}; must be at most {ports + 1:,} for {reach}")
        if self.links_per_pair * others > ports:
            ends = f"{ports:,} global ports per group and {others:,} other groups"
            raise SpecError(
                "network.links_per_pair", f"is {self.links_per_pair}; must be at most {ports // others} for {ends}"
            )

    @property
    def links(self) -> int:
        """Return the number of directed links."""
        return self.groups * (self.routers * self.ports - self.plan.free)

    @cached_property
    def ends(self) -> tuple[Ints, Ints]:
        """Return the routers at both ends of all links, shape ``(links,)`` each, numbered group by group."""
        plan = self.plan
        u, v = [], []
        for turn in range(plan.rounds + 1):
            offsets = np.arange(1, self.groups) if turn < plan.rounds else plan.nearest
            i, j, port_i, port_j = _round(self.groups, offsets, self.arrangement)
            first = turn * (self.groups - 1)
            u.append(i * self.routers + (first + port_i) // self.ports)
            v.append(j * self.routers + (first + port_j) // self.ports)
        return np.concatenate(u).astype(np.int32), np.concatenate(v).astype(np.int32)

    @property
    def gates(self) -> NDArray[np.int64] | None:
        """Return the routers of each group with links to each other group, ``(groups, groups, links)``.

        Entries on the diagonal are 0. None if some pairs of groups have one more link.
        """
        if self.plan.nearest.size:
            return None
        (u, v), gates = self.ends, np.zeros((self.groups**2, self.plan.rounds), np.int64)
        u, v = np.concatenate([u, v]), np.concatenate([v, u])
        pair = u // self.routers * self.groups + v // self.routers
        gates[np.unique(pair)] = (u % self.routers)[np.argsort(pair, kind="stable")].reshape(-1, self.plan.rounds)
        return gates.reshape(self.groups, self.groups, -1)

    @property
    def between(self) -> str:
        """Return the number of links between two groups, in words."""
        few, many = self.plan.rounds, self.plan.rounds + (1 if self.plan.nearest.size else 0)
        return plural(few, "global link") if few == many else f"{few} or {many} global links"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return a warning about unused ports, if any."""
        free = self.plan.free
        what = f"{free:,} of the {self.routers * self.ports:,} global ports of each group"
        return (f"{what} {'is' if free == 1 else 'are'} unused",) if free else ()

    def cuts(self, nodes: int) -> tuple[Cut, ...]:
        """Return the cuts around one group of `nodes` nodes, and around half of the groups."""
        half = self.groups // 2
        return (
            Cut("one group", nodes, {"global": self._leaving(1)}),
            Cut("half of the groups", half * nodes, {"global": self._leaving(half)}),
        )

    def _leaving(self, groups: int) -> int:
        u, v = self.ends
        return int(((u < groups * self.routers) != (v < groups * self.routers)).sum())

    def symmetry(self, nodes: int) -> SymmetryClasses | None:
        """Return the symmetry classes of groups of `nodes` nodes each.

        If ports determine how far ahead they lead, rotating the groups is a symmetry.
        """
        if self.arrangement == "absolute":
            return None
        node = np.arange(nodes, dtype=np.int32)
        return SymmetryClasses(node, np.full(node.size, self.groups, np.int32))


def _round(groups: int, offsets: NDArray[np.int64], arrangement: str) -> tuple[NDArray[np.int64], ...]:
    """Return pairs of groups i < j at a distance in `offsets`, and the ports joining them in a round, in i and in j."""
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
