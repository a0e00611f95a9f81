"""Names of the ends of links, as shown (`Network.link_ends`) and as typed: ``s1_0000 port 5``, ``s2 (parallel 1)``."""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network

ENDS = (
    re.compile(r"(?P<vertex>.+)(?P<port> port \d{1,9}| \(parallel \d{1,9}\))", re.IGNORECASE),
    re.compile(r"(?P<vertex>.+)(?P<port>-nic\d{1,9}(?: port \d{1,9})?)", re.IGNORECASE),
)
"""Ports of vertices, and NICs of a host that is a single node, with or without their ports."""


def end_named(text: str, find: Callable[[str], int | None]) -> tuple[int | None, str]:
    """Return the vertex of an end, and the rest of its name, which is empty if neither port nor number is given.

    `find` returns the vertex with a name, or None if there is none.
    """
    vertex, port = find(text), ""
    for match in filter(None, (end.fullmatch(text) for end in ENDS)):
        if vertex is None:
            vertex, port = find(match["vertex"]), match["port"]
    return vertex, port


def links_at(network: Network, src: int, dst: int, ports: tuple[str, str]) -> NDArray[np.intp]:
    """Return the links from `src` to `dst`, ascending, whose ends have names with these rests; empty ones fit all."""
    links = network.links_between(src, dst)
    if not any(ports):
        return links
    fit = [
        all(any(name.lower().endswith(port.lower()) for name in names) for names, port in zip(pair, ports, strict=True))
        for pair in (_names_of_ends(network, link) for link in links.tolist())
    ]
    return links[np.array(fit, np.bool_)]


def _names_of_ends(network: Network, link: int) -> list[tuple[str, ...]]:
    # The names of the tail and of the head, as shown, and with the port of a NIC.
    numbered = (network.src_ports, network.dst_ports)
    return [
        (name,) if ports is None else (name, f"{name} port {ports.number[link]}")
        for name, ports in zip(network.link_ends(link), numbered, strict=True)
    ]
