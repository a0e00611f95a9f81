"""Slurm's topology.yaml: the topology with ``cluster_default: true``, else the first.

Trees, rings and 3-D tori (x fastest) are read, without the placements of jobs; block and flat topologies have no links.
Source: Slurm's manual, topology.yaml.
"""

from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import MAX_EDGES, ParsedGraph, at_line, shown, text_of, wrong
from core.network.formats.slurm_conf import HostLists, Switch, add_ring, add_tree
from core.text import plural

Cell = tuple[int, int, int]
"""A place in a torus along z, y and x."""
KINDS = ("tree", "block", "ring", "torus3d", "flat")
MAX_DEPTH = 64
"""Lists and mappings within each other."""


def read_slurm_yaml(path: Path) -> ParsedGraph:
    """Return the network of a topology.yaml.

    Raises SpecError: naming the invalid line or the topology.
    """
    topology, kind = _chosen(_document(text_of(path)))
    place, builder = f"topology {topology.get('topology')}", GraphBuilder()
    if kind in ("block", "flat"):
        raise wrong(f"{place}: {kind} defines no links, so it does not define a network")
    add = {"tree": _add_tree, "ring": _add_rings, "torus3d": _add_tori}[kind]
    warnings = add(builder, Entry(f"{place}: {kind}", topology[kind]), HostLists())
    return builder.graph(tuple(warnings))


class Entry:
    """A mapping in the file, whose values are checked when they are read."""

    def __init__(self, place: str, given: Any) -> None:
        if not isinstance(given, dict):
            raise wrong(f"{place} is {shown(str(given))} instead of keys with values")
        self.place, self._given = place, given

    def __contains__(self, key: str) -> bool:
        return key in self._given

    def text(self, key: str) -> str:
        """Return a name or a host list.

        Raises SpecError: if it is missing, or a list or mapping.
        """
        value = self._value(key)
        if isinstance(value, list | dict | None):
            raise wrong(f"{self.place}: {key} is not a text")
        return str(value)

    def number(self, key: str) -> int:
        """Return a whole number from 0.

        Raises SpecError: if it is missing or none.
        """
        value = self._value(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_EDGES:
            raise wrong(f"{self.place}: {key} is {shown(str(value))}; give a whole number")
        return value

    def entries(self, key: str, noun: str, named: str = "") -> list["Entry"]:
        """Return a list of mappings, or a single one, each with its place: its noun and name, or number.

        Raises SpecError: if it is missing, or none.
        """
        value = self._value(key)
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in values):
            raise wrong(f"{self.place}: {key} is not a list of entries with keys")
        names = [each.get(named, number) if named else number for number, each in enumerate(values, 1)]
        return [Entry(f"{noun} {name}", each) for name, each in zip(names, values, strict=True)]

    def entry(self, key: str) -> "Entry":
        """Return a mapping.

        Raises SpecError: if it is missing, or none.
        """
        return Entry(f"{self.place}: {key}", self._value(key))

    def _value(self, key: str) -> Any:
        if key not in self._given:
            raise wrong(f"{self.place} lacks {shown(key)}")
        return self._given[key]


def _document(text: str) -> list[Any]:
    import yaml  # slow to import, rarely needed

    try:
        _check_tokens(text)
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1:,}: " if mark is not None else ""
        raise wrong(f"{where}{getattr(error, 'problem', None) or 'invalid YAML'}") from error
    if not isinstance(document, list) or not document or not all(isinstance(topology, dict) for topology in document):
        raise wrong("is not a list of topologies; begin each with - topology: NAME")
    return document


def _check_tokens(text: str) -> None:
    """Refuse deep nesting (the scanner's time per token grows with depth), tags and aliases."""
    import yaml

    starts, ends = (
        tuple(getattr(yaml, f"{name}Token") for name in names)
        for names in (
            ("FlowSequenceStart", "FlowMappingStart", "BlockSequenceStart", "BlockMappingStart"),
            ("FlowSequenceEnd", "FlowMappingEnd", "BlockEnd"),
        )
    )
    depth = 0
    for token in yaml.scan(text):
        depth += isinstance(token, starts) - isinstance(token, ends)
        if depth > MAX_DEPTH:
            raise at_line(token.start_mark.line + 1, f"is nested deeper than {MAX_DEPTH} levels")
        if isinstance(token, yaml.TagToken | yaml.AliasToken):
            what = "tags" if isinstance(token, yaml.TagToken) else "aliases"
            raise at_line(token.start_mark.line + 1, f"YAML {what} are not supported")


def _chosen(document: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    topology = next((entry for entry in document if entry.get("cluster_default") is True), document[0])
    name, kinds = topology.get("topology"), [kind for kind in KINDS if kind in topology]
    if not kinds:
        raise wrong(f"topology {name} has no kind; give one of {', '.join(KINDS)}")
    if len(kinds) > 1:
        raise wrong(f"topology {name} has both {kinds[0]} and {kinds[1]}; give one")
    return topology, kinds[0]


def _add_tree(builder: GraphBuilder, given: Entry, lists: HostLists) -> list[str]:
    switches: dict[str, Switch] = {}
    for switch in given.entries("switches", "switch", "switch"):
        name = switch.text("switch")
        if name in switches:
            raise wrong(f"{switch.place} is defined twice")
        nodes, below = (
            lists.expand(switch.place, switch.text(key) if key in switch else "") for key in ("nodes", "children")
        )
        switches[name] = Switch(switch.place, nodes, [] if nodes else below)
    return add_tree(builder, switches)


def _add_rings(builder: GraphBuilder, given: Entry, lists: HostLists) -> list[str]:
    for ring in given.entries("rings", "ring", "ring") if "rings" in given else [given]:
        add_ring(builder, ring.place, lists.expand(ring.place, ring.text("nodes")))
    return []


def _add_tori(builder: GraphBuilder, given: Entry, lists: HostLists) -> list[str]:
    for torus in given.entries("toruses", "torus", "name"):
        dims = _place_in(torus.entry("dims"))
        nodes = _cells(torus, dims, lists)
        for node in nodes.values():
            builder.add(node, host=True)
        for at, node in nodes.items():
            for axis, size in enumerate(dims):
                z, y, x = (at[each] + (each == axis) for each in range(3))
                ahead = (z % dims[0], y % dims[1], x % dims[2])
                if size > 2 or at[axis] < ahead[axis]:
                    builder.join(node, nodes[ahead])
    return []


def _place_in(given: Entry) -> Cell:
    """Return numbers along z, y and x."""
    z, y, x = (given.number(axis) for axis in "zyx")
    return z, y, x


def _cells(torus: Entry, dims: Cell, lists: HostLists) -> dict[Cell, str]:
    """Return the node of each cell of a torus, x fastest.

    Raises SpecError: if a cell has no node or two nodes, or is outside.
    """
    nodes: dict[Cell, str] = {}
    regions = torus.entries("regions", "region") if "regions" in torus else []
    parts = (
        [((0, 0, 0), dims, torus)]
        if not regions
        else [(_place_in(region.entry("anchor")), _place_in(region.entry("dims")), region) for region in regions]
    )
    for anchor, size, part in parts:
        where = torus.place if part is torus else f"{torus.place}: {part.place}"
        names = lists.expand(where, part.text("nodes"))
        if min(size) < 1 or prod(size) != len(names):
            x, y, z = reversed(size)
            raise wrong(f"{where}: {x} × {y} × {z} = {plural(prod(size), 'place')} for {plural(len(names), 'node')}")
        for at, name in zip(product(*map(range, size)), names, strict=True):
            cell = (anchor[0] + at[0], anchor[1] + at[1], anchor[2] + at[2])
            if any(a >= d for a, d in zip(cell, dims, strict=True)):
                raise wrong(f"{where}: node {name} is outside the torus")
            if nodes.setdefault(cell, name) != name:
                raise wrong(f"{where}: node {name} is in the place of {nodes[cell]}")
    if len(nodes) != prod(dims):
        empty = prod(dims) - len(nodes)
        raise wrong(
            f"{torus.place}: {empty:,} of {plural(prod(dims), 'place')} {'has' if empty == 1 else 'have'} no node"
        )
    return nodes
