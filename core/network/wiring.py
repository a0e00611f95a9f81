"""Builds networks from lists of links, for all families."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.network.layout import Layout
from core.network.network import Counts, Cut, Ints, Level, LinkClass, Network, NetworkSpec, SymmetryClasses, check_size
from core.network.tree_embedding import TreeEmbedding
from core.spec import SpecError


class EdgeList(NamedTuple):
    """Links of one class, as two arrays of vertices of one length.

    A pair is a full-duplex link: two directed ones with successive numbers, forward and reverse; with `one_way` a
    single directed link.
    """

    name: str
    gbs: float
    """Bandwidth of one link in one direction, GB/s."""
    u: Ints
    v: Ints
    one_way: bool = False
    multiplicity: int = 1
    """Real links represented by each link, in aggregated networks."""


def network_from_edges(
    spec: NetworkSpec,
    nodes: int,
    edges: Sequence[EdgeList],
    lay_out: Callable[[Network], Layout],
    *,
    slots: int,
    switches: int = 0,
    switch_group: Ints | None = None,
    levels: tuple[Level, ...] = (),
    cuts: tuple[Cut, ...] = (),
    label: Callable[[int], str] = str,
    warnings: tuple[str, ...] = (),
    aggregation: int = 1,
    symmetry: SymmetryClasses | None = None,
    find_alike: Callable[[Network], Ints] | None = None,
    find_tree: Callable[[Network], TreeEmbedding | None] | None = None,
    find_counts: Callable[[], Counts] | None = None,
    closed: int = 0,
) -> Network:
    """Return the network with these links, classes in the order given, without empty ones.

    Raises SpecError: if there are fewer than two nodes, or too many links.
    """
    if nodes < 2:
        raise SpecError("network", "has fewer than two nodes; at least two are needed")
    check_size("network", f"{nodes:,} nodes", sum(links.u.size * (1 if links.one_way else 2) for links in edges))
    classes, src, dst, first = [], [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], 0
    for links in edges:
        u, v = (links.u, links.v) if links.one_way else (_interleaved(links.u, links.v), _interleaved(links.v, links.u))
        if u.size:
            src.append(u.astype(np.int32, copy=False))
            dst.append(v.astype(np.int32, copy=False))
            classes.append(LinkClass(links.name, links.gbs, slice(first, first + u.size), links.multiplicity))
            first += u.size
    return Network(
        spec=spec,
        nodes=nodes,
        vertices=nodes + switches,
        src=np.concatenate(src),
        dst=np.concatenate(dst),
        classes=tuple(classes),
        slots_per_node=slots,
        levels=levels,
        cuts=cuts,
        warnings=warnings,
        label=label,
        switch_group=switch_group,
        aggregation=aggregation,
        symmetry=symmetry,
        lay_out=lay_out,
        find_alike=find_alike,
        find_tree=find_tree,
        find_counts=find_counts,
        closed=closed,
    )


def by_jump(network: Network) -> Ints:
    """Return by how many nodes every link leads ahead in a ring of all nodes: see `Network.alike`."""
    return (network.dst - network.src) % np.int32(network.nodes)


def _interleaved(u: Ints, v: Ints) -> Ints:
    return np.stack([u, v], axis=1).ravel()
