"""DOT, the language of Graphviz: ``graph { a -- b [bw=25] }``; ``--`` and ``->`` both mean links in both directions.

Attributes read: of a node `type` or `role`, host or switch; of an edge `bw`, GB/s.
"""

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

from core.exported import Exported
from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, at_line, check_edges, shown, text_of, wrong
from core.network.formats.roles import host_of, role_in, unread_rates, width_of
from core.network.formats.written_graph import gbs_text, two_way, vertex_names
from core.network.network import Network

HIDDEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|^#[^\n]*', re.DOTALL | re.MULTILINE)
"""Quoted text and comments, whose braces do not count."""


def read_dot(path: Path) -> ParsedGraph:
    """Return the network of a DOT file.

    Raises SpecError: naming the invalid line, node or edge.
    """
    text = text_of(path)
    _check_braces(text)
    check_edges(text.count("--") + text.count("->"))
    try:
        # pydot prints errors, and triggers deprecation warnings of its parser.
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pydot  # slow to import, rarely needed

            found = pydot.graph_from_dot_data(text)
    except Exception as error:  # malformed files raise exceptions of any kind
        raise wrong(f"cannot be read as DOT: {type(error).__name__}") from error
    if not found:
        raise wrong("cannot be read as DOT; try it with Graphviz's dot, which names the place")
    builder, edges = GraphBuilder(), list[dict[str, Any]]()
    _add(builder, found[0], edges)
    return builder.graph(unread_rates(edges))


def _check_braces(text: str) -> None:
    depth, line = 0, 1
    for mark in re.sub(HIDDEN, lambda hidden: "\n" * hidden[0].count("\n"), text):
        line += mark == "\n"
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            raise at_line(line, "a } too many")
    if depth:
        raise at_line(line, "} is missing")


def _add(builder: GraphBuilder, graph: Any, edges: list[dict[str, Any]]) -> None:
    for node in graph.get_nodes():
        name = _plain(node.get_name())
        if name not in ("node", "edge", "graph"):  # defaults, no vertices
            _add_vertex(builder, name, node.get_attributes())
    for inner in graph.get_subgraphs():
        _add(builder, inner, edges)
    for edge in graph.get_edges():
        edges.append(edge.get_attributes())
        sources, targets = (_names(builder, end) for end in (edge.get_source(), edge.get_destination()))
        for one in sources:
            for other in targets:
                builder.join(one, other, width_of(edge.get_attributes(), f"the edge {shown(one)} – {shown(other)}"))


def _names(builder: GraphBuilder, end: Any) -> list[str]:
    # An end may be a group of vertices in braces.
    names = [_plain(name) for name in ([end] if isinstance(end, str) else end.get("nodes", {}))]
    for name in names:
        if name not in builder.hosts:
            builder.add(name)
    return names


def _add_vertex(builder: GraphBuilder, name: str, data: dict[str, Any]) -> None:
    role = role_in(data)
    if role is not None or name not in builder.hosts:
        builder.add(name, host=host_of(role, f"node {shown(name)}"))


def _plain(name: Any) -> str:
    text = str(name)
    if text.startswith('"'):
        return text.strip('"').replace('\\"', '"')
    return text.partition(":")[0]  # without its port


def write_dot(network: Network) -> Exported:
    """Return a network in DOT, as an undirected graph.

    Raises SpecError: if some links are one-way.
    """
    found = two_way(network)
    names = [_quoted(name) for name in vertex_names(network)]
    lines = [f"  {name} [type={'host' if v < network.nodes else 'switch'}];" for v, name in enumerate(names)]
    edges = zip(found.src.tolist(), found.dst.tolist(), found.gbs.tolist(), strict=True)
    lines += [f"  {names[u]} -- {names[v]} [bw={gbs_text(gbs)}];" for u, v, gbs in edges]
    return Exported("\n".join(["graph network {", *lines, "}", ""]), found.losses)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '\\"') + '"'
