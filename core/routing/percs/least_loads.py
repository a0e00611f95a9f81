"""Minimum loads of a unit on the links of PERCS: the figures behind `core.load.bounds`.

Each function counts over the paths of `scheme.py`, in its notation: W nodes in a bucket, nd buckets, gates s(j, b); the
residue of a supernode is its number mod W. `size`, n, is the number of nodes of a supernode, `mates`, m, of a drawer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.routing.router import LinkSet, Partition

LL_IN_BUCKET, LR_IN_BUCKET = "LL links inside buckets", "LR links inside buckets"


class Coarse(NamedTuple):
    """Equal groups of whole supernodes, distinguished by the middle L-hop of indirect routing."""

    name: str
    supernodes: int
    """Supernodes in a group."""
    groups: int
    middle: str
    """Class of the middle L-hop between two groups that are in one group of the coarser partition."""


def inside_load(level: int, striped: bool, mates: int) -> dict[str, float]:
    """Return the exact load of a pair in one supernode: level 1 in two drawers, level 2 in one.

    With striping all but one of m first hops are links.
    """
    if level == 1:
        return {"LL": 1 - 1 / mates if striped else 0.0, "LR": 1.0, "D": 0.0}
    return {"LL": 2 - 2 / mates if striped else 1.0, "LR": 0.0, "D": 0.0}


def direct_load(d_links: int, w: int, mates: int) -> dict[str, float]:
    """Return the D-hop of every unit between supernodes; for most buckets its L-hops change the drawer.

    The nd gates of a flow are W apart: m / W of them, rounded up or down, are in the node's own drawer. Hops to the
    other gates are LR, at both ends. One of the gates in the drawer may be the node itself.
    """
    least, most = mates // w, -(-mates // w)
    return {"LL": 2 * max(least - 1, 0) / d_links, "LR": 2 * (d_links - most) / d_links, "D": 1.0}


def indirect_load(served: NDArray[np.int64], supernodes: int, d_links: int, mates: int) -> dict[str, float]:
    """Return the exact D-load, 2 - 2/ns per unit, and the L-hops at both ends, spread over the gates.

    One intermediate of ns is the source's supernode, one the destination's: these paths have a single D-hop. Gate w
    serves the supernodes equal w mod W, `served` of them; if ns is not a multiple of W the drawers differ, so the
    gate serving most is omitted.
    """
    gates = np.tile(served, d_links).reshape(-1, mates) / (supernodes * d_links)
    inside, busiest = gates.sum(axis=1), gates.max(axis=1)
    return {"LL": 2 * float((inside - busiest).min()), "LR": 2 * float(1 - inside.max()), "D": 2 - 2 / supernodes}


def coarse_groups(supernodes: int, w: int, mates: int) -> list[Coarse]:
    """Return how the middle L-hop groups supernodes, coarsest first; empty if groups differ in size.

    Also empty if buckets cross the ends of drawers.

    A flow from supernode a to b crosses, in every intermediate supernode and bucket, from the gate of a to the gate of
    b: nodes a mod W and b mod W of the bucket. They are the same if the residues are equal; nodes of two drawers, with
    an LR-link between them, if the residues are in different runs of m; else nodes of one drawer.
    """
    residues = min(supernodes, w)
    if supernodes % residues or (w % mates and mates % w) or (residues > mates and residues % mates):
        return []
    groups = []
    if residues > mates:
        octets = residues // mates
        name = "octet" if mates == 8 else "run"
        groups.append(Coarse(f"{name} of congruence classes", supernodes // octets, octets, "LR"))
    groups.append(Coarse("congruence class", supernodes // residues, residues, "LL"))
    return groups


def bucket_sets(supernodes: int, size: int, w: int, mates: int, striped: bool) -> dict[str, LinkSet]:
    """Return the L-links inside buckets if there are others: only they carry middle hops."""
    if not striped or supernodes % w:
        return {}
    if 1 < w < mates and mates % w == 0:
        return {LL_IN_BUCKET: LinkSet("LL", supernodes * size * (w - 1))}
    if w == 2 * mates:
        return {LR_IN_BUCKET: LinkSet("LR", supernodes * size * mates)}
    return {}


def bucket_load(level: int, w: int, size: int, mates: int) -> dict[str, float]:
    """Return the exact load of a unit that striping spreads on the links of `bucket_sets`, without the middle hop.

    Level 0 supernode, 1 drawer, 2 node. LL, W < m: each end of a unit between supernodes has the W - 1 other gates of
    its node's bucket with 1/n each; striping puts 1/m on each of the W - 1 links to other nodes of a bucket, and on the
    links from them inside the drawer. LR, W = 2 m: each end has the m gates of its bucket's other drawer.
    """
    if w == 2 * mates:
        return {LR_IN_BUCKET: 2 * mates / size if level == 0 else 0.0}
    return {LL_IN_BUCKET: (2 * (w - 1) / size, (w - 1) / mates, 2 * (w - 1) / mates)[level]}


def with_middle(finer: Partition, groups: list[Coarse], in_bucket: dict[str, LinkSet]) -> tuple[Partition, ...]:
    """Return the chain from the coarsest of `groups` to the supernodes: between groups a unit has an extra middle hop.

    `finer` is the partition into supernodes without middle hops.
    """
    chain = []
    for group in groups:
        least = dict(finer.least)
        for name in (group.middle, *(n for n, links in in_bucket.items() if links.link_class == group.middle)):
            least[name] = least.get(name, 0.0) + 1.0
        chain.append(Partition(group.name, group.supernodes * finer.nodes, group.groups, least))
    if chain and chain[-1].groups == finer.groups:
        return (*chain[:-1], finer._replace(least=chain[-1].least))
    return (*chain, finer)
