"""METIS graphs as networks: vertices are numbered from 1, as METIS does, and weights are not bandwidths."""

from pathlib import Path

import numpy as np

from core.export_result import Exported
from core.metis import MetisError, metis_text, read_metis_text
from core.network.formats.parsed_graph import ParsedGraph, check_edges, text_of, wrong
from core.network.formats.written_graph import merged_links, roles
from core.network.network import Network

WEIGHTS = "weights of edges are ignored; all links have the network's bandwidth (gbs)"


def read_metis(path: Path) -> ParsedGraph:
    """Return the graph of a METIS file.

    Raises SpecError: naming the first invalid line.
    """
    try:
        graph = read_metis_text(text_of(path))
    except MetisError as error:
        raise wrong(str(error)) from error
    check_edges(graph.src.size)
    names = [str(vertex) for vertex in range(1, graph.vertices + 1)]
    warnings = (WEIGHTS,) if (graph.weight != 1).any() else ()
    return ParsedGraph(names, graph.src, graph.dst, np.full(graph.src.size, np.nan), warnings=warnings)


def write_metis(network: Network) -> Exported:
    """Return the METIS file of a network, nodes first.

    Raises SpecError: if some links are one-way.
    """
    links = merged_links(network)
    content = metis_text(network.vertices, links.src, links.dst)
    return Exported(content, ("bandwidths", "names", *roles(network), *links.losses))
