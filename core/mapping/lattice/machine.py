"""Machines whose groups are all linked to each other, and on which some numberings of the groups are symmetries."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.mapping.lattice.sublattice import Sublattice
from core.network.families.dragonfly import Dragonfly
from core.network.families.percs import Percs
from core.network.network import Network
from core.spec import SpecError

Ints = NDArray[np.int64]

MAX_PLACES = 128
"""Limit on the places of a group: every step of a search reads the load of each link between two places."""


class Numbering(NamedTuple):
    """A numbering of the groups by the translations of a lattice that makes every translation a symmetry.

    The gates from group a to group a + d are the gates from group 0 to group d, moved as a moves the places.
    """

    number: Ints
    """(translations,) group of each translation."""
    moved: Ints
    """(translations, places) the place to which each translation moves a place of group 0."""


@dataclass(frozen=True, eq=False)
class GroupMachine:
    """Groups of places, a place being a node or the router of some nodes; all links between places are direct."""

    groups: int
    places: int
    """Places of a group, all linked to each other."""
    room: int
    """Tasks that a place can hold."""
    gates: Ints
    """(groups, groups, links) places of each group whose links lead to each other group."""
    drawer: int
    """Consecutive places whose links have `near_gbs`, and that share the traffic of each of them inside the group."""
    striped: bool
    """Whether drawers share traffic as on a Power 775; otherwise all traffic in a group takes one hop."""
    near_gbs: float
    far_gbs: float
    """Bandwidth of links in a drawer, and of the other links in a group, GB/s."""
    between_gbs: float
    """Bandwidth of links between groups, GB/s."""
    bucket: int = 0
    """Consecutive gates of a PERCS supernode, of which the number of the other supernode selects one; else 0."""

    @property
    def slots(self) -> int:
        """Return the tasks that fit a group."""
        return self.places * self.room

    def numberings(self, lattice: Sublattice) -> Iterator[Numbering]:
        """Yield the numberings of the groups by the translations of a lattice that are symmetries."""
        if self.bucket:
            yield from _by_buckets(lattice, self)


def machine_of(network: Network) -> GroupMachine:
    """Return the groups of a network.

    Raises SpecError: if it has no groups that are all linked to each other, or too large groups.
    """
    spec = network.spec
    if isinstance(spec, Percs) and spec.supernodes > 1:
        machine = _percs(spec)
    elif isinstance(spec, Dragonfly):
        machine = _dragonfly(spec)
    else:
        needed = "percs with several supernodes, or a dragonfly"
        raise SpecError("mapping.type", f"lattice-colouring needs {needed}; try blocks or sequential")
    if machine.places > MAX_PLACES:
        needed = f"groups of at most {MAX_PLACES} fully linked nodes or routers, not {machine.places:,}"
        raise SpecError("mapping.type", f"lattice-colouring needs {needed}; try blocks or sequential")
    return machine


def _percs(spec: Percs) -> GroupMachine:
    first = np.arange(spec.d_links) * spec.bucket
    gates = np.arange(spec.supernodes)[:, None] % spec.bucket + first
    return GroupMachine(
        spec.supernodes,
        spec.nodes_per_supernode,
        spec.slots_per_node,
        np.broadcast_to(gates, (spec.supernodes, *gates.shape)),
        spec.nodes_per_drawer,
        True,
        spec.ll_gbs,
        spec.lr_gbs,
        spec.d_gbs,
        spec.bucket,
    )


def _dragonfly(spec: Dragonfly) -> GroupMachine:
    ends = spec.wiring.ends
    u, v = np.concatenate(ends), np.concatenate(ends[::-1])
    pair = u // spec.routers * spec.groups + v // spec.routers
    links = np.bincount(pair, minlength=spec.groups**2).reshape(spec.groups, -1)[~np.eye(spec.groups, dtype=bool)]
    if np.ptp(links):
        needed = "equally many global links between every two groups"
        raise SpecError("mapping.type", f"lattice-colouring needs {needed}; set links_per_pair of the network")
    gates = np.zeros((spec.groups * spec.groups, links[0]), np.int64)
    gates[np.unique(pair)] = (u % spec.routers)[np.argsort(pair, kind="stable")].reshape(-1, links[0])
    return GroupMachine(
        spec.groups,
        spec.routers,
        spec.nodes_per_router * spec.slots_per_node,
        gates.reshape(spec.groups, spec.groups, -1),
        spec.routers,
        False,
        spec.local_gbs,
        spec.local_gbs,
        spec.global_gbs,
    )


def _by_buckets(lattice: Sublattice, machine: GroupMachine) -> Iterator[Numbering]:
    # Which position in a bucket a group has depends on its coset of K, and in which drawer that lies on its coset of H.
    # Both are subgroups, so translations permute positions, and drawers.
    bucket, drawer = machine.bucket, machine.drawer
    used = gcd(lattice.order, bucket)
    near = min(used, bucket, drawer)
    if used != min(lattice.order, bucket) or used % near or max(bucket, drawer) % min(bucket, drawer):
        return
    for coarse in lattice.sublattices(used // near):
        for fine in coarse.sublattices(near):
            yield _numbered(lattice, coarse, fine, machine)


def _numbered(lattice: Sublattice, coarse: Sublattice, fine: Sublattice, machine: GroupMachine) -> Numbering:
    points = lattice.points
    position = _ranks(_cosets(coarse, points), _cosets(fine, points), machine.drawer)
    number = np.empty(lattice.order, np.int64)
    for x in np.unique(position):
        members = np.flatnonzero(position == x)
        number[members] = np.arange(members.size) * machine.bucket + x
    moved = np.tile(np.arange(machine.places), (lattice.order, 1))
    for first in range(0, machine.places, machine.bucket):
        moved[:, first + position] = first + position[lattice.sums]
    return Numbering(number, moved)


def _cosets(finer: Sublattice, points: Ints) -> Ints:
    # The number of each point's coset, 0 for the origin's, which is the first point.
    _, first, coset = np.unique(finer.reduced(points), axis=1, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[coset.ravel()])


def _ranks(coarse: Ints, fine: Ints, size: int) -> Ints:
    # size * coarse + the rank of the fine coset among the fine cosets of its coarse coset.
    rank: dict[int, int] = {}
    seen: dict[int, int] = {}
    for group, coset in zip(coarse.tolist(), fine.tolist(), strict=True):
        if coset not in rank:
            rank[coset] = seen.get(group, 0)
            seen[group] = rank[coset] + 1
    return np.array([size * group + rank[coset] for group, coset in zip(coarse.tolist(), fine.tolist(), strict=True)])
