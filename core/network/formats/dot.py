"""DOT, the language of Graphviz: ``graph { a -- b [bw=25] }``; for the edges of a digraph see `directed`.

Attributes read: of a node `type` or `role`, host or switch; of an edge `bw`, GB/s; their defaults (``edge [bw=25]``)
hold in their subgraph for what follows. An edge of a digraph with ``dir=both`` or ``none``, or by ``--``, leads both
ways. In a strict graph two vertices have one edge, in a digraph one each way, however often it is listed.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from core.export_result import Exported
from core.network.formats.dot_tokens import Token, tokens, unexpected
from core.network.formats.parsed_graph import ParsedGraph, at_line, check_edges, text_of
from core.network.formats.roles import ROLE_KEYS, WEIGHT, WIDTH_KEYS, AttributedGraph
from core.network.formats.written_graph import gbs_text, two_way, vertex_names
from core.network.network import Network

MAX_DEPTH = 32
"""Subgraphs within each other."""
READ = frozenset((*ROLE_KEYS, *WIDTH_KEYS, WEIGHT, "dir"))
"""Attributes whose defaults count."""
LINKS = ("--", "->")

Attributes = dict[str, str]


def read_dot(path: Path) -> ParsedGraph:
    """Return the network of a DOT file.

    Raises SpecError: naming the invalid line, node or edge.
    """
    reader = _Reader(text_of(path))
    reader.read()
    return reader.graph.graph()


@dataclass(frozen=True)
class _Scope:
    """A subgraph: the defaults of its nodes and edges, and its vertices in order."""

    node: Attributes = field(default_factory=dict)
    edge: Attributes = field(default_factory=dict)
    vertices: dict[str, None] = field(default_factory=dict)

    def inner(self) -> "_Scope":
        """Return a subgraph with the same defaults."""
        return _Scope(dict(self.node), dict(self.edge))


class _Reader:
    """Parser by recursive descent; the time is linear in the tokens and the edges."""

    def __init__(self, text: str) -> None:
        self.graph = AttributedGraph()
        self._tokens = tokens(text)
        self._now = next(self._tokens)
        self._once: set[tuple[str, ...]] | None = None
        """Pairs already linked in a strict graph; in a digraph, from the first vertex to the second."""

    def read(self) -> None:
        """Read the graph.

        Raises SpecError: naming the invalid line, node or edge.
        """
        if self._keyword("strict"):
            self._once = set()
        self.graph.directed = self._keyword("digraph")
        if not self.graph.directed and not self._keyword("graph"):
            raise unexpected(self._now, "begin with graph or digraph")
        if self._now.name is not None:
            self._take()
        self._need("{")
        self._statements(_Scope(), 0)
        if self._now.mark == "}":
            raise at_line(self._now.line, "} without {")
        if not self._now.is_end:
            raise unexpected(self._now, "give only one graph")

    def _statements(self, scope: _Scope, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise at_line(self._now.line, f"subgraphs are nested deeper than {MAX_DEPTH} levels")
        while not self._mark("}"):
            if self._now.is_end:
                raise at_line(self._now.line, "} is missing")
            if not self._mark(";"):
                self._statement(scope, depth)

    def _statement(self, scope: _Scope, depth: int) -> None:
        for keyword, defaults in (("node", scope.node), ("edge", scope.edge), ("graph", {})):
            if self._keyword(keyword):
                defaults.update((key, value) for key, value in self._attributes().items() if key in READ)
                return
        first = self._now
        groups = [self._group(scope, depth)]
        if first.name is not None and self._mark("="):
            self._name()  # an attribute of the graph, no vertex
            return
        marks = list[str]()
        while self._now.mark in LINKS:
            marks.append(self._take().mark)
            groups.append(self._group(scope, depth))
        own = self._attributes()
        for name in {name: None for group in groups for name in group}:
            self._add(name, own if len(groups) == 1 and first.name is not None else {}, scope)
        if len(groups) > 1:
            self._join(groups, marks, scope.edge | own)

    def _group(self, scope: _Scope, depth: int) -> list[str]:
        # One or several vertices, separated by commas as Graphviz allows, or the vertices of a subgraph.
        if self._now.name is not None:
            names = list[str]()
            while not names or self._mark(","):
                names.append(self._name())
                while self._mark(":"):  # its port
                    self._name()
            return names
        if self._keyword("subgraph") and self._now.name is not None:
            self._take()
        self._need("{")
        inner = scope.inner()
        self._statements(inner, depth + 1)
        scope.vertices.update(inner.vertices)
        return list(inner.vertices)

    def _attributes(self) -> Attributes:
        attributes: Attributes = {}
        while self._mark("["):
            while not self._mark("]"):
                key = self._value()
                self._need("=")
                attributes[key] = self._value()
                if not self._mark(","):
                    self._mark(";")
        return attributes

    def _add(self, name: str, own: Attributes, scope: _Scope) -> None:
        scope.vertices[name] = None
        self.graph.nodes[name] = {**self.graph.nodes.get(name, scope.node), **own}

    def _join(self, groups: list[list[str]], marks: list[str], attributes: Attributes) -> None:
        check_edges(self.graph.edges + sum(len(ones) * len(others) for ones, others in pairwise(groups)))
        for (ones, others), mark in zip(pairwise(groups), marks, strict=True):
            for u, v in ((u, v) for u in ones for v in others):
                for src, dst in self._directions(u, v, mark, attributes.get("dir", "forward")):
                    self._join_pair(src, dst, attributes)

    def _directions(self, u: str, v: str, mark: str, way: str) -> list[tuple[str, str]]:
        # Direction of an edge as the builder expects it; an undirected graph has each link once.
        if not self.graph.directed:
            return [(u, v)]
        if mark == "--" or way in ("both", "none"):
            return [(u, v), (v, u)]
        return [(v, u)] if way == "back" else [(u, v)]

    def _join_pair(self, src: str, dst: str, attributes: Attributes) -> None:
        if self._once is not None:
            pair = (src, dst) if self.graph.directed else tuple(sorted((src, dst)))
            if pair in self._once:
                return
            self._once.add(pair)
        self.graph.join(src, dst, attributes)

    def _take(self) -> Token:
        taken, self._now = self._now, next(self._tokens, self._now)
        return taken

    def _mark(self, mark: str) -> bool:
        # Take a mark if it comes next.
        return self._now.mark == mark and bool(self._take())

    def _keyword(self, keyword: str) -> bool:
        return self._now.keyword == keyword and bool(self._take())

    def _need(self, mark: str) -> None:
        if not self._mark(mark):
            raise unexpected(self._now, f"expected {mark}")

    def _value(self) -> str:
        # A name, or as in [type=node] a keyword.
        return self._take().keyword if self._now.keyword else self._name()

    def _name(self) -> str:
        parts = list[str]()
        while not parts or self._mark("+"):
            if self._now.name is None:
                raise unexpected(self._now, "expected a name")
            parts.append(self._take().name or "")
        return "".join(parts)


def write_dot(network: Network) -> Exported:
    """Return a network in DOT, as an undirected graph.

    Raises SpecError: if some links are one-way.
    """
    links = two_way(network)
    names = [_quoted(name) for name in vertex_names(network)]
    lines = [f"  {name} [type={'host' if v < network.nodes else 'switch'}];" for v, name in enumerate(names)]
    edges = zip(links.src.tolist(), links.dst.tolist(), links.gbs.tolist(), strict=True)
    lines += [f"  {names[u]} -- {names[v]} [bw={gbs_text(gbs)}];" for u, v, gbs in edges]
    return Exported("\n".join(["graph network {", *lines, "}", ""]), links.losses)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '\\"') + '"'
