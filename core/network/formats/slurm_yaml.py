"""Slurm's topology.yaml: the topology with ``cluster_default: true``, else the first.

Trees, rings and 3-D tori (x fastest) are read; block and flat topologies have no links. Source: Slurm's manual,
topology.yaml.
"""

from itertools import product
from pathlib import Path
from typing import Any

from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, at_line, shown, text_of, wrong
from core.network.formats.slurm_conf import HostLists, Switch, add_ring, add_tree
from core.spec import SpecError

KINDS = ("tree", "block", "ring", "torus3d", "flat")
MAX_DEPTH = 64
"""Lists and mappings within each other."""


def read_slurm_yaml(path: Path) -> ParsedGraph:
    """Return the network of a topology.yaml.

    Raises SpecError: naming the invalid line or the topology.
    """
    topology, kind = _chosen(_document(text_of(path)))
    name, given, builder = topology.get("topology"), topology[kind], GraphBuilder()
    if kind in ("block", "flat"):
        raise wrong(f"topology {name}: {kind} defines no links, so it does not define a network")
    try:
        warnings = {"tree": _add_tree, "ring": _add_rings, "torus3d": _add_tori}[kind](builder, given, HostLists())
    except SpecError:
        raise
    except KeyError as error:
        raise wrong(f"topology {name}: {kind} lacks {shown(str(error.args[0]))}") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise wrong(f"topology {name}: {kind} does not follow Slurm's manual: {shown(str(error))}") from error
    return builder.graph(tuple(warnings))


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


def _add_tree(builder: GraphBuilder, given: dict[str, Any], lists: HostLists) -> list[str]:
    switches: dict[str, Switch] = {}
    for switch in given["switches"]:
        name, place = str(switch["switch"]), f"switch {switch['switch']}"
        if name in switches:
            raise wrong(f"{place} is defined twice")
        nodes, below = (lists.expand(place, str(switch.get(key, ""))) for key in ("nodes", "children"))
        switches[name] = Switch(place, nodes, [] if nodes else below)
    return add_tree(builder, switches)


def _add_rings(builder: GraphBuilder, given: dict[str, Any], lists: HostLists) -> list[str]:
    for ring in given.get("rings", [given]):
        add_ring(builder, lists.expand(f"ring {ring.get('ring', ring.get('name', ''))}", str(ring["nodes"])))
    return []


def _add_tori(builder: GraphBuilder, given: dict[str, Any], lists: HostLists) -> list[str]:
    for torus in given["toruses"]:
        name, (x, y, z) = torus.get("name"), (int(torus["dims"][axis]) for axis in "xyz")
        parts = [torus["nodes"]] if "nodes" in torus else [region["nodes"] for region in torus["regions"]]
        nodes = [node for part in parts for node in lists.expand(f"torus {name}", str(part))]
        if min(x, y, z) < 1 or x * y * z != len(nodes):
            raise wrong(f"torus {name}: {x} × {y} × {z} = {x * y * z:,} places for {len(nodes):,} nodes")
        for node in nodes:
            builder.add(node, host=True)
        for at in product(range(z), range(y), range(x)):
            for axis, size in enumerate((z, y, x)):
                ahead = (*at[:axis], (at[axis] + 1) % size, *at[axis + 1 :])
                if size > 2 or at[axis] < ahead[axis]:
                    u, v = (nodes[(c * y + b) * x + a] for c, b, a in (at, ahead))
                    builder.join(u, v)
    return []
