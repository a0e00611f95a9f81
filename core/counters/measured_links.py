"""Counters of ports as loads of a network's links."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.counters.reading import Port, Reading, Sample, wrong
from core.network.link_ends import end_named, links_at
from core.network.network import Network
from core.network.ports import Ports
from core.text import first_few, natural_order, plural

TOLERANCE = 0.01
"""Relative difference up to which both ends of a link agree."""
GB = 1e9
Values = NDArray[np.float64]
LinkOfPort = dict[tuple[str, int], int]


@dataclass(frozen=True, eq=False)
class MeasuredLinks:
    """Data carried by the links of a network in an interval; NaN for links without a value."""

    gb: Values
    """(links,) GB sent over each link."""
    wait: Values
    """(links,) ticks in which data waited to be sent, which only rank links."""
    received: Values
    """(links,) GB received at the head of each link."""
    seconds: float | None
    """Length of the interval, or None if unknown."""
    warnings: tuple[str, ...] = ()
    source: str = ""
    """Format of the file: ``the output of perfquery``."""
    intervals: "tuple[MeasuredLinks, ...]" = ()
    """The same by parts of the interval, one after the other, if there are readings in between."""

    @property
    def gbs(self) -> Values:
        """Return the bandwidth used on each link, GB/s; the interval is taken as a second if its length is unknown."""
        return self.gb / (self.seconds or 1.0)

    @property
    def disagree(self) -> NDArray[np.intp]:
        """Return the links whose ends differ by more than `TOLERANCE`, by descending difference."""
        difference = np.abs(self.gb - self.received)
        limit = TOLERANCE * np.maximum(self.gb, self.received)
        links = np.flatnonzero(difference > limit)  # NaN compares as False
        return links[np.argsort(-difference[links], kind="stable")]


def measured_links(network: Network, before: Reading | None, after: Reading, seconds: float | None) -> MeasuredLinks:
    """Return the counters of an interval by link; without `before`, the counters since they were reset.

    A link without a counter at its tail has the counter at its head.

    Raises SpecError: if no port or name belongs to the network.
    """
    difference = after if before is None else _difference(before, after)
    sent, received, wait = np.full((3, network.links), nan)
    out, into = _links_of_ports(network, difference.ports)
    unknown = [port_name(port) for port in difference.ports if port not in out]
    matched = [(out[port], into[port], sample) for port, sample in difference.ports.items() if port in out]
    if matched:
        tails, heads, samples = zip(*matched, strict=True)
        values = np.array(samples, np.float64)
        sent[[*tails]], received[[*heads]], wait[[*tails]] = values[:, 0] / GB, values[:, 1] / GB, values[:, 2]
    shown = _links_by_ends(network) if difference.links else {}
    for ends, sample in difference.links.items():
        links = np.array(shown[ends], np.intp) if ends in shown else _links_named(network, *ends)
        if links.size:
            sent[links], wait[links] = sample.sent / GB / links.size, sample.wait / links.size
        else:
            unknown.append(link_name(ends))
    if len(unknown) == len(difference):
        raise wrong(f"has no counter of a link of the network; it has {first_few(unknown)}")
    outside = _note("of {} outside the network", unknown)
    measured = np.where(np.isnan(sent), received, sent)
    return MeasuredLinks(measured, wait, received, seconds, difference.warnings + outside)


def port_name(port: Port) -> str:
    """Return ``port 5 of LID 12``."""
    return f"port {port.number} of {port.device.replace('lid', 'LID').replace('guid', 'GUID').removeprefix('nic ')}"


def link_name(ends: tuple[str, str]) -> str:
    """Return ``s1 → s2``."""
    return " → ".join(ends)


def _note(words: str, names: list[str]) -> tuple[str, ...]:
    return (f"omits counters {words.format(plural(len(names), 'port or link'))}: {first_few(names)}",) if names else ()


def _difference(before: Reading, after: Reading) -> Reading:
    """Return the counters of the interval between two readings, with notes on counters that have none."""
    missing, resets = list[str](), list[str]()
    ports = _since(before.ports, after.ports, port_name, missing, resets)
    links = _since(before.links, after.links, link_name, missing, resets)
    notes = dict.fromkeys((*before.warnings, *after.warnings))
    if not ports and not links:
        raise wrong("has no port or link that is also in the earlier file")
    missed = _note("of {} in one of the two files only", missing)
    return Reading(ports, links, (*notes, *missed, *_note("of {} that were reset", resets)))


Key = TypeVar("Key")


def _since(
    early: dict[Key, Sample], late: dict[Key, Sample], name: Callable[[Key], str], missing: list[str], resets: list[str]
) -> dict[Key, Sample]:
    missing += [name(key) for key in (*late, *early) if key not in early or key not in late]
    samples = {key: sample.since(early[key]) for key, sample in late.items() if key in early}
    resets += [name(key) for key in samples if late[key].was_reset(early[key])]
    return samples


def _links_of_ports(network: Network, ports: Iterable[Port]) -> tuple[LinkOfPort, LinkOfPort]:
    """Return the link from each of some ports, and the link to it; ports outside the network are missing."""
    if network.src_ports is None or network.dst_ports is None:
        return {}, {}
    kinds = {port.device.partition(" ")[0] for port in ports}
    out, into = (_by_address(ends, kinds) for ends in (network.src_ports, network.dst_ports))
    # A port of an adapter has the links of the NIC with its number.
    nics = _adapters(network, ports)
    for links, ends in ((out, network.src_ports), (into, network.dst_ports)):
        address = {(host, nic): link for link, (host, nic) in enumerate(_nic_ends(network, ends)) if nic >= 0}
        links.update((port, address[nic]) for port, nic in nics.items() if nic in address)
    return out, into


def _by_address(ends: Ports, kinds: Container[str]) -> LinkOfPort:
    """Return the link with each port at its end, by LID or GUID as far as these kinds of addresses occur."""
    links = LinkOfPort()
    columns = (column.tolist() for column in (ends.guid, ends.lid, ends.lmc, ends.number))
    for link, (guid, lid, lmc, number) in enumerate(zip(*columns, strict=True)):
        if lid and "lid" in kinds:
            for each in range(lid, lid + (1 << lmc)):
                links[f"lid {each}", number] = link
        if "guid" in kinds:
            links[f"guid 0x{guid:x}", number] = link
    return links


def _nic_ends(network: Network, ends: Ports) -> Iterable[tuple[int, int]]:
    """Yield the host and the NIC at one end of each link; a NIC of -1 at switches."""
    vertex = network.src if ends is network.src_ports else network.dst
    host = np.append(network.host_slots.host_of, np.full(network.vertices - network.nodes, -1))
    return zip(host[vertex].tolist(), ends.nic.tolist(), strict=True)


def _adapters(network: Network, ports: Iterable[Port]) -> dict[Port, tuple[int, int]]:
    """Return the host and the NIC of each port of a host's adapter: NICs are in the order of the adapters' names."""
    of_host = defaultdict[int, list[tuple[str, Port]]](list)
    for port in ports:
        kind, _, rest = port.device.partition(" ")
        name, _, adapter = rest.partition(" ")
        host = network.host_named(name) if kind == "nic" else None
        if host is not None:
            of_host[host].append((f"{adapter} {port.number}", port))
    ordered = ((host, sorted(named, key=lambda pair: natural_order(pair[0]))) for host, named in of_host.items())
    return {port: (host, nic) for host, named in ordered for nic, (_, port) in enumerate(named)}


def _links_by_ends(network: Network) -> dict[tuple[str, str], list[int]]:
    """Return the links by the names of their ends, as shown."""
    links = defaultdict[tuple[str, str], list[int]](list)
    for link in range(network.links):
        links[network.link_ends(link)].append(link)
    return links


def _links_named(network: Network, src: str, dst: str) -> NDArray[np.intp]:
    """Return the links between two ends, by names with or without ports, or by numbers."""
    (tail, tail_port), (head, head_port) = (end_named(text, partial(_vertex, network)) for text in (src, dst))
    if tail is None or head is None:
        return np.zeros(0, np.intp)
    return links_at(network, tail, head, (tail_port, head_port))


def _vertex(network: Network, text: str) -> int | None:
    vertex = network.vertex_named(text)
    if vertex is None and text.isdecimal() and int(text) < network.vertices:
        return int(text)
    return vertex
