"""METIS graphs as networks: vertices are numbered from 1, as METIS does, and weights are not bandwidths."""

from pathlib import Path

import numpy as np

from core.metis import MetisError, read_metis_text
from core.network.formats.parsed_graph import Graph, check_edges, text_of, wrong


def read_metis(path: Path) -> Graph:
    """Return the graph of a METIS file.

    Raises SpecError: naming the first line that is not right.
    """
    try:
        found = read_metis_text(text_of(path))
    except MetisError as error:
        raise wrong(str(error)) from error
    check_edges(found.src.size)
    names = [str(vertex) for vertex in range(1, found.vertices + 1)]
    return Graph(names, found.src, found.dst, np.full(found.src.size, np.nan))
