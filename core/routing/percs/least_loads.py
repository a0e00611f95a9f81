"""What a unit puts on the links of PERCS at least: the figures behind `core.load.bounds`.

Each function is a count over the paths of `scheme.py`, whose notation it keeps: W nodes in a bucket, nd
buckets, gates s(j, b), residue of a supernode: its number mod W.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.families.percs import DRAWER, SUPERNODE
from core.routing.router import LinkSet, Partition

LL_IN_BUCKET, LR_IN_BUCKET = "LL links in a bucket", "LR links in a bucket"


class Coarse(NamedTuple):
    """Groups of whole supernodes, all of one size, that the middle L-hop of indirect routing tells apart."""

    name: str
    supernodes: int
    """Supernodes in a group."""
    groups: int
    middle: str
    """Class of the middle L-hop between two groups that are one in the partition before."""


def inside_load(level: int, striped: bool) -> dict[str, float]:
    """Return the exact load of a pair in one supernode: level 1 in two drawers, level 2 in one.

    Striping: 7 of 8 first hops are links.
    """
    if level == 1:
        return {"LL": 1 - 1 / DRAWER if striped else 0.0, "LR": 1.0, "D": 0.0}
    return {"LL": 2 - 2 / DRAWER if striped else 1.0, "LR": 0.0, "D": 0.0}


def direct_load(d_links: int) -> dict[str, float]:
    """Return the D-hop of every unit between supernodes; for most buckets its L-hops change the drawer.

    Of the nd gates of a flow at most ``max(nd / 4, 1)`` lie in the node's own drawer (a drawer holds nd / 4 buckets,
    or a part of one); the hops to the others are LR, at both ends.
    """
    own = max(d_links // (SUPERNODE // DRAWER), 1)
    return {"LL": 0.0 if own == 1 else 2 * (own - 1) / d_links, "LR": 2 * (d_links - own) / d_links, "D": 1.0}


def indirect_load(served: NDArray[np.int64], supernodes: int, d_links: int) -> dict[str, float]:
    """Return the exact D-load, 2 - 2/ns a unit, and the L-hops at both ends, spread over the gates.

    One intermediate of ns is the source's supernode, one the destination's: these paths have a single D-hop. Gate w
    serves the supernodes equal w mod W, `served` of them; where ns is no multiple of W the drawers differ, so the most
    served one is left out.
    """
    gates = np.tile(served, d_links).reshape(-1, DRAWER) / (supernodes * d_links)
    inside, busiest = gates.sum(axis=1), gates.max(axis=1)
    return {
        "LL": 2 * float((inside - busiest).min()),
        "LR": 2 * float(1 - inside.max()),
        "D": 2 - 2 / supernodes,
    }


def coarse_groups(supernodes: int, w: int) -> list[Coarse]:
    """Return how the middle L-hop tells supernodes apart, coarsest first; nothing where groups differ in size.

    A flow from supernode a to b crosses, in every intermediate supernode and bucket, from the gate of a to that of b:
    nodes a mod W and b mod W of the bucket. They are one node if the residues are equal; nodes of two drawers, with
    an LR-link between them, if the residues lie in different octets; else nodes of one drawer.
    """
    residues = min(supernodes, w)
    if supernodes % residues or (residues > DRAWER and residues % DRAWER):
        return []
    found = []
    if residues > DRAWER:
        octets = residues // DRAWER
        found.append(Coarse("octet of congruence classes", supernodes // octets, octets, "LR"))
    found.append(Coarse("congruence class", supernodes // residues, residues, "LL"))
    return found


def bucket_sets(supernodes: int, d_links: int, striped: bool) -> dict[str, LinkSet]:
    """Return the L-links inside buckets where these are fewer than all: only they carry middle hops."""
    w = SUPERNODE // d_links
    if not striped or supernodes % w:
        return {}
    if 1 < w < DRAWER:
        return {LL_IN_BUCKET: LinkSet("LL", supernodes * SUPERNODE * (w - 1))}
    if w == 2 * DRAWER:
        return {LR_IN_BUCKET: LinkSet("LR", supernodes * SUPERNODE * DRAWER)}
    return {}


def bucket_load(level: int, w: int) -> dict[str, float]:
    """Return the exact load on the links of `bucket_sets` of a unit that striping spreads, middle hop left out.

    Level 0 supernode, 1 drawer, 2 node. LL, W < 8: each end of a unit between supernodes meets the W - 1 other gates
    of its node's bucket with 1/32 each; striping puts 1/8 on the way to each of the W - 1 others of a bucket, and on
    the way from them inside the drawer. LR, W = 16: each end meets the 8 gates of its bucket's other drawer.
    """
    if w == 2 * DRAWER:
        return {LR_IN_BUCKET: 2 * DRAWER / SUPERNODE if level == 0 else 0.0}
    return {LL_IN_BUCKET: (2 * (w - 1) / SUPERNODE, (w - 1) / DRAWER, 2 * (w - 1) / DRAWER)[level]}


def with_middle(finer: Partition, groups: list[Coarse], in_bucket: dict[str, LinkSet]) -> tuple[Partition, ...]:
    """Return the chain from the coarsest of `groups` to the supernodes: a unit between groups has a middle hop more.

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
