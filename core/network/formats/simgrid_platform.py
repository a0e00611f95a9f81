"""SimGrid platforms of several zones: hosts, routers and clusters, and the routes between them as lists of links.

Zones are joined by the routes between their gateways. A route from a host to itself uses no link here. Disks,
properties and configuration have no effect on the wiring. Elements that do not define links are refused by name:
wireless zones, coordinates (Vivaldi), and exceptions from the routing (bypassRoute). Source: SimGrid's manual, "XML
reference"; for the routers of clusters, sg_platf.cpp.
"""

from itertools import chain
from xml.etree.ElementTree import Element

import numpy as np

from core.network.formats.parsed_graph import MAX_EDGES, ParsedGraph, shown, wrong
from core.network.formats.simgrid_cluster import cluster_graph, cluster_names, limiter_notes, policy_of
from core.network.formats.simgrid_routes import Hop, Link, Route, Wire, graph_of
from core.network.formats.simgrid_zone import gbs_of
from core.text import plural

ZONES = ("zone", "AS")
ROUTES = ("route", "zoneRoute", "ASroute")
WIRED = {
    "platform",
    *ZONES,
    *ROUTES,
    *("cluster", "cabinet", "backbone", "host", "router", "link", "host_link", "link_ctn"),
}
WITHOUT_LINKS = {"config", "prop", "model_prop", "disk", "storage", "storage_type", "content", "mount"}
VARYING = ("trace", "trace_connect")
"""Elements that change bandwidths with time; attributes that do so end in `_file`."""
STEPWISE = ("floyd", "dijkstra", "dijkstracache")
"""Routings by shortest paths over routes of one link each."""
WAYS = ("UP", "DOWN")


def read_platform(platform: Element) -> ParsedGraph:
    """Return the network of a platform.

    Raises SpecError: naming the element that is invalid, or does not define links.
    """
    other = next(
        (element for element in platform.iter() if element.tag not in WIRED | WITHOUT_LINKS | {*VARYING}), None
    )
    if other is not None:
        name = f" {other.get('id')}" if other.get("id") else ""
        raise wrong(f"has a <{other.tag}>{name}, which does not define links; give hosts, routers, links and routes")
    reader = _Reader(platform)
    for zone in platform:
        reader.read(zone)
    return reader.graph()


class _Reader:
    """The parts of a platform as they are read."""

    def __init__(self, platform: Element) -> None:
        self._hosts: dict[str, bool] = {}
        self._links: dict[str, Link] = {}
        self._routes: list[Route] = []
        self._given: dict[tuple[str, ...], list[str]] = {}
        self._wires: list[Wire] = []
        self._used: set[str] = set()
        self._limited = False
        self._gateways = {element.get(end, "") for element in platform.iter() for end in ("gw_src", "gw_dst")}
        self._varying = sum(
            element.tag in VARYING or any(key.endswith("_file") for key in element.attrib)
            for element in platform.iter()
        )
        for link in platform.iter("link"):
            self._add_link(link)

    def read(self, zone: Element) -> None:
        """Read a zone, or a cluster, and the zones in it.

        Raises SpecError: naming the invalid element.
        """
        if zone.tag == "cluster":
            self._read_cluster(zone)
        if zone.tag not in ZONES:
            return
        routing = zone.get("routing", "Full").lower()
        inner = [child for child in zone if child.tag in (*ZONES, "cluster", "cabinet")]
        if routing == "wifi" or (routing == "vivaldi" and len(inner) + len(zone.findall("host")) > 1):
            lacks = "a medium that all its hosts share" if routing == "wifi" else "latencies, but no links"
            raise wrong(f"zone {zone.get('id')} has routing {zone.get('routing')}, which gives {lacks}")
        for kind in ("host", "router"):
            for element in zone.findall(kind):
                self._add_point(element.get("id", ""), host=kind == "host")
        for child in inner:
            self.read(child)
        if routing == "cluster":
            self._read_star(zone)
        for route in chain.from_iterable(zone.findall(kind) for kind in ROUTES):
            self._add_route(route, stepwise=routing in STEPWISE)

    def graph(self) -> ParsedGraph:
        """Return the network.

        Raises SpecError: if it has no links.
        """
        if not self._routes and not self._wires:
            raise wrong("has no links between hosts")
        notes = [*limiter_notes(self._limited)]
        unused = [name for name in self._links if name not in self._used]
        if unused:
            some = ", ".join(unused[:3]) + (" ..." if len(unused) > 3 else "")
            notes.append(f"{plural(len(unused), 'link')} without a route: {some}")
        if self._varying:
            notes.append(f"changes with time are not read (traces and profiles in {plural(self._varying, 'place')})")
        return graph_of(self._hosts, self._links, self._routes, self._wires, tuple(notes))

    def _add_point(self, name: str, *, host: bool) -> None:
        if name in self._hosts:
            raise wrong(f"{shown(name)} is defined twice")
        self._hosts[name] = host

    def _add_link(self, link: Element) -> None:
        name = link.get("id", "")
        if name in self._links:
            raise wrong(f"link {shown(name)} is defined twice")
        policy = policy_of(link.get("sharing_policy", "SHARED"), f"link {name}")
        self._links[name] = Link(gbs_of(link.get("bandwidth", "")), policy)

    def _hop(self, link: Element, name: str) -> Hop:
        identifier, way = link.get("id", ""), link.get("direction", "NONE").upper()
        base, _, end = identifier.rpartition("_")
        if identifier not in self._links and end in WAYS and base in self._links:
            identifier, way = base, end
        if identifier not in self._links:
            raise wrong(f"{name}: unknown link {identifier}")
        self._used.add(identifier)
        return Hop(identifier, way if way in WAYS and self._links[identifier].policy == "SPLITDUPLEX" else "")

    def _add_route(self, route: Element, *, stepwise: bool) -> None:
        src, dst = route.get("src", ""), route.get("dst", "")
        name = f"route {src} to {dst}"
        between = route.tag == "route"
        ends = (src, dst) if between else (route.get("gw_src", ""), route.get("gw_dst", ""))
        for end in ends:
            if end not in self._hosts:
                raise wrong(f"{name}: unknown host or router {end}" if between else f"{name}: unknown gateway {end}")
        hops = tuple(self._hop(link, name) for link in route.findall("link_ctn"))
        if between and stepwise and len(hops) != 1:
            raise wrong(f"{name} has {len(hops)} links; give one route per link, so that all vertices have names")
        if ends[0] == ends[1]:
            return
        if not hops:
            raise wrong(f"{name} has no links")
        both = route.get("symmetrical", "YES").upper() in ("YES", "TRUE")
        if not stepwise:
            self._check_single(name, ends, hops)
            if both:
                self._check_single(name, ends[::-1], hops[::-1])
        self._routes.append(Route(*ends, hops, both))
        if len(self._routes) > MAX_EDGES:
            raise wrong(f"has more than {MAX_EDGES:,} routes, which is not supported")

    def _check_single(self, name: str, ends: tuple[str, ...], hops: tuple[Hop, ...]) -> None:
        # A route may be given again, but not with other links.
        links = [hop.link for hop in hops]
        if self._given.setdefault(ends, links) != links:
            raise wrong(f"{name} is given twice, with different links")

    def _read_cluster(self, cluster: Element) -> None:
        given = cluster.attrib
        place = f"cluster {given.get('id')}"
        router = given.get("router_id") or f"{given.get('prefix', '')}{given.get('id')}_router{given.get('suffix', '')}"
        self._limited |= "limiter_link" in given
        if given.get("topology", "FLAT").upper() != "FLAT":
            self._add_wired(cluster_graph(given), place)
            if router in self._gateways:
                raise wrong(f"{place}: its router {router} has no links; choose one of its hosts as gateway")
            return
        backbone = (given["bb_bw"], given.get("bb_sharing_policy", "SHARED")) if "bb_bw" in given else None
        if backbone is None or router in self._gateways:
            self._add_point(router, host=False)
        centre = self._centre(f"{given.get('id')} backbone", backbone, [router] if router in self._hosts else [])
        self._add_leaves(given, place, centre)

    def _read_star(self, zone: Element) -> None:
        # A zone with routing Cluster: hosts have links to its backbone, or to its router if there is none.
        place = f"zone {zone.get('id')}"
        routers = [router.get("id", "") for router in zone.findall("router")]
        given = zone.find("backbone")
        backbone = (given.get("bandwidth", ""), given.get("sharing_policy", "SHARED")) if given is not None else None
        if backbone is None and not routers:
            routers = [place]
            self._add_point(place, host=False)
        name = f"{zone.get('id')} {'' if given is None else given.get('id', 'backbone')}"
        centre = self._centre(name, backbone, routers)
        for cabinet in zone.findall("cabinet"):
            self._add_leaves(cabinet.attrib, f"cabinet {cabinet.get('id')}", centre)
        for link in zone.findall("host_link"):
            host = link.get("id", "")
            if host not in self._hosts:
                raise wrong(f"{place}: unknown host {host} in a <host_link>")
            hops = [self._hop(Element("link_ctn", id=link.get(way, "")), place) for way in ("up", "down")]
            both = hops[0].link == hops[1].link
            for hop, ends in zip(hops, ((host, centre[0]), (centre[1], host)), strict=True):
                gbs, policy = self._links[hop.link]
                self._wires.append(Wire(*ends, gbs, policy if both else "SPLITDUPLEX"))

    def _centre(self, name: str, backbone: tuple[str, str] | None, routers: list[str]) -> tuple[str, str]:
        """Return where the links of hosts lead to and come from: the ends of a backbone, or a router."""
        if backbone is None:
            return routers[0], routers[0]
        gbs, policy = gbs_of(backbone[0]), policy_of(backbone[1], name)
        if policy == "SPLITDUPLEX":
            raise wrong(f"{name} has sharing_policy SPLITDUPLEX, but it has no two ends; give SHARED or FATPIPE")
        inward, outward = (f"{name} in", f"{name} out") if policy == "SHARED" else (name, name)
        for end in dict.fromkeys((inward, outward)):
            self._add_point(end, host=False)
        if inward != outward:
            self._wires.append(Wire(inward, outward, gbs))
        for router in routers:
            self._wires += [Wire(router, inward, gbs), Wire(outward, router, gbs)]
        return inward, outward

    def _add_leaves(self, given: dict[str, str], place: str, centre: tuple[str, str]) -> None:
        # The hosts of a cluster or a cabinet.
        names, gbs = cluster_names(given), gbs_of(given["bw"])
        policy = policy_of(given.get("sharing_policy", "SPLITDUPLEX"), place)
        for name in names:
            self._add_point(name, host=True)
            self._wires += [Wire(name, centre[0], gbs, policy), Wire(centre[1], name, gbs, policy)]

    def _add_wired(self, graph: ParsedGraph, place: str) -> None:
        hosts = np.ones(len(graph.names), np.bool_) if graph.hosts is None else graph.hosts
        names = [name if host else f"{place} {name}" for name, host in zip(graph.names, hosts.tolist(), strict=True)]
        for name, host in zip(names, hosts.tolist(), strict=True):
            self._add_point(name, host=host)
        ends = zip(graph.src.tolist(), graph.dst.tolist(), graph.gbs.tolist(), strict=True)
        for u, v, gbs in ends:
            self._wires += [Wire(names[u], names[v], gbs), Wire(names[v], names[u], gbs)]
