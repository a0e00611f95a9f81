"""NetJSON's NetworkGraph: ``nodes`` with their ids, ``links`` with source and target.

Properties read: `type` or `role` of nodes, host or switch; `bw` of links, GB/s. Source: netjson.org, RFC, NetworkGraph.
"""

from pathlib import Path
from typing import Any

from core.network.formats.parsed_graph import ParsedGraph, wrong
from core.network.formats.roles import AttributedGraph
from core.network.formats.sst import json_object


def read_netjson(path: Path) -> ParsedGraph:
    """Return the network of a NetworkGraph.

    Raises SpecError: naming the invalid node or link.
    """
    given = json_object(path)
    if given.get("type") != "NetworkGraph":
        raise wrong(f"has type {str(given.get('type'))[:40]}; give NetworkGraph")
    graph = AttributedGraph(directed=None)
    for place, node in _objects(given, "nodes"):
        if not isinstance(node.get("id"), str | int):
            raise wrong(f"{place}: no id")
        graph.nodes[str(node["id"])] = _properties(node)
    for place, link in _objects(given, "links"):
        ends = [str(link.get(end)) for end in ("source", "target")]
        for name in ends:
            if name not in graph.nodes:
                raise wrong(f"{place}: unknown node {name[:40]}")
        graph.join(ends[0], ends[1], _properties(link))
    return graph.graph()


def _objects(given: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    entries = given.get(key)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise wrong(f"{key} is not a list of objects")
    return [(f"{key}[{index}]", entry) for index, entry in enumerate(entries)]


def _properties(thing: dict[str, Any]) -> dict[str, Any]:
    properties = thing.get("properties")
    return properties if isinstance(properties, dict) else {}
