"""Networks as graphs of networkx."""

from fractions import Fraction

import networkx as nx
import numpy as np


def graph_of(network):
    """The network as a directed multigraph; loops and parallel links are kept."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network.vertices))
    graph.add_edges_from(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    return graph


def simple_graph_of(network):
    """The network as a graph without parallel links, which do not affect distances."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.vertices))
    graph.add_edges_from(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    return graph


def distances(network, begin):
    """Distances from a vertex to all vertices, shape ``(vertices,)``; every vertex must be reached."""
    lengths = nx.single_source_shortest_path_length(simple_graph_of(network), begin)
    return np.array([lengths[v] for v in range(network.vertices)])


def diameter_and_aspl(network):
    """Longest and average distance, this as a fraction, over all ordered pairs of different nodes."""
    graph = simple_graph_of(network)
    lengths_from = dict(nx.all_pairs_shortest_path_length(graph))
    hosts = range(network.nodes)
    lengths = [lengths_from[u][v] for u in hosts for v in hosts if u != v]
    return max(lengths), Fraction(sum(lengths), len(lengths))


def is_symmetric(network):
    """Whether every link has a reverse, with equal multiplicity."""
    graph = graph_of(network)
    return all(graph.number_of_edges(u, v) == graph.number_of_edges(v, u) for u, v in set(graph.edges()))
