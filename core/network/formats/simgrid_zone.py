"""SimGrid zones with explicit links: hosts, routers, and routes of one link each, under routing Floyd or Dijkstra.

A link with UP and DOWN is one full-duplex link between two vertices. Source: SimGrid's manual, "XML reference".
"""

import re
from xml.etree.ElementTree import Element

from core.export_result import Exported
from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import MAX_GBS, ParsedGraph, shown, wrong
from core.network.formats.written_graph import gbs_text, merged_links, vertex_names
from core.network.network import Network

NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
BANDWIDTH = re.compile(rf"\s*({NUMBER})\s*([kKMGTPE]?)(i?)([Bb])ps\s*")
HEADING = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <zone id="network" routing="Dijkstra">"""
PREFIXES = ("", "K", "M", "G", "T", "P", "E")
ROUTINGS = ("floyd", "dijkstra", "dijkstracache")


def read_zone(zone: Element) -> ParsedGraph:
    """Return the network of a zone.

    Raises SpecError: naming the invalid route.
    """
    routing = zone.get("routing", "")
    if routing.lower() not in ROUTINGS:
        raise wrong(f"zone {zone.get('id')} has routing {shown(routing)}; give Floyd or Dijkstra")
    builder = GraphBuilder()
    for kind in ("host", "router"):
        for element in zone.findall(kind):
            builder.add(element.get("id", ""), host=kind == "host")
    links = {link.get("id", ""): gbs_of(link.get("bandwidth", "")) for link in zone.findall("link")}
    laid, back = dict[tuple[str, str, str], bool](), set[tuple[str, str, str]]()
    for route in zone.findall("route"):
        src, dst, link = _route(route, builder, links)
        both = route.get("symmetrical", "YES").upper() in ("YES", "TRUE")
        laid[src, dst, link] = both
        if both:
            back.add((dst, src, link))
    for src, dst, link in laid:
        if (dst, src, link) not in laid and (src, dst, link) not in back and not laid[src, dst, link]:
            raise wrong(f"route {src} to {dst} has no reverse over link {link}")
        if (dst, src, link) not in laid or src < dst:
            builder.join(src, dst, links[link])
    return builder.graph()


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


def _route(route: Element, builder: GraphBuilder, links: dict[str, float]) -> tuple[str, str, str]:
    src, dst = route.get("src", ""), route.get("dst", "")
    name = f"route {src} to {dst}"
    for end in (src, dst):
        if end not in builder.hosts:
            raise wrong(f"{name}: unknown host or router {end}")
    over = [link.get("id", "") for link in route.findall("link_ctn")]
    if len(over) != 1:
        raise wrong(f"{name} has {len(over)} links; give one route per link, so that all vertices have names")
    if over[0] not in links:
        raise wrong(f"{name}: unknown link {over[0]}")
    return src, dst, over[0]
