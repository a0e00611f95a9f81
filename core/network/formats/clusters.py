"""The wiring of SimGrid's clusters, from their `topo_parameters`.

TORUS ``X,Y,Z``: hosts on a grid, X fastest, each linked to the next along every dimension; rings of two have two links.
FAT_TREE ``levels;down;up;count``, three lists with a number per level, lowest first: a vertex of level i has down[i -
1] children, up[i] parents, and count[i] parallel links to each parent; the labels of parent and child differ in one
digit. DRAGONFLY ``groups,blue;chassis,black;routers,green;nodes``: routers of a chassis are fully connected, so are
routers of a group with the same number in their chassis, and router j of the first chassis of group i is linked to
router i of the first chassis of group j; parallel links are merged into one of their total bandwidth.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from core.network.formats.parsed_graph import Block, ParsedGraph, check_edges, shown, wrong
from core.network.layout import Layout
from core.network.layouts.force_directed import rows
from core.network.layouts.groups import groups_on_a_circle
from core.network.layouts.nested import any_lattice
from core.network.layouts.tree import tree
from core.network.network import Network
from core.network.sizes import axis_name
from core.text import plural

MAX_HOSTS = 500_000
MAX_DIMENSIONS = 8
MAX_LEVELS = 16
NUMBER = re.compile(r"\s*\d{1,9}\s*")

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


def torus(names: list[str], parameters: str, gbs: float) -> ParsedGraph:
    """Return a torus of hosts.

    Raises SpecError: if the parameters do not fit the number of hosts.
    """
    dims = _numbers(parameters, "X,Y,Z")
    if len(dims) > MAX_DIMENSIONS:
        raise wrong(f"topo_parameters has {len(dims)} dimensions; at most {MAX_DIMENSIONS} are supported")
    _check_hosts(names, prod(dims), f"a torus of {' × '.join(map(str, dims))}")
    check_edges(len(names) * sum(size > 1 for size in dims))
    host = np.arange(len(names))
    parts, step = [], 1
    for size in dims:
        at = host // step % size
        parts.append((host, host + ((at + 1) % size - at) * step) if size > 1 else (host[:0], host[:0]))
        step *= size
    # Link classes in the order of drawings: slowest dimension first.
    ends = np.cumsum([0, *(2 * part[0].size for part in reversed(parts))]).astype(np.intp)
    slowest_first = tuple(reversed(dims))
    builder = [(axis_name(d), gbs, part) for d, part in reversed(list(enumerate(parts)))]
    return replace(
        _graph(names, [], builder),
        layout=lambda _: any_lattice(slowest_first, (True,) * len(slowest_first), ends, boxed=False),
    )


def fat_tree(names: list[str], parameters: str, gbs: float) -> ParsedGraph:
    """Return a fat tree of hosts and switches, named after their level, from 1, and their place in it.

    Raises SpecError: if the parameters do not fit the number of hosts.
    """
    form = "levels;down;up;count"
    (levels,), down, up, count = (_numbers(part, form) for part in _parts(parameters, (1, None, None, None), form))
    if levels > MAX_LEVELS:
        raise wrong(f"has a fat tree of {levels:,} levels; at most {MAX_LEVELS} are supported")
    for what, numbers in (("down", down), ("up", up), ("count", count)):
        if len(numbers) != levels:
            given = f"{plural(len(numbers), 'number')} of {what} for {plural(levels, 'level')}"
            raise wrong(f"topo_parameters has {given}; give one per level")
    _check_hosts(names, prod(down), f"a fat tree of {' × '.join(map(str, down))}")
    # (levels + 1, levels): radix of each digit of the labels, by level of vertices.
    radix = [[*up[:level], *down[level:]] for level in range(levels + 1)]
    sizes = [prod(digits) for digits in radix]
    check_edges(sum(size * u * c for size, u, c in zip(sizes, up, count, strict=False)))
    starts = np.cumsum([0, *sizes])
    builder = []
    for level in range(levels):
        child, parent = _parents(radix, level)
        ends = np.repeat(starts[level] + child, count[level]), np.repeat(starts[level + 1] + parent, count[level])
        builder.append((f"L{level}–L{level + 1}" if level else "node link", gbs, ends))
    switches = [f"L{level}.{place}" for level in range(1, levels + 1) for place in range(sizes[level])]
    blocks = [_subtree(level, down, radix[1:]) for level in range(levels, 0, -1)]
    k_ary = set(down) == {down[0]} and up == [1] + [down[0]] * (levels - 1)

    def _layout(network: Network) -> Layout:
        return tree(down[0], levels, network.classes) if k_ary else rows(network, sizes, at_each=down[0])

    return replace(_graph(names, switches, builder), blocks=tuple(blocks), layout=_layout)


def _subtree(level: int, down: list[int], radix: list[list[int]]) -> Block:
    # Vertices whose labels agree from a digit on; switches above that level belong to several subtrees.
    groups = [
        np.arange(prod(digits)) // prod(digits[:level]) if place <= level else np.full(prod(digits), -1)
        for place, digits in enumerate(radix, 1)
    ]
    name = f"L{level} subtree" if level > 1 else "switch"
    return Block(name, prod(down[:level]), np.concatenate(groups).astype(np.int32))


def _parents(radix: list[list[int]], level: int) -> Ends:
    # Every vertex of a level and its parents, whose labels replace one digit by any value.
    digits, above = radix[level], radix[level + 1]
    low = prod(digits[:level])
    vertex = np.arange(prod(digits))
    rest = vertex // (low * digits[level])
    base = vertex % low + rest * low * above[level]
    return np.repeat(vertex, above[level]), (base[:, None] + low * np.arange(above[level])).ravel()


def dragonfly(names: list[str], parameters: str, gbs: float) -> ParsedGraph:
    """Return a dragonfly of hosts and routers, named by group, chassis and blade.

    Raises SpecError: if the parameters do not fit the number of hosts, or have more groups than routers per chassis.
    """
    form = "groups,blue;chassis,black;routers,green;nodes"
    numbers = [_numbers(part, form) for part in _parts(parameters, (2, 2, 2, 1), form)]
    (groups, blue), (chassis, black), (blades, green), (nodes,) = numbers
    if groups > blades:
        given = f"{groups} groups, but each of the {blades} routers per chassis links to one group"
        raise wrong(f"has {given}; give at least {groups} routers per chassis")
    shape = (groups, chassis, blades)
    count = prod(shape)
    _check_hosts(names, count * nodes, f"a dragonfly of {groups} × {chassis} × {blades} × {nodes}")
    check_edges(count * nodes + count * (blades - 1 + chassis - 1) // 2 + groups * (groups - 1) // 2)
    router = np.arange(count).reshape(shape)
    host = np.arange(len(names))
    i, j = np.triu_indices(groups, 1)
    builder = [
        ("node link", gbs, (host, len(names) + host // nodes)),
        ("chassis link", gbs * green, _all_to_all(router, len(names))),
        ("group link", gbs * black, _all_to_all(router.swapaxes(1, 2), len(names))),
        ("global link", gbs * blue, (len(names) + router[i, 0, j], len(names) + router[j, 0, i])),
    ]
    routers = [f"{g}.{c}.{b}" for g, c, b in np.ndindex(shape)]
    sizes = {"group": chassis * blades, "chassis": blades, "router": 1}
    blocks = [Block(name, size * nodes, (router.ravel() // size).astype(np.int32)) for name, size in sizes.items()]

    def _layout(network: Network) -> Layout:
        return groups_on_a_circle(groups, chassis * blades, nodes)

    # The layout of groups needs several groups, and would hide the single nodes of routers.
    layout = _layout if groups > 1 < nodes else None
    return replace(_graph(names, routers, builder), blocks=tuple(blocks), layout=layout)


def _all_to_all(vertices: NDArray[np.int64], first: int) -> Ends:
    # All pairs along the last axis.
    i, j = np.triu_indices(vertices.shape[-1], 1)
    return first + vertices[..., i].ravel(), first + vertices[..., j].ravel()


def crossbar(names: list[str], parameters: str, gbs: float) -> ParsedGraph:
    """Return a star: all hosts linked to one switch."""
    host = np.arange(len(names))
    return _graph(names, ["switch"], [("node link", gbs, (host, np.full(len(names), len(names))))])


READERS: dict[str, Callable[[list[str], str, float], ParsedGraph]] = {
    "TORUS": torus,
    "FAT_TREE": fat_tree,
    "DRAGONFLY": dragonfly,
    "FLAT": crossbar,
}


def _graph(hosts: list[str], switches: list[str], builder: list[tuple[str, float, Ends]]) -> ParsedGraph:
    sizes = [ends[0].size for _, _, ends in builder]
    src, dst = (np.concatenate([ends[side] for _, _, ends in builder]).astype(np.int32) for side in (0, 1))
    return ParsedGraph(
        hosts + switches,
        src,
        dst,
        np.repeat([gbs for _, gbs, _ in builder], sizes),
        hosts=np.arange(len(hosts) + len(switches)) < len(hosts),
        kind=np.repeat(np.arange(len(builder)), sizes),
        kinds=tuple(name for name, _, _ in builder),
    )


def _parts(parameters: str, counts: tuple[int | None, ...], form: str) -> list[str]:
    parts = parameters.split(";")
    fitting = len(parts) == len(counts) and all(
        count is None or part.count(",") + 1 == count for part, count in zip(parts, counts, strict=True)
    )
    if not fitting:
        raise wrong(f"has topo_parameters {shown(parameters)}; give {form}")
    return parts


def _numbers(part: str, form: str) -> list[int]:
    words = part.split(",")
    if not all(NUMBER.fullmatch(word) for word in words) or not all(map(int, words)):
        raise wrong(f"has topo_parameters with {shown(part)}; give {form} as whole numbers of at least 1")
    return [int(word) for word in words]


def _check_hosts(names: list[str], needed: int, what: str) -> None:
    if needed != len(names):
        raise wrong(f"radical lists {plural(len(names), 'host')}, but {what} has {needed:,}")
