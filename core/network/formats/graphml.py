"""GraphML. Attributes read: of a node `role` or `type` (host or switch), `x` and `y`; of an edge its bandwidth.

For roles and bandwidths see `roles`, for directed graphs `directed`.
"""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export_result import Exported
from core.network.formats.networkx_graph import graph_of
from core.network.formats.parsed_graph import ParsedGraph, check_edges, checked_xml
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
    return replace(graph_of(graph), positions=_places([data for _, data in graph.nodes(data=True)]))


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


def _places(nodes: list[dict[str, Any]]) -> NDArray[np.float64] | None:
    try:
        places = np.array([(float(data["x"]), float(data["y"])) for data in nodes])
    except (KeyError, TypeError, ValueError):
        return None
    return places if np.isfinite(places).all() and len(np.unique(places, axis=0)) == len(places) else None
