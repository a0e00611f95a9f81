"""Writes SimGrid platforms: hosts, routers, and routes of one link each, under routing Dijkstra; units of bandwidth."""

import re

from core.export_result import Exported
from core.network.formats.parsed_graph import MAX_GBS, shown, wrong
from core.network.formats.written_graph import gbs_text, merged_links, vertex_names
from core.network.network import Network

NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
BANDWIDTH = re.compile(rf"\s*({NUMBER})\s*([kKMGTPE]?)(i?)([Bb])ps\s*")
HEADING = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <zone id="network" routing="Dijkstra">"""
PREFIXES = ("", "K", "M", "G", "T", "P", "E")


def write_zone(network: Network) -> Exported:
    """Return a SimGrid platform of a network: hosts, routers, and for each link a route in each direction.

    Raises SpecError: if some links are one-way.
    """
    from xml.sax.saxutils import quoteattr  # slow to import, rarely needed

    links, names = merged_links(network), [quoteattr(name) for name in vertex_names(network)]
    lines = [f'  <host id={name} speed="1Gf"/>' for name in names[: network.nodes]]
    lines += [f"  <router id={name}/>" for name in names[network.nodes :]]
    lines += [
        f'  <link id="l{link}" bandwidth="{gbs_text(gbs)}GBps" latency="0ns" sharing_policy="SPLITDUPLEX"/>'
        for link, gbs in enumerate(links.gbs.tolist())
    ]
    for link, (u, v) in enumerate(zip(links.src.tolist(), links.dst.tolist(), strict=True)):
        for src, dst, direction in ((u, v, "UP"), (v, u, "DOWN")):
            over = f'<link_ctn id="l{link}" direction="{direction}"/>'
            lines.append(f'  <route src={names[src]} dst={names[dst]} symmetrical="NO">{over}</route>')
    return Exported("\n".join([HEADING, *lines, " </zone>", "</platform>", ""]), links.losses)


def gbs_of(text: str) -> float:
    """Parse a bandwidth such as ``125MBps`` into GB/s.

    Raises SpecError: if it is invalid.
    """
    match = BANDWIDTH.fullmatch(text)
    if match is None:
        raise wrong(f"bw {shown(text)} is not a bandwidth; give one such as 125MBps or 10Gbps")
    number, prefix, binary, unit = match.groups()
    scale = (1024.0 if binary else 1000.0) ** PREFIXES.index(prefix.upper())
    value = float(number) * scale * (1.0 if unit == "B" else 0.125) / 1e9
    if not 1e-6 <= value <= MAX_GBS:
        raise wrong(f"bw {shown(text)} is {value:g} GB/s; must be from 1e-06 to 1e+06 GB/s")
    return value
