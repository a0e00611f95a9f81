r"""Slurm's topology.conf: a line for each switch, ``SwitchName=s1 Nodes=n[1-4]`` or ``SwitchName=r Switches=s[1-2]``.

Keys in any case; ``#`` starts a comment, ``\`` joins a line with the next. LinkSpeed is ignored, as by Slurm.
Also the output of ``scontrol show topology``, with ``Level=`` and ``RingSize=``, and all nodes below a switch of
switches.
Source: Slurm's manual, topology.conf; for scontrol, _print_topo_record in Slurm's source.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from core.hostlist import HostListError, expand
from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import MAX_EDGES, ParsedGraph, at_line, text_of, wrong
from core.text import plural

BLOCKS = ("blockname", "aggregatedblock", "blocksizes", "blocks", "blockindex", "blocksize")
KEYS = ("switchname", "nodes", "switches", "linkspeed", "level", "ringname", "ringsize", *BLOCKS)
"""Keys of topology.conf, and of scontrol: Level, RingSize, BlockIndex, BlockSize, AggregatedBlock."""
MAX_RING = 16
"""Nodes of a ring: MAX_RING_SIZE in Slurm's ring_record.h."""


class Switch(NamedTuple):
    """The children of a switch."""

    place: str
    """Its line in the file, for messages."""
    nodes: list[str]
    switches: list[str]


def read_slurm_conf(path: Path) -> ParsedGraph:
    """Return the tree, or the ring, of a topology.conf.

    Raises SpecError: naming the first invalid line.
    """
    switches: dict[str, Switch] = {}
    builder, warnings = GraphBuilder(), list[str]()
    lists, speeds = HostLists(), 0
    for line, text in _joined(text_of(path)):
        given = _given(line, text)
        speeds += given.get("linkspeed", "1") != "1"  # scontrol prints 1 if there is none
        if not given.keys().isdisjoint(BLOCKS):
            raise at_line(line, "blocks define no links between their nodes, so they do not define a network")
        if "ringname" in given:
            place = f"line {line:,}"
            add_ring(builder, place, lists.expand(place, given.get("nodes", "")))
            continue
        if "switchname" not in given:
            raise at_line(line, "no SwitchName=")
        name, nodes, below = (given.get(key, "") for key in ("switchname", "nodes", "switches"))
        if name in switches:
            raise at_line(line, f"switch {name} is defined on {switches[name].place}")
        if below and "level" in given:  # scontrol repeats the nodes of the switches below
            nodes = ""
        if nodes and below:
            warnings.append(f"switch {name} has Nodes and Switches; only Nodes are used, as in Slurm")
        if not nodes and not below:
            raise at_line(line, f"switch {name} has neither Nodes nor Switches")
        place = f"line {line:,}"
        switches[name] = Switch(place, lists.expand(place, nodes), lists.expand(place, "" if nodes else below))
    warnings += add_tree(builder, switches)
    if speeds:
        warnings.append(f"LinkSpeed of {plural(speeds, 'switch')} is ignored, as Slurm defines no unit for it")
    return builder.graph(tuple(warnings))


class HostLists:
    """Expands the host lists of a file, whose total number of names is limited."""

    def __init__(self) -> None:
        self._count = 0

    def expand(self, place: str, text: str) -> list[str]:
        """Return the names of a host list at a place of the file.

        Raises SpecError: naming the place, if the list is invalid or the file has too many names.
        """
        try:
            names = expand(text, self._count, MAX_EDGES)
        except HostListError as error:
            raise wrong(f"{place}: {error}") from error
        self._count += len(names)
        return names


def add_tree(builder: GraphBuilder, switches: dict[str, Switch]) -> list[str]:
    """Add switches with their nodes and with the switches below them; return warnings.

    Raises SpecError: if a child is unknown, or its own descendant.
    """
    for switch in switches.values():
        for child in switch.switches:
            if child not in switches:
                raise wrong(f"{switch.place}: child switch {child} is not defined")
    _check_cycles(switches)
    twice: dict[str, str] = {}
    doubled = {node for name, s in switches.items() for node in s.nodes if twice.setdefault(node, name) != name}
    for switch in switches.values():
        for node in switch.nodes:
            builder.add(node, host=True)
    for name in switches:
        if name in builder.hosts:
            raise wrong(f"{name} is both a switch and a node")
        builder.add(name, host=False)
    for name, switch in switches.items():
        builder.join_all((name, below) for below in dict.fromkeys([*switch.nodes, *switch.switches]))
    some = ", ".join(sorted(doubled)[:3]) + (" …" if len(doubled) > 3 else "")
    return [f"{some}: under several switches"] if doubled else []


def _check_cycles(switches: dict[str, Switch]) -> None:
    # Remove switches from the leaves up; any remaining ones are on cycles.
    left = {name: set(switch.switches) for name, switch in switches.items()}
    above: dict[str, list[str]] = {name: [] for name in switches}
    for name, below in left.items():
        for child in below:
            above[child].append(name)
    ready = [name for name, below in left.items() if not below]
    for name in ready:
        for parent in above[name]:
            left[parent].discard(name)
            if not left[parent]:
                ready.append(parent)
    stuck = [name for name in switches if left[name]]
    if stuck:
        first = stuck[0]
        other = next(child for child in switches[first].switches if child in left[first])
        raise wrong(f"switches {first} and {other} are each other's descendants; give a tree")


def add_ring(builder: GraphBuilder, place: str, nodes: list[str]) -> None:
    """Add a ring of nodes.

    Raises SpecError: naming its place in the file, if it has more nodes than Slurm allows.
    """
    if len(nodes) > MAX_RING:
        raise wrong(f"{place}: a ring of {len(nodes):,} nodes; Slurm allows at most {MAX_RING}")
    for node in nodes:
        builder.add(node, host=True)
    if len(nodes) > 1:
        ahead = nodes[1:] + nodes[:1] if len(nodes) > 2 else nodes[1:]
        builder.join_all(zip(nodes, ahead, strict=False))


def _joined(text: str) -> Iterator[tuple[int, str]]:
    # Numbered lines without comments; continuation lines (a backslash at the end) are joined.
    begun, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.partition("#")[0].rstrip()
        first = first if begun else number
        if plain.endswith("\\"):
            begun += plain[:-1] + " "
            continue
        joined, begun = (begun + plain).strip(), ""
        if joined:
            yield first, joined
    if begun.strip():
        yield first, begun.strip()


def _given(line: int, text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or key.lower() not in KEYS:
            raise at_line(line, f"unknown key {key}")
        given[key.lower()] = value
    return given
