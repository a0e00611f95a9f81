"""Graphs from files, one file per format."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from core.exported import Writer
from core.filekind import BINARY, START, refusal, tool_in
from core.network.formats.booksim import read_booksim, write_booksim
from core.network.formats.dot import read_dot, write_dot
from core.network.formats.edge_list import read_edge_list, write_edge_list
from core.network.formats.gexf import read_gexf
from core.network.formats.graphml import read_graphml, write_graphml
from core.network.formats.ibnetdiscover import read_ibnetdiscover
from core.network.formats.metis import read_metis, write_metis
from core.network.formats.netjson import read_netjson
from core.network.formats.parsed_graph import FIELD, MAX_BYTES, ParsedGraph, shown, wrong
from core.network.formats.scotch_target import read_scotch_target, write_scotch_target
from core.network.formats.simgrid import read_simgrid
from core.network.formats.simgrid_zone import write_zone
from core.network.formats.slurm_conf import read_slurm_conf
from core.network.formats.slurm_yaml import read_slurm_yaml
from core.network.formats.sst import read_sst, write_sst
from core.spec import control_words, errors_naming, file_beside, parsing
from core.text import CONTROL

Format = Literal[
    "auto",
    "edge-list",
    "graphml",
    "gexf",
    "dot",
    "simgrid",
    "slurm-conf",
    "slurm-yaml",
    "ibnetdiscover",
    "booksim-anynet",
    "sst-json",
    "netjson",
    "scotch-target",
    "metis-graph",
]

READERS: dict[str, Callable[[Path], ParsedGraph]] = {
    "edge-list": read_edge_list,
    "graphml": read_graphml,
    "gexf": read_gexf,
    "dot": read_dot,
    "simgrid": read_simgrid,
    "slurm-conf": read_slurm_conf,
    "slurm-yaml": read_slurm_yaml,
    "ibnetdiscover": read_ibnetdiscover,
    "booksim-anynet": read_booksim,
    "sst-json": read_sst,
    "netjson": read_netjson,
    "scotch-target": read_scotch_target,
    "metis-graph": read_metis,
}
WRITERS = {
    "scotch-target": Writer(
        write_scotch_target, "torus, mesh, hypercube or complete graph for Scotch to map on", ".tgt"
    ),
    "metis-graph": Writer(write_metis, "graph for METIS and its kind, without weights", ".graph"),
    "simgrid-xml": Writer(write_zone, "platform for SimGrid: hosts, routers, and a route for each link", ".xml"),
    "booksim-anynet": Writer(write_booksim, "network for BookSim: a line for each router", ".anynet"),
    "sst-json": Writer(write_sst, "network for SST/macro: the ports of nodes and switches", ".json"),
    "graphml": Writer(write_graphml, "network for graph tools; the only one that knows links of one way", ".graphml"),
    "dot": Writer(write_dot, "network for Graphviz", ".dot"),
    "edge-list": Writer(write_edge_list, "network, a line for each link: two vertices and GB/s", ".edges"),
}
EXPECTED = "give an edge list, GraphML, GEXF, DOT, SimGrid, topology.conf, ibnetdiscover, anynet, SST or NetJSON"
ROOTS = {"graphml": "graphml", "platform": "simgrid", "gexf": "gexf"}
"""First elements of XML files."""
TITLES = {"graphml": "GraphML", "gexf": "GEXF", "simgrid": "SimGrid's XML"}
"""Names of formats whose parsers say only what they miss."""
ENDINGS = {
    ".conf": "slurm-conf",
    ".dot": "dot",
    ".graph": "metis-graph",
    ".gv": "dot",
    ".tgt": "scotch-target",
    ".yaml": "slurm-yaml",
    ".yml": "slurm-yaml",
}
"""Of files whose first line may look like another's."""
__all__ = ["FIELD", "WRITERS", "Format", "ParsedGraph", "read_graph", "wrong"]


def read_graph(name: str | None, folder: Path | None, form: Format = "auto") -> ParsedGraph:
    """Return the graph of the file `name` in `folder`, its format told by its content unless it is given.

    Raises SpecError: if the file is missing, too large or invalid; the message says where.
    """
    path = file_beside(FIELD, name, folder, MAX_BYTES)
    with errors_naming(FIELD, path):
        chosen = _format_of(path) if form == "auto" else form
    with parsing(FIELD, path, TITLES.get(chosen, "a network")):
        graph = READERS[chosen](path)
        # Escapes of JSON, YAML and XML make control characters that the text does not have.
        name = next((name for name in graph.names if CONTROL.search(name)), None)
        if name is not None:
            raise wrong(f"the name {shown(name)} {control_words(name)}")
        return graph


def _format_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        root = _root_of(start)
        if root not in ROOTS:
            raise wrong(f"has the XML element <{root}>; {EXPECTED}")
        return ROOTS[root]
    tool = tool_in(start)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and tool is None:
        if b'"fabriscope"' not in start[:START]:
            return "sst-json" if b'"switches"' in start or b'"avg_num_hops"' in start else "netjson"
    elif tool is None or tool.choice == "network":
        form = ENDINGS.get(path.suffix.lower()) or (tool and tool.form)
        if form is not None:
            return form
    why = refusal(start, path.name, EXPECTED)
    if why and BINARY not in why:  # of a file that is nearly text a message names the first line that is not
        raise wrong(why)
    return "edge-list"


def _root_of(content: bytes) -> str:
    # The name of the first element, without its namespace; empty if it is no XML.
    found = re.search(rb"<(?:[\w.-]+:)?([\w.-]+)", re.sub(rb"<!--.*?(-->|$)", b"", content, flags=re.DOTALL))
    return found.group(1).decode() if found else ""
