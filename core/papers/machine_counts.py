"""Nodes, switches and cables of the machines in `machine_tables`, by closed forms of each family.

They bound the counts in the networks that are built: both ends of the bounds are the same number.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from core.network import Dragonfly, DragonflyPlus, NetworkSpec, Rail, SlimFly, Torus, TwistedTorus, Xgft

Counts = dict[str, int]


def closed_counts(spec: NetworkSpec) -> Counts:
    """Return the counts of a network by the names of `machine_tables.as_built`.

    Raises KeyError: if its family has no closed form here.
    """
    return CLOSED_FORMS[type(spec)](spec)


def _dragonfly(spec: Dragonfly) -> Counts:
    a, g = spec.routers, spec.groups
    nodes = a * g * spec.nodes_per_router
    # Without a number of links between two groups, all global ports are used.
    between = spec.links_per_pair or a * spec.global_links // (g - 1)
    return {
        "all nodes": nodes,
        "all switches": a * g,
        "local cables": g * a * (a - 1) // 2,
        "global cables": g * (g - 1) // 2 * between,
        "host cables": nodes,
    }


def _dragonfly_plus(spec: DragonflyPlus) -> Counts:
    g, nodes = spec.groups, spec.groups * spec.leaves * spec.nodes_per_leaf
    return {
        "all nodes": nodes,
        "all switches": g * (spec.leaves + spec.spines),
        "local cables": g * spec.leaves * spec.spines,
        "global cables": g * (g - 1) // 2 * spec.links_per_pair,
        "host cables": nodes,
    }


def _xgft(spec: Xgft) -> Counts:
    # Level i has m(i+1) .. m(h) w(1) .. w(i) vertices, each with w(i+1) parents.
    sizes = [prod(spec.down[level:]) * prod(spec.up[:level]) for level in range(len(spec.down) + 1)]
    counts = {"all nodes": sizes[0], "all switches": sum(sizes[1:])}
    for level, (parents, cables) in enumerate(zip(spec.up, spec.tree.parallel, strict=True)):
        name = f"L{level}-L{level + 1}" if level else "host"
        counts[f"{name} cables"] = sizes[level] * parents * cables
    return counts


def _rail(spec: Rail) -> Counts:
    servers = spec.units * spec.servers
    nodes, leaves = servers * spec.gpus, spec.units * spec.gpus
    return {
        "all nodes": nodes,
        "all switches": servers + leaves + spec.spines,
        "nvlink cables": nodes,
        "rail cables": nodes,
        "spine cables": leaves * spec.spines * spec.parallel,
    }


def _torus(spec: Torus) -> Counts:
    nodes = prod(spec.dims)
    counts = {"all nodes": nodes}
    outer = len(spec.dims) - spec.unit
    for axis, (size, wraps) in enumerate(zip(spec.dims, spec.wraps, strict=True)):
        name = "XYZ"[axis] if axis < outer else "ABC"[axis - outer]
        counts[f"{name} cables"] = nodes if wraps else nodes // size * (size - 1)
    return counts


def _twisted_torus(spec: TwistedTorus) -> Counts:
    # Blocks of 4 x 4 x 4 with 3 x 3 x 16 cables inside; six ports of each node.
    nodes = prod(spec.dims)
    electrical = nodes // 64 * 144
    return {"all nodes": nodes, "electrical cables": electrical, "optical cables": 3 * nodes - electrical}


def _slim_fly(spec: SlimFly) -> Counts:
    # 2 q^2 switches, q = 4 w + d, each with (q - d) / 2 local links and q global ones.
    switches = 2 * spec.q**2
    local = (spec.q - {0: 0, 1: 1, 3: -1}[spec.q % 4]) // 2
    counts = {"local cables": switches * local // 2, "global cables": switches * spec.q // 2}
    if spec.nodes_per_switch == 1:
        return {"all nodes": switches, **counts}
    nodes = switches * spec.nodes_per_switch
    return {"all nodes": nodes, "all switches": switches, **counts, "host cables": nodes}


CLOSED_FORMS: dict[type[NetworkSpec], Callable[[Any], Counts]] = {
    Dragonfly: _dragonfly,
    DragonflyPlus: _dragonfly_plus,
    Xgft: _xgft,
    Rail: _rail,
    Torus: _torus,
    TwistedTorus: _twisted_torus,
    SlimFly: _slim_fly,
}
