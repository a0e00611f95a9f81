"""SST/macro's JSON: ``switches`` and ``nodes`` whose ``outports`` name a destination and its port.

Nodes are numbered by their names as text, as SST does. Source: SST/macro's manual, file topology.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.export_result import Exported
from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, text_of, wrong
from core.network.formats.roles import unread_rates
from core.network.formats.written_graph import padded, router_graph, two_way, vertex_names
from core.network.metrics.metrics import distances
from core.network.network import Network
from core.network.ports import numbered_ports

NEEDED = ("avg_num_hops", "switches", "nodes")

Port = tuple[str, int]
Ports = dict[Port, Port]


def read_sst(path: Path) -> ParsedGraph:
    """Return the network of an SST/macro file.

    Raises SpecError: naming the invalid port.
    """
    given = json_object(path)
    _check_sections(given)
    nodes, switches = (_objects(given, key) for key in ("nodes", "switches"))
    ports: Ports = {}
    for section, things in (("switches", switches), ("nodes", nodes)):
        for name, thing in things.items():
            _add_ports(ports, f"{section}.{name}", name, thing, {*nodes, *switches})
    twice = next((name for name in switches if name in nodes), None)
    if twice is not None:
        raise wrong(f"{twice} is both a switch and a node")
    builder, cables = GraphBuilder(), list[tuple[Port, Port]]()
    for name in (*sorted(nodes), *switches):
        builder.add(name, host=name in nodes)
    for end, to in ports.items():
        if ports.get(to) != end:
            raise wrong(f"{end[0]} port {end[1]} leads to {to[0]} port {to[1]}, which does not lead back")
        if end < to:
            builder.join(end[0], to[0])
            cables.append((end, to))
    ends = [cable[side] for side in (0, 1) for cable in cables]
    number, nic = ([port for _, port in ends], [0 if name in nodes else -1 for name, _ in ends])
    graph = builder.graph(_unread((*switches.values(), *nodes.values())))
    return replace(graph, ports=numbered_ports(number, nic))


def write_sst(network: Network) -> Exported:
    """Return SST/macro's JSON of a network; ports are numbered in the order of the links.

    Nodes keep their names only if the names sort in the order of the nodes.

    Raises SpecError: if some links are one-way.
    """
    graph, names = router_graph(network, two_way(network)), vertex_names(network)
    nodes, routers = names[: network.nodes], names[network.nodes :]
    renamed = nodes != sorted(nodes)
    nodes = padded("node", network.nodes) if renamed else nodes
    routers = [f"router-{name}" for name in (*nodes, *routers)] if graph.own else routers
    ports: dict[str, dict[str, Any]] = {name: {} for name in (*nodes, *routers)}
    pairs = [(node, routers[router]) for node, router in zip(nodes, graph.home.tolist(), strict=True)]
    pairs += [(routers[u], routers[v]) for u, v in zip(graph.src.tolist(), graph.dst.tolist(), strict=True)]
    for u, v in pairs:
        u_port, v_port = len(ports[u]), len(ports[v])
        ports[u][str(u_port)] = {"destination": v, "inport": v_port}
        ports[v][str(v_port)] = {"destination": u, "inport": u_port}
    lengths = distances(network)
    hops = lengths.total / max(lengths.pairs, 1) + 2 * graph.own
    content = {"avg_num_hops": max(1, round(hops))}
    sections = {
        key: {name: {"outports": ports[name]} for name in some}
        for key, some in (("switches", routers), ("nodes", nodes))
    }
    return Exported(json.dumps(content | sections, indent=1) + "\n", ("names",) * renamed + graph.losses)


def json_object(path: Path) -> dict[str, Any]:
    """Read the object in a JSON file.

    Raises SpecError: if the file does not contain a single object.
    """
    try:
        content = json.loads(text_of(path))
    except (json.JSONDecodeError, RecursionError) as error:
        where = (
            f"line {error.lineno:,}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        )
        raise wrong(f"invalid JSON: {where}") from error
    if not isinstance(content, dict):
        raise wrong("is not a JSON object; begin with {")
    return content


def _check_sections(given: dict[str, Any]) -> None:
    tables = given.get("switches")
    if isinstance(tables, dict) and any(isinstance(table, dict) and "routes" in table for table in tables.values()):
        raise wrong("is a router table of SST/macro, which lists no links; give the topology that it belongs to")
    for key in NEEDED:
        if key not in given:
            raise wrong(f"{key} is missing")


def _objects(given: dict[str, Any], key: str) -> dict[str, Any]:
    entries = given[key]
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise wrong(f"{key} is not an object of objects")
    return entries


def _unread(things: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    ports = (port for thing in things for port in thing.get("outports", {}).values())
    return unread_rates(ports, read=())


def _add_ports(ports: Ports, place: str, name: str, thing: dict[str, Any], names: set[str]) -> None:
    outports = thing.get("outports", {})
    if not isinstance(outports, dict):
        raise wrong(f"{place}: outports is not an object")
    for port, to in outports.items():
        if not port.isdecimal() or len(port) > 9:
            raise wrong(f'{place}: port "{port[:40]}" is not a number')
        if not isinstance(to, dict) or not isinstance(to.get("inport"), int):
            raise wrong(f"{place} port {port}: give destination and inport")
        if not isinstance(to.get("destination"), str) or to["destination"] not in names:
            raise wrong(f"{place} port {port}: unknown switch or node {str(to.get('destination'))[:40]}")
        ports[name, int(port)] = to["destination"], to["inport"]
