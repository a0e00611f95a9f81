"""GEXF, as Gephi and networkx write it. Attributes read: `type` or `role` of nodes; `bw` of edges, GB/s.

For directed graphs, as Gephi writes by default, see `directed`.
"""

import io
import warnings
from pathlib import Path
from xml.etree import ElementTree

from core.network.formats.networkx_graph import graph_of
from core.network.formats.parsed_graph import ParsedGraph, check_edges, checked_xml, wrong


def read_gexf(path: Path) -> ParsedGraph:
    """Return the network of a GEXF file.

    Raises SpecError: if it is not GEXF, or an edge has an unknown end.
    """
    import networkx as nx  # 0.2 s of imports that most scenarios never need

    content = checked_xml(path)
    check_edges(content.count(b"<edge "))
    try:
        _check_ends(ElementTree.fromstring(content))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = nx.read_gexf(io.BytesIO(content), version=_version(content))
    except ElementTree.ParseError as error:
        raise wrong("cannot be read as XML") from error
    return graph_of(graph)


def _version(content: bytes) -> str:
    return "1.1draft" if b"1.1draft" in content[:1000] else "1.2draft"


def _check_ends(root: ElementTree.Element) -> None:
    nodes = {element.get("id") for element in root.iter() if element.tag.endswith("node")}
    for number, edge in enumerate(element for element in root.iter() if element.tag.endswith("edge")):
        for end in ("source", "target"):
            if edge.get(end) not in nodes:
                raise wrong(f"edge {edge.get('id', number)}: unknown node {edge.get(end)}")
