"""Networks given link by link: what all families that are no lattice share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.network.layout import Layout
from core.network.network import Cut, Ints, Level, LinkClass, Network, NetworkSpec, SymmetryClasses, check_size
from core.spec import SpecError


class EdgeList(NamedTuple):
    """Links of one class, as two arrays of vertices of one length.

    A pair is one undirected link: two directed ones, next to each other, there and back. With `one_way` it is a
    single directed link.
    """

    name: str
    gbs: float
    """Of one link in one direction, GB/s."""
    u: Ints
    v: Ints
    one_way: bool = False
    multiplicity: int = 1
    """Real links that each stands for, in a folded network."""


def network_from_edges(
    spec: NetworkSpec,
    nodes: int,
    edges: Sequence[EdgeList],
    layout: Callable[[Network], Layout],
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
    alike: Callable[[Network], Ints] | None = None,
) -> Network:
    """Return the network with these links, classes in the order given; classes without links are left out.

    Raises SpecError: if there are fewer than two nodes, or more links than fit.
    """
    if nodes < 2:
        raise SpecError("network", "has fewer than two nodes; make it larger")
    check_size("network", f"{nodes:,} nodes", sum(w.u.size * (1 if w.one_way else 2) for w in edges))
    classes, src, dst, first = [], [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], 0
    for w in edges:
        ends = (w.u, w.v) if w.one_way else (_both(w.u, w.v), _both(w.v, w.u))
        src.append(ends[0].astype(np.int32))
        dst.append(ends[1].astype(np.int32))
        if src[-1].size:
            classes.append(LinkClass(w.name, w.gbs, slice(first, first + src[-1].size), w.multiplicity))
            first += src[-1].size
    network = Network(
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
        _layout=lambda: layout(network),
        _alike=None if alike is None else lambda: alike(network),
    )
    return network


def by_jump(network: Network) -> Ints:
    """Return how many numbers ahead every link leads, round a ring of all nodes: see `Network.alike`."""
    return (network.dst - network.src) % np.int32(network.nodes)


def _both(u: Ints, v: Ints) -> Ints:
    return np.stack([u, v], axis=1).ravel()
