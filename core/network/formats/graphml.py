"""GraphML. Attributes read: of a node `role` or `type` (host or switch), `x` and `y`; of an edge its bandwidth.

The bandwidth is the first of `gbs`, `bandwidth`, `bw` or `weight` that an edge has, in GB/s in one direction. For
directed graphs see `directed`.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export_result import Exported
from core.network.formats.directed import LinkEnds, links_of_directed
from core.network.formats.parsed_graph import ParsedGraph, check_edges, checked_xml, shown, wrong
from core.network.formats.roles import ROLES, role_in, unread_rates, width_of
from core.network.formats.written_graph import gbs_text, leads_back, one_way, two_way, vertex_names
from core.network.network import Network

HEADING = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>
<key id='role' for='node' attr.name='type' attr.type='string'/>
<key id='bw' for='edge' attr.name='bw' attr.type='double'/>
"""


def read_graphml(path: Path) -> ParsedGraph:
    """Return the graph of a GraphML file.

    Raises SpecError: if it is not GraphML, or naming the invalid node or edge.
    """
    import networkx as nx  # 0.2 s of imports that most scenarios never need

    content = checked_xml(path)
    check_edges(content.count(b"<edge"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph: Any = nx.parse_graphml(content.decode("utf-8-sig"), force_multigraph=True)
    names = [str(name) for name in graph]
    number = {name: i for i, name in enumerate(graph)}
    edges = list(graph.edges(data=True))
    if not edges:
        raise wrong("has no edges; give one per link")
    ends = np.array([(number[u], number[v]) for u, v, _ in edges], np.int32)
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if loops.size:
        raise wrong(f"links {shown(names[ends[loops[0], 0]])} to itself; remove such edges")
    gbs = np.array([width_of(data, f"the edge {shown(str(u))} – {shown(str(v))}") for u, v, data in edges])
    links = LinkEnds(ends[:, 0], ends[:, 1], gbs, directed=False)
    if graph.is_directed():
        links = links_of_directed(*links[:3], len(names))
    return ParsedGraph(
        names,
        links.src,
        links.dst,
        links.gbs,
        hosts=_hosts(names, [data for _, data in graph.nodes(data=True)]),
        directed=links.directed,
        positions=_places([data for _, data in graph.nodes(data=True)]),
        warnings=unread_rates(data for _, _, data in edges) + links.warnings,
    )


def write_graphml(network: Network) -> Exported:
    """Return a network in GraphML: an undirected graph, or a directed one if some links are one-way.

    Raises SpecError: if the network is aggregated.
    """
    from xml.sax.saxutils import quoteattr

    both = leads_back(network)
    links = two_way(network) if both else one_way(network)
    names = [quoteattr(name) for name in vertex_names(network)]
    nodes = (
        f"<node id={name}><data key='role'>{'host' if v < network.nodes else 'switch'}</data></node>"
        for v, name in enumerate(names)
    )
    ends = zip(links.src.tolist(), links.dst.tolist(), links.gbs.tolist(), strict=True)
    edges = (
        f"<edge source={names[u]} target={names[v]}><data key='bw'>{gbs_text(gbs)}</data></edge>" for u, v, gbs in ends
    )
    start = HEADING + f"<graph edgedefault='{'undirected' if both else 'directed'}'>"
    return Exported("\n".join([start, *nodes, *edges, "</graph>", "</graphml>", ""]), links.losses)


def _hosts(names: list[str], nodes: list[dict[str, Any]]) -> NDArray[np.bool_] | None:
    roles = [role_in(data) for data in nodes]
    if all(role is None for role in roles):
        return None
    for name, role in zip(names, roles, strict=True):
        if role is None:
            raise wrong(f"node {shown(name)} has no role; give every node a role, host or switch, or none of them")
        if str(role).lower() not in ROLES:
            raise wrong(f"node {shown(name)} has the role {shown(str(role))}; give host or switch")
    return np.array([ROLES[str(role).lower()] for role in roles])


def _places(nodes: list[dict[str, Any]]) -> NDArray[np.float64] | None:
    try:
        places = np.array([(float(data["x"]), float(data["y"])) for data in nodes])
    except (KeyError, TypeError, ValueError):
        return None
    return places if np.isfinite(places).all() and len(np.unique(places, axis=0)) == len(places) else None
