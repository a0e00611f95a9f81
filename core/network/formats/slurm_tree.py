"""The tree of switches that Slurm's topology plugins need, from a network: hosts below leaf switches, switches above.

A network whose links join switches of neighbouring levels is written as it is; a switch may then be below several
others, as in a fat tree. In a network whose groups are all linked to each other, such as a dragonfly, each level of
groups becomes a level of switches. Slurm wants either nodes or switches below a switch, and a switch above all nodes of
a job, so that switches are added where the network has none. Blocks are the smallest groups of equally many nodes.
Source: Slurm's manual, topology.conf and topology.yaml.
"""

import re
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.export_result import Exported
from core.hostlist import compress
from core.network.adjacency import components, distinct
from core.network.formats.written_graph import NICS, UNPLAIN, WrittenLinks, padded, two_way, vertex_names
from core.network.layouts.levels import levels_of
from core.network.network import Ints, Level, Network
from core.spec import SpecError
from core.text import plural

PLAIN = re.compile(r"[\w.:-]+", re.ASCII)
"""Names that a host list can contain."""


class SwitchLine(NamedTuple):
    """A switch, and either nodes or switches below it."""

    name: str
    nodes: tuple[str, ...]
    switches: tuple[str, ...]


class Blocks(NamedTuple):
    """Equal groups of nodes, for the block topology."""

    names: tuple[str, ...]
    nodes: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    """Nodes of a block, and of the groups of two, four, eight ... blocks that are levels of the network."""


class SwitchTree(NamedTuple):
    """A network as Slurm describes it."""

    switches: list[SwitchLine]
    """Each after the switches below it."""
    blocks: Blocks | None
    losses: tuple[str, ...]


def write_slurm_conf(network: Network) -> Exported:
    """Return Slurm's topology.conf of a tree; if it has equal blocks, these follow as comments.

    Raises SpecError: if the network is not a tree.
    """
    tree = tree_of(network)
    lines = [
        f"SwitchName={name} " + (f"Nodes={compress(nodes)}" if nodes else f"Switches={compress(switches)}")
        for name, nodes, switches in tree.switches
    ]
    if tree.blocks is not None:
        lines.append("# For TopologyPlugin=topology/block, use these lines instead:")
        blocks = zip(tree.blocks.names, tree.blocks.nodes, strict=True)
        lines += [f"# BlockName={name} Nodes={compress(nodes)}" for name, nodes in blocks]
        lines.append(f"# BlockSizes={','.join(map(str, tree.blocks.sizes))}")
    return Exported("\n".join(lines) + "\n", tree.losses)


def write_slurm_yaml(network: Network) -> Exported:
    """Return Slurm's topology.yaml of a tree: the topology tree, and if there are equal blocks, the topology block.

    Raises SpecError: if the network is not a tree.
    """
    tree = tree_of(network)
    lines = ["---", "- topology: tree", "  cluster_default: true", "  tree:", "    switches:"]
    for name, nodes, switches in tree.switches:
        below = f'nodes: "{compress(nodes)}"' if nodes else f'children: "{compress(switches)}"'
        lines += [f'      - switch: "{name}"', f"        {below}"]
    if tree.blocks is not None:
        lines += ["- topology: block", "  cluster_default: false", "  block:", "    block_sizes:"]
        lines += [f"      - {size}" for size in tree.blocks.sizes] + ["    blocks:"]
        for name, nodes in zip(tree.blocks.names, tree.blocks.nodes, strict=True):
            lines += [f'      - block: "{name}"', f'        nodes: "{compress(nodes)}"']
    return Exported("\n".join(lines) + "\n", tree.losses)


def tree_of(network: Network) -> SwitchTree:
    """Return a network as a tree of switches.

    Raises SpecError: if the network is not a tree.
    """
    links = two_way(network)
    hosts, switches = list(network.host_names), vertex_names(network)[network.nodes :]
    renamed = not all(map(PLAIN.fullmatch, hosts + switches))
    if renamed:
        hosts, switches = padded("n", len(hosts)), padded("switch", len(switches))
    host_of = network.host_slots.host_of
    names = [hosts[host] for host in host_of.tolist()] + switches
    level = levels_of(network) if network.vertices > network.nodes else None
    tree = _Switches(network.nodes, names)
    if level is not None:
        lost = _add_levels(tree, network, links, level)
    elif (network.spec.groups_joined or network.spec.linked_groups() is not None) and network.levels:
        lost = _add_groups(tree, network)
    elif network.vertices == network.nodes:
        raise _no_tree("nodes are linked directly to each other")
    else:
        raise _no_tree("links do not all join a level of switches and the next")
    nics = ("NICs of hosts",) * (network.nics is not None)
    lines = tree.lines()
    if merged := len(tree.below) - len(lines):
        lost += (f"{plural(merged, 'leaf switch')} with the same nodes as another",)
    losses = ("bandwidths", *("names",) * renamed, *nics, *lost, *(loss for loss in links.losses if loss != NICS))
    return SwitchTree(lines, _blocks(network, names), losses)


def _no_tree(why: str) -> SpecError:
    return SpecError("network", f"is not a tree of switches above nodes, as in Slurm's topology: its {why}")


class _Switches:
    """Switches and the vertices below them; added switches have numbers after the vertices."""

    def __init__(self, nodes: int, names: list[str]) -> None:
        self.nodes, self.names = nodes, list(names)
        self.below: dict[int, list[int]] = {}
        """Nodes or switches below each switch, which come before it."""
        self._taken = set(names)

    def add(self, name: str, below: list[int]) -> int:
        """Add a switch; its name gets a number if it is taken."""
        numbered = (f"{name}-{number}" for number in count(1))
        self.names.append(next(each for each in chain([name], numbered) if each not in self._taken))
        self._taken.add(self.names[-1])
        self.below[len(self.names) - 1] = below
        return len(self.names) - 1

    def nodes_below(self, switch: int) -> set[int]:
        """Return the nodes below a switch, at any level."""
        reached, waiting = set[int](), [switch]
        while waiting:
            new = [child for child in self.below.get(waiting.pop(), []) if child not in reached]
            reached.update(new)
            waiting += new
        return {vertex for vertex in reached if vertex < self.nodes}

    def lines(self) -> list[SwitchLine]:
        """Return the switches with their names; one of several leaf switches with the same hosts stands for all."""
        lines = []
        leaf_of: dict[frozenset[str], str] = {}
        instead: dict[str, str] = {}
        for switch, below in self.below.items():
            name, names = self.names[switch], [self.names[vertex] for vertex in below]
            if below[0] >= self.nodes:
                lines.append(SwitchLine(name, (), tuple(dict.fromkeys(instead.get(child, child) for child in names))))
                continue
            instead[name] = leaf_of.setdefault(frozenset(names), name)
            if instead[name] == name:  # a host with several NICs once
                lines.append(SwitchLine(name, tuple(dict.fromkeys(names)), ()))
        return lines


def _add_levels(tree: _Switches, network: Network, links: WrittenLinks, level: Ints) -> tuple[str, ...]:
    """Add the switches of a network in levels; return the losses."""
    ends = np.stack([links.src, links.dst]).astype(np.int64)
    keys = distinct(ends.min(axis=0) * network.vertices + ends.max(axis=0))
    pairs = np.stack(np.divmod(keys, network.vertices)).astype(np.int32)
    low, high = np.where(level[pairs[0]] < level[pairs[1]], pairs, pairs[::-1])
    beside = level[low] == level[high]
    inside = _inside_servers(low, high, level)
    rising = ~beside & ~inside[high]
    lower, upper = low[rising], high[rising]
    first = _first_node(lower, upper, level)
    used = first < network.vertices
    lower, upper = lower[used[lower]], upper[used[lower]]
    rank = np.empty(network.vertices, np.int64)
    rank[np.lexsort((first, level))] = np.arange(network.vertices)
    order = np.lexsort((rank[lower], rank[upper]))
    below: dict[int, list[int]] = {}
    for child, switch in zip(lower[order].tolist(), upper[order].tolist(), strict=True):
        below.setdefault(switch, []).append(child)
    mixed = _add_parted(tree, below)
    _add_tops(tree, low, high)
    lost = (
        (links.src.size - low.size, "parallel link", ""),
        (int(beside.sum()), "link", " between switches of the same level"),
        (int(inside.sum()), "switch", " inside servers"),
        (int((~used[tree.nodes :] & ~inside[tree.nodes :]).sum()), "switch", " without nodes below"),
        (tree.nodes - distinct(lower[lower < tree.nodes]).size, "node", " without links"),
        (mixed, "switch", " with nodes and switches below, whose nodes are now below an added switch"),
    )
    return tuple(plural(number, noun) + rest for number, noun, rest in lost if number)


def _inside_servers(lower: Ints, upper: Ints, level: Ints) -> NDArray[np.bool_]:
    """Return which vertices are switches inside servers, such as NVLink switches.

    These are leaf switches without a switch above, all of whose nodes have another leaf switch that has a switch above.
    """
    leaf, vertices = level == 1, level.size
    leading = np.zeros(vertices, np.bool_)
    leading[lower[level[lower] == 1]] = True
    to_leaf = (level[lower] == 0) & leaf[upper]
    led = np.zeros(vertices, np.bool_)
    led[lower[to_leaf & leading[upper]]] = True
    missing = np.zeros(vertices, np.bool_)
    missing[upper[to_leaf & ~led[lower]]] = True
    joined = np.bincount(upper, minlength=vertices) > 0
    return np.asarray(leaf & joined & ~leading & ~missing)


def _first_node(lower: Ints, upper: Ints, level: Ints) -> Ints:
    """Return the first node below each vertex, a node itself, or the number of vertices if there is none."""
    first = np.where(level == 0, np.arange(level.size), level.size).astype(np.int32)
    for each in range(1, int(level.max()) + 1):
        here = level[upper] == each
        np.minimum.at(first, upper[here], first[lower[here]])
    return first


def _add_parted(tree: _Switches, below: dict[int, list[int]]) -> int:
    """Add switches; nodes of a switch with switches below go below an added switch. Return the number of these."""
    mixed = 0
    for switch, children in below.items():
        nodes = [child for child in children if child < tree.nodes]
        if 0 < len(nodes) < len(children):
            children = [child for child in children if child >= tree.nodes]
            children.append(tree.add(f"{tree.names[switch]}-nodes", nodes))
            mixed += 1
        tree.below[switch] = children
    return mixed


def _add_tops(tree: _Switches, low: Ints, high: Ints) -> None:
    """Add a switch above each connected part of the network whose switches are not all below a single switch.

    Raises SpecError: if only nodes connect the switches.
    """
    vertices = len(tree.names)
    part = components(low, high, vertices, directed=False)
    of_switches = (low >= tree.nodes) & (high >= tree.nodes)
    by_switches = components(low[of_switches], high[of_switches], vertices, directed=False)
    size = np.bincount(part[: tree.nodes])
    below = {child for children in tree.below.values() for child in children}
    highest: dict[int, list[int]] = {}
    for switch in tree.below:
        if switch not in below:
            highest.setdefault(int(part[switch]), []).append(switch)
    for number, switches in highest.items():
        if all(len(tree.nodes_below(switch)) < size[number] for switch in switches):
            if len({int(by_switches[switch]) for switch in switches}) > 1:
                raise _no_tree("switches are connected only through nodes")
            tree.add("top", switches)


def _add_groups(tree: _Switches, network: Network) -> tuple[str, ...]:
    """Add a switch for each group of each level, and a switch above all; return the losses."""
    del tree.names[network.nodes :]
    levels = _levels(network)
    group, members = np.arange(network.nodes, dtype=np.int32), np.arange(network.nodes)
    for level in reversed(levels):
        _, first = np.unique(group, return_index=True)
        outer = level.group[first]
        members = np.array(
            [tree.add(_name(level, each), members[outer == each].tolist()) for each in range(level.count)]
        )
        group = level.group
    tree.add("top", members.tolist())
    return (f"links between switches, as each {' and '.join(level.name for level in levels)} is written as a switch",)


def _levels(network: Network) -> list[Level]:
    """Return the levels whose groups have several hosts, coarsest first."""
    host_of = network.host_slots.host_of
    return [
        level
        for level in network.levels
        if distinct(level.group.astype(np.int64) * network.nodes + host_of).size > level.count
    ]


def _name(level: Level, group: int) -> str:
    return UNPLAIN.sub("-", f"{level.name}-{level.label(group)}").strip("-")


def _blocks(network: Network, names: list[str]) -> Blocks | None:
    nics = network.nodes // network.host_slots.count
    levels = [level for level in _levels(network) if level.count > 1]
    if not levels or (network.host_slots.nics_of != nics).any():
        return None
    base, size = levels[-1], levels[-1].nodes_per_group // nics
    members: list[list[str]] = [[] for _ in range(base.count)]
    for node, group in enumerate(base.group.tolist()):
        members[group].append(names[node])
    ratios = [level.nodes_per_group // base.nodes_per_group for level in reversed(levels)]
    # Slurm groups blocks by powers of two.
    sizes = tuple(ratio * size for ratio in ratios if ratio.bit_count() == 1)
    names_of = tuple(tuple(dict.fromkeys(some)) for some in members)
    return Blocks(tuple(_name(base, each) for each in range(base.count)), names_of, sizes)
