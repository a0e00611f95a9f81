"""Numberings of linked groups by the translations of a lattice, so that translations are symmetries of the machine."""

from collections.abc import Iterator
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.mapping.lattice.sublattice import Sublattice
from core.network.linked_groups import LinkedGroups

Ints = NDArray[np.int64]


class Numbering(NamedTuple):
    """A numbering of the groups by the translations of a lattice that makes every translation a symmetry.

    The gates from group a to group a + d are the gates from group 0 to group d, moved as a moves the places.
    """

    number: Ints
    """(translations,) group of each translation."""
    moved: Ints
    """(translations, places) the place to which each translation moves a place of group 0."""


def numberings(groups: LinkedGroups, lattice: Sublattice) -> Iterator[Numbering]:
    """Yield numberings of the groups by the translations of a lattice that are symmetries."""
    if groups.bucket:
        yield from _by_buckets(groups, lattice)


def _by_buckets(groups: LinkedGroups, lattice: Sublattice) -> Iterator[Numbering]:
    # Which position in a bucket a group has depends on its coset of K, and in which drawer that lies on its coset of H.
    # Both are subgroups, so translations permute positions, and drawers.
    bucket, drawer = groups.bucket, groups.drawer
    used = gcd(lattice.order, bucket)
    near = min(used, bucket, drawer)
    if used != min(lattice.order, bucket) or used % near or max(bucket, drawer) % min(bucket, drawer):
        return
    for coarse in lattice.sublattices(used // near):
        for fine in coarse.sublattices(near):
            yield _numbered(lattice, coarse, fine, groups)


def _numbered(lattice: Sublattice, coarse: Sublattice, fine: Sublattice, groups: LinkedGroups) -> Numbering:
    points = lattice.points
    position = _ranks(_cosets(coarse, points), _cosets(fine, points), groups.drawer)
    number = np.empty(lattice.order, np.int64)
    for x in np.unique(position):
        members = np.flatnonzero(position == x)
        number[members] = np.arange(members.size) * groups.bucket + x
    moved = np.tile(np.arange(groups.places), (lattice.order, 1))
    for first in range(0, groups.places, groups.bucket):
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
