"""GraphML. Of a node `role` or `type` (host or switch) is read, and `x` with `y`; of an edge its bandwidth.

That is `gbs`, `bandwidth`, `bw` or `weight`. These mean the same, GB/s in one direction; the first that an edge has
counts. A directed graph's edges lead one
way only.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.network.formats.parsed_graph import Graph, check_edges, checked_xml, shown, wrong
from core.network.formats.roles import ROLE_KEYS, ROLES, width_of


def read_graphml(path: Path) -> Graph:
    """Return the graph of a GraphML file.

    Raises SpecError: if it is none, or a node or an edge is not right.
    """
    import networkx as nx  # 0.2 s of imports that most scenarios never need

    content = checked_xml(path)
    check_edges(content.count(b"<edge"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph: Any = nx.parse_graphml(content.decode("utf-8-sig"), force_multigraph=True)
    except Exception as error:  # the reader raises whatever a hostile file leads it to
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise wrong(f"cannot be read as GraphML: {reason[:160]}") from error
    names = [str(name) for name in graph]
    number = {name: i for i, name in enumerate(graph)}
    edges = list(graph.edges(data=True))
    if not edges:
        raise wrong("has no edges; give one for each link")
    ends = np.array([(number[u], number[v]) for u, v, _ in edges], np.int32)
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if loops.size:
        raise wrong(f"joins {shown(names[ends[loops[0], 0]])} to itself; leave such edges out")
    return Graph(
        names,
        ends[:, 0],
        ends[:, 1],
        np.array([width_of(data, f"the edge {shown(str(u))} – {shown(str(v))}") for u, v, data in edges]),
        hosts=_hosts(names, [data for _, data in graph.nodes(data=True)]),
        directed=bool(graph.is_directed()),
        positions=_places([data for _, data in graph.nodes(data=True)]),
    )


def _hosts(names: list[str], nodes: list[dict[str, Any]]) -> NDArray[np.bool_] | None:
    roles = [next((data[key] for key in ROLE_KEYS if key in data), None) for data in nodes]
    if all(role is None for role in roles):
        return None
    for name, role in zip(names, roles, strict=True):
        if role is None:
            raise wrong(f"node {shown(name)} has no role; give all nodes one, host or switch, or none")
        if str(role).lower() not in ROLES:
            raise wrong(f"node {shown(name)} has the role {shown(str(role))}; it is host or switch")
    return np.array([ROLES[str(role).lower()] for role in roles])


def _places(nodes: list[dict[str, Any]]) -> NDArray[np.float64] | None:
    try:
        places = np.array([(float(data["x"]), float(data["y"])) for data in nodes])
    except (KeyError, TypeError, ValueError):
        return None
    return places if np.isfinite(places).all() and len(np.unique(places, axis=0)) == len(places) else None
