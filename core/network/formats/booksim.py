"""BookSim's anynet: ``router 0 node 0 router 1 5`` lists a router's nodes and the routers linked to it.

The number after a router is the latency of that direction, which is ignored. Two routers have one link, however often
it is listed. Source: BookSim 2, anynet.cpp.
"""

from pathlib import Path

from core.export_result import Exported
from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, at_line, shown, text_of, wrong
from core.network.formats.written_graph import merged_links, router_graph
from core.network.network import Network

WORDS = ("router", "node")

Thing = tuple[str, int]
"""A router or node, by its number."""


def read_booksim(path: Path) -> ParsedGraph:
    """Return the network of an anynet file.

    Raises SpecError: naming the first invalid line.
    """
    anynet = _Anynet()
    for number, line in enumerate(text_of(path).split("\n"), 1):
        things = _things(number, _words(number, line))
        for thing in things:
            anynet.add(thing)
        for thing in things[1:]:
            anynet.join(number, things[0], thing)
    return anynet.graph()


def write_booksim(network: Network) -> Exported:
    """Return the anynet file of a network: a line for each router, with its nodes and the routers that follow it.

    Raises SpecError: if some links are one-way.
    """
    graph = router_graph(network, merged_links(network))
    words = [[f"router {router}"] for router in range(graph.routers)]
    for node, router in enumerate(graph.home.tolist()):
        words[router].append(f"node {node}")
    for u, v in zip(graph.src.tolist(), graph.dst.tolist(), strict=True):
        words[u].append(f"router {v}")
    return Exported("\n".join(map(" ".join, words)) + "\n", ("names", *graph.losses))


class _Anynet:
    """Parser state."""

    def __init__(self) -> None:
        self._home: dict[int, int] = {}
        """Router of each node."""
        self._routers: set[int] = set()
        self._pairs: dict[tuple[int, int], None] = {}

    def add(self, thing: Thing) -> None:
        kind, number = thing
        if kind == "router":
            self._routers.add(number)

    def join(self, line: int, head: Thing, other: Thing) -> None:
        if head[0] == other[0] == "node":
            raise at_line(line, "links two nodes; link nodes to routers only")
        if head[0] == other[0]:
            if head == other:
                raise at_line(line, f"links router {head[1]} to itself")
            self._pairs[min(head[1], other[1]), max(head[1], other[1])] = None
            return
        node, router = (head[1], other[1]) if head[0] == "node" else (other[1], head[1])
        if self._home.setdefault(node, router) != router:
            raise at_line(line, f"node {node} is already at router {self._home[node]}")

    def graph(self) -> ParsedGraph:
        missing = next((node for node in range(len(self._home)) if node not in self._home), None)
        if missing is not None:
            raise wrong(f"node {missing} is missing; number the nodes 0, 1, ... without gaps")
        builder, nodes = GraphBuilder(), range(len(self._home))
        for node in nodes:
            builder.add(f"node {node}", host=True)
        for router in sorted(self._routers):
            builder.add(f"router {router}", host=False)
        builder.join_all((f"node {node}", f"router {self._home[node]}") for node in nodes)
        builder.join_all((f"router {u}", f"router {v}") for u, v in self._pairs)
        return builder.graph()


def _words(number: int, line: str) -> list[str]:
    for mark, name in (("\t", "a tab"), ("\r", "a carriage return")):
        if mark in line:
            raise at_line(number, f"{name}; separate words by spaces and lines by line feeds only, as BookSim does")
    return line.split()


def _things(number: int, words: list[str]) -> list[Thing]:
    """Return the routers and nodes named in a line: first its own router, then the linked ones."""
    things: list[Thing] = []
    at = 0
    while at < len(words):
        kind = words[at]
        if kind not in WORDS:
            hint = "; write router or node in lower case" if kind.lower() in WORDS else " is neither router nor node"
            raise at_line(number, f'"{kind[:40]}"{hint}')
        if at + 1 == len(words) or not words[at + 1].isdecimal() or len(words[at + 1]) > 9:
            raise at_line(number, f"{kind} without a number")
        things.append((kind, int(words[at + 1])))
        at += 2
        if at < len(words) and words[at].isdecimal():
            if len(things) == 1 or kind == "node":
                raise at_line(number, f"{shown(words[at])} after {kind} {things[-1][1]}; only routers have a latency")
            at += 1
    return things
