"""A network in the form that writers need: every full-duplex link once, and a name for every vertex."""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.network import Ints, Network
from core.spec import SpecError
from core.text import plural

NICS = "which NICs belong to one host"
"""Loss of formats whose hosts are NICs."""
UNPLAIN = re.compile(r"[^A-Za-z0-9_.-]+")


class WrittenLinks(NamedTuple):
    """Links between vertices, as written to a file."""

    src: Ints
    """(links,)"""
    dst: Ints
    """(links,)"""
    gbs: NDArray[np.float64]
    """(links,) bandwidth in one direction, GB/s."""
    losses: tuple[str, ...] = ()
    """Properties of the network that are not written."""


def one_way(network: Network) -> WrittenLinks:
    """Return every directed link of a network, except loops.

    Raises SpecError: if the network is aggregated.
    """
    if network.aggregation > 1:
        words = f"has {network.real_links:,} links and is aggregated"
        raise SpecError("network", f"{words}; choose a smaller network to export")
    kept = network.src != network.dst
    loops = network.links - int(kept.sum())
    lost: tuple[str, ...] = (f"{plural(loops, 'link')} from a node to itself",) if loops else ()
    lost += (NICS,) if network.nics is not None else ()
    return WrittenLinks(network.src[kept], network.dst[kept], network.gbs[kept], lost)


def leads_back(network: Network) -> bool:
    """Return whether every link has a reverse of equal bandwidth."""
    links = one_way(network)
    forth, back = (np.lexsort((links.gbs, u, v)) for u, v in ((links.src, links.dst), (links.dst, links.src)))
    return (
        np.array_equal(links.src[forth], links.dst[back])
        and np.array_equal(links.dst[forth], links.src[back])
        and np.array_equal(links.gbs[forth], links.gbs[back])
    )


def two_way(network: Network) -> WrittenLinks:
    """Return every full-duplex link of a network, from its lower vertex.

    Raises SpecError: if some links are one-way, or the network is aggregated.
    """
    links = one_way(network)
    if not leads_back(network):
        raise SpecError("network", "has one-way links; choose graphml, the only format that supports them")
    forth = links.src < links.dst
    return WrittenLinks(links.src[forth], links.dst[forth], links.gbs[forth], links.losses)


def merged_links(network: Network) -> WrittenLinks:
    """Return one link for each pair of linked vertices, with the total bandwidth of their links.

    Raises SpecError: as `two_way` does.
    """
    links = two_way(network)
    pair, where = np.unique(links.src.astype(np.int64) * network.vertices + links.dst, return_inverse=True)
    several = links.src.size - pair.size
    lost = (f"{plural(several, 'parallel link')}, merged with other links of the same pair",)
    src, dst = (end.astype(np.int32) for end in np.divmod(pair, network.vertices))
    width = np.asarray(np.bincount(where, links.gbs, pair.size), np.float64)
    return WrittenLinks(src, dst, width, links.losses + (lost if several else ()))


class RouterGraph(NamedTuple):
    """A network for simulators: every node has one router, and links are between routers."""

    home: Ints
    """(nodes,) router of each node."""
    routers: int
    src: Ints
    """(links,) router at one end."""
    dst: Ints
    """(links,) router at the other end."""
    own: bool
    """Whether every vertex was given a router, because some node has more than one link to a switch."""
    losses: tuple[str, ...]


def router_graph(network: Network, links: WrittenLinks) -> RouterGraph:
    """Return a network with its switches as routers; if nodes have other links, with all vertices as routers."""
    nodes, lost = network.nodes, ("bandwidths", *links.losses)
    at_node = links.src < nodes
    if np.array_equal(np.sort(links.src[at_node]), np.arange(nodes)) and (links.dst[at_node] >= nodes).all():
        home = np.empty(nodes, np.int32)
        home[links.src[at_node]] = links.dst[at_node] - nodes
        ends = links.src[~at_node] - nodes, links.dst[~at_node] - nodes
        return RouterGraph(home, network.vertices - nodes, *ends, own=False, losses=lost)
    lost += ("nodes with several links, so that every node has its own router",)
    return RouterGraph(np.arange(nodes, dtype=np.int32), network.vertices, links.src, links.dst, own=True, losses=lost)


def vertex_names(network: Network) -> list[str]:
    """Return a unique name for every vertex: names of nodes, and labels of switches in plain characters.

    Plain characters are letters, digits, dots, underscores and hyphens: ``L1-switch-0``.
    """
    switches = range(network.nodes, network.vertices)
    names = [*network.node_names, *(UNPLAIN.sub("-", network.label(vertex)).strip("-") for vertex in switches)]
    if len(set(names)) == network.vertices and all(names):
        return names
    return [*network.node_names, *padded("switch", len(switches))]


def padded(name: str, count: int) -> list[str]:
    """Return ``node000``, ``node001``, ..., padded to sort by number."""
    return [f"{name}{number:0{len(str(count - 1))}}" for number in range(count)]


def roles(network: Network) -> tuple[str, ...]:
    """Return the losses of formats that do not distinguish switches."""
    return ("which vertices are switches",) if network.vertices > network.nodes else ()


def gbs_text(value: float) -> str:
    """Return the shortest text that reads back exactly: ``12.5``; no exponent, which DOT does not allow."""
    return np.format_float_positional(value, trim="-")
