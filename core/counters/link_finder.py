"""The links of a network that counters of ports belong to."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.counters.reading import Key, Kind
from core.network.link_ends import end_named, links_at
from core.network.network import Network
from core.network.ports import Ports
from core.text import natural_order

Links = NDArray[np.intp]
NONE = np.zeros(0, np.intp)


class Places(NamedTuple):
    """The links of some ports or links, as pairs of the number of a key and a link."""

    sending: tuple[Links, Links]
    """Keys with the links that they send over; a name may be of several parallel links."""
    receiving: tuple[Links, Links]
    """Keys with the links that they receive from."""


class LinkFinder:
    """Finds links; the links of the last ports of each kind are cached for further readings."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._last = dict[Kind, tuple[Sequence[Key], Places]]()

    def places(self, kind: Kind, keys: Sequence[Key]) -> Places:
        """Return the links of some ports or links; those outside the network have none."""
        keys_before, places = self._last.get(kind, ((), None))
        if places is None or keys_before != keys:
            places = self._of_names(keys) if kind is Kind.LINK else self._of_ports(kind, keys)
            self._last[kind] = keys, places
        return places

    def _of_ports(self, kind: Kind, keys: Sequence[Key]) -> Places:
        network = self.network
        if network.src_ports is None or network.dst_ports is None:
            return Places((NONE, NONE), (NONE, NONE))
        nics = _nics(network, keys) if kind is Kind.NIC else {}
        pairs = []
        for ends in (network.src_ports, network.dst_ports):
            at = _by_nic(network, ends, nics) if kind is Kind.NIC else _by_address(ends, kind)
            link = np.array([at.get(key, -1) for key in keys], np.intp)
            row = np.flatnonzero(link >= 0)
            pairs.append((row, link[row]))
        return Places(*pairs)

    def _of_names(self, keys: Sequence[Key]) -> Places:
        """Return the links with some names of ends, as shown, with or without ports, or numbers of vertices."""
        vertex = {text: self._vertex(text) for text in {text for key in keys for text in key} if text.isdecimal()}
        tails, heads = (np.array([vertex.get(key[k], -1) for key in keys], np.int64) for k in (0, 1))
        first, links_between = self._between(tails, heads)
        links, single = np.full(len(keys), -1), links_between == 1
        links[single] = self._pairs[1][first[single]]
        rest = np.flatnonzero(links < 0)
        shown = self._shown if rest.size else {}
        same = [shown.get(keys[row], ()) for row in rest.tolist()]
        links[rest] = [some[0] if len(some) == 1 else -1 for some in same]
        several = {row: self._named(*keys[row]) for row in np.flatnonzero(links < 0).tolist()}
        matched = np.flatnonzero(links >= 0)
        rows = [matched, *(np.full(some.size, row) for row, some in several.items())]
        return Places((np.concatenate(rows), np.concatenate([links[matched], *several.values()])), (NONE, NONE))

    def _between(self, tails: Links, heads: Links) -> tuple[Links, Links]:
        """Return the place in `_pairs` of the first link between each two vertices, and the number of these links."""
        wanted = np.where((tails >= 0) & (heads >= 0), tails * self.network.vertices + heads, -1)
        first, end = (np.searchsorted(self._pairs[0], wanted, side) for side in ("left", "right"))
        return first, end - first

    @cached_property
    def _pairs(self) -> tuple[Links, Links]:
        # The pair of vertices of each link as one number, ascending, and the link.
        pairs = self.network.src.astype(np.int64) * self.network.vertices + self.network.dst
        links = np.argsort(pairs, kind="stable")
        return pairs[links], links

    @cached_property
    def _shown(self) -> dict[Key, list[int]]:
        # The links by the names of their ends, as shown.
        links = defaultdict[Key, list[int]](list)
        for link, ends in enumerate(self.network.ends_of_all_links()):
            links[ends].append(link)
        return links

    def _named(self, src: str, dst: str) -> Links:
        """Return the links between two ends, by names with or without ports, or by numbers."""
        if (src, dst) in self._shown:
            return np.array(self._shown[src, dst], np.intp)
        (tail, tail_port), (head, head_port) = (end_named(text, self._vertex) for text in (src, dst))
        if tail is None or head is None:
            return NONE
        return links_at(self.network, tail, head, (tail_port, head_port))

    def _vertex(self, text: str) -> int | None:
        vertex = self.network.vertex_named(text)
        if vertex is None and text.isdecimal() and int(text) < self.network.vertices:
            return int(text)
        return vertex


def _by_address(ends: Ports, kind: Kind) -> dict[Key, int]:
    """Return the link with each port at its end, by LID or GUID."""
    address = ends.lid if kind is Kind.LID else ends.guid
    ports = zip(address.tolist(), ends.number.tolist(), strict=True)
    links = {port: link for link, port in enumerate(ports)}
    if kind is Kind.LID:
        for link in np.flatnonzero(ends.lmc).tolist():
            first, number = int(ends.lid[link]), int(ends.number[link])
            links.update({(first + k, number): link for k in range(1, 1 << int(ends.lmc[link]))})
    return links


def _by_nic(network: Network, ends: Ports, nics: dict[Key, tuple[int, int]]) -> dict[Key, int]:
    """Return the link with each port at its end, for ports of adapters with their host and NIC."""
    vertex = network.src if ends is network.src_ports else network.dst
    host = np.append(network.host_slots.host_of, np.full(network.vertices - network.nodes, -1))[vertex]
    link = {end: link for link, end in enumerate(zip(host.tolist(), ends.nic.tolist(), strict=True))}
    return {key: link[end] for key, end in nics.items() if end in link}


def _nics(network: Network, keys: Sequence[Key]) -> dict[Key, tuple[int, int]]:
    """Return the host and the NIC of each port of a host's adapter: NICs are in the order of the adapters' names."""
    of_host = defaultdict[int, list[Key]](list)
    for key in keys:
        name, _ = key[0]
        host = network.host_named(name)
        if host is not None:
            of_host[host].append(key)
    order = {
        host: sorted(ports, key=lambda key: natural_order(f"{key[0][1]} {key[1]}")) for host, ports in of_host.items()
    }
    return {key: (host, nic) for host, ports in order.items() for nic, key in enumerate(ports)}
