"""Channel dependency graphs by listing every path, with networkx."""

import networkx as nx
import numpy as np


def paths_between(network, router, u, v):
    """Return all paths of a unit as lists of (link, role): as the route lists them, or all along its links."""
    route = router.route(u, v)
    hops = list(zip(route.links.tolist(), route.roles.tolist(), strict=True))
    if route.path is not None:
        return [[hop for hop, number in zip(hops, route.path, strict=True) if number == p] for p in set(route.path)]
    graph = nx.MultiDiGraph()
    graph.add_nodes_from((u, v))
    for link, role in dict(hops).items():
        graph.add_edge(int(network.src[link]), int(network.dst[link]), key=(link, role))
    return [[key for *_, key in path] for path in nx.all_simple_edge_paths(graph, u, v)] if u != v else []


def dependency_graph(network, router, lanes=1):
    """Return the graph of (link, lane) with an arc wherever a path uses one directly after the other."""
    graph = nx.DiGraph()
    for u in range(network.nodes):
        for v in range(network.nodes):
            for path in paths_between(network, router, u, v):
                links, roles = np.array(path, int).reshape(-1, 2).T
                on = router.lane_of(links, roles, np.full(links.size, v)) if lanes > 1 else np.zeros(links.size, int)
                nx.add_path(graph, zip(links.tolist(), on.tolist(), strict=True))
    return graph


def girth(graph):
    """Return the length of a shortest cycle, or None."""
    component = {
        channel: k for k, channels in enumerate(nx.strongly_connected_components(graph)) for channel in channels
    }
    return min(
        (
            1 + nx.shortest_path_length(graph, second, first)
            for first, second in graph.edges
            if component[first] == component[second]
        ),
        default=None,
    )
