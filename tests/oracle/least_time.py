"""Minimum time of the slowest link by linear programmes: over any paths, or over minimal paths and one intermediate.

Links are pairs of vertices; links without bandwidth carry nothing. Flows are triples (source, target, volume). Flows
from a node to itself and flows without a path load nothing.
"""

from collections import defaultdict

import numpy as np
from scipy.optimize import linprog

from tests.oracle.minimal import Wiring


def over_any_paths(links, gbs, vertices, flows, closed=0):
    """Return the minimum time if volumes may be split over all paths: a flow on links for every target.

    No path passes through a vertex below `closed`.
    """
    working = [(u, v, rate) for (u, v), rate in zip(links, gbs, strict=True) if rate > 0]
    oracle = _wiring(links, gbs, vertices, closed=closed)
    sent = defaultdict(lambda: np.zeros(vertices))
    for u, v, volume in flows:
        if u != v and oracle.shortest(u, v):
            sent[v][u] += volume
    if not sent:
        return 0.0
    incidence = np.zeros((vertices, len(working)))
    for k, (u, v, _) in enumerate(working):
        incidence[u, k] += 1
        incidence[v, k] -= 1
    size = len(sent) * len(working)
    balance, supply = np.zeros((len(sent) * (vertices - 1), size + 1)), []
    for k, (v, volumes) in enumerate(sent.items()):
        others = np.arange(vertices) != v
        rows = slice(k * (vertices - 1), (k + 1) * (vertices - 1))
        balance[rows, k * len(working) : (k + 1) * len(working)] = incidence[others]
        supply.append(volumes[others])
    seconds = np.diag([1 / rate for _, _, rate in working])
    slowest = np.hstack([*[seconds] * len(sent), -np.ones((len(working), 1))])
    most = [0 if v < closed and v != target else None for target in sent for _, v, _ in working]
    return _least(slowest, balance, np.concatenate(supply), [(0, top) for top in [*most, None]])


def over_one_intermediate(links, gbs, nodes, vertices, flows):
    """Return the minimum time if each flow is split over its minimal path and one path over each possible intermediate.

    Intermediates are the switches that nodes have links to, and nodes without such links. Shortest paths to the
    intermediate, and on from there, have equal shares.
    """
    oracle = _wiring(links, gbs, vertices, nodes)
    switches = {node: oracle._switches(node, range(vertices)) for node in range(nodes)}
    turns = {turn for node, neighbours in switches.items() for turn in neighbours or [node]}
    seconds = np.array([1 / rate if rate > 0 else 0.0 for rate in gbs])
    columns, owner, count = [], [], 0
    for u, v, volume in flows:
        if u == v or not oracle.shortest(u, v):
            continue
        for turn in [u, *turns]:
            load = _by(oracle, len(links), u, turn, v)
            if load is not None:
                columns.append(volume * load * seconds)
                owner.append(count)
        count += 1
    if not columns:
        return 0.0
    shares = np.zeros((count, len(columns) + 1))
    shares[owner, np.arange(len(columns))] = 1
    return _least(np.column_stack([*columns, -np.ones(len(links))]), shares, np.ones(count))


def _by(oracle, links, u, turn, v):
    # The loads of a unit sent over an intermediate, or None without a path.
    load = np.zeros(links)
    for pair in ((u, turn), (turn, v)):
        paths = oracle.shortest(*pair) if pair[0] != pair[1] else [[]]
        if not paths:
            return None
        for path in paths:
            np.add.at(load, path, 1 / len(paths))
    return load


def _wiring(links, gbs, vertices, nodes=0, closed=0):
    failed = {link for link, rate in enumerate(gbs) if rate == 0}
    return Wiring(links, nodes, vertices, "equal", failed, closed)


def _least(slowest, equal, right, bounds=(0, None)):
    # The last variable is the time; the others are volumes or shares.
    goal = np.append(np.zeros(slowest.shape[1] - 1), 1)
    solved = linprog(goal, slowest, np.zeros(slowest.shape[0]), equal, right, bounds, method="highs")
    assert solved.status == 0
    return solved.fun
