"""Preset machines: counts of the modelled networks, compared with published figures.

The network of each machine is built, and its nodes, switches and cables are counted. The note of a preset names the
guesses in its model.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from core.network import Dragonfly, DragonflyPlus, Network, NetworkSpec, Rail, SlimFly, Torus, TwistedTorus, Xgft
from core.papers.machine_counts import closed_counts
from core.papers.papers import Cell, Paper, PaperTable, cell
from core.papers.printed_figures import printed_figures
from core.spec import Progress

PRINTED = printed_figures("machines")

Count = Callable[[Network], float]


@dataclass(frozen=True)
class Figure:
    """A count in a machine whose published value is known."""

    what: str
    unit: str
    count: Count
    remark: str = ""
    """The reason for a difference, if there is one."""


@dataclass(frozen=True)
class ReferenceMachine:
    """A machine's network and its figures."""

    name: str
    spec: NetworkSpec
    figures: tuple[Figure, ...]


def nodes(remark: str = "", what: str = "nodes") -> Figure:
    """Return the figure: number of nodes."""
    return Figure(what, "nodes", lambda network: network.nodes, remark)


def switches(word: str = "", omitted: int = 0, remark: str = "") -> Figure:
    """Return the figure: number of switches with a word in their name.

    `omitted` is the number of switches in groups that the preset omits. Without switches, nodes are counted.
    """

    def _count(network: Network) -> int:
        vertices = range(network.nodes if network.vertices > network.nodes else 0, network.vertices)
        return sum(word in network.label(vertex) for vertex in vertices) + omitted

    name = f"{word} switches".strip()
    return Figure(f"{name}, {omitted} of them excluded" if omitted else name, "switches", _count, remark)


def cables(class_name: str, what: str) -> Figure:
    """Return the figure: number of cables of a class."""
    return Figure(what, "cables", lambda network: network.link_class(class_name).count // 2)


def ports() -> Figure:
    """Return the figure: largest number of links at a vertex."""
    return Figure("ports", "ports", lambda network: network.degree)


def between_groups(network: Network) -> float:
    """Return the bandwidth of all global links of a dragonfly, both directions together, TB/s."""
    links = network.link_class("global")
    return links.count * links.gbs / 1000


def between_halves(network: Network) -> float:
    """Return the bandwidth out of one half, across the smallest declared cut, TB/s."""
    halves = [cut.leaving.items() for cut in network.cuts if 2 * cut.nodes == network.nodes]
    return min(sum(network.link_class(name).gbs * count for name, count in half) for half in halves) / 1000


def between_blocks(network: Network) -> float:
    """Return the number of cables between blocks of 4 x 4 x 4 nodes of a torus of 16 x 16 x 16."""
    start, end = (np.stack(np.unravel_index(ends, (16, 16, 16))) // 4 for ends in (network.src, network.dst))
    return int((start != end).any(axis=0).sum()) // 2


def taper(network: Network) -> float:
    """Return the bandwidth of a leaf switch's cables down divided by the bandwidth of its cables up."""
    links = network.src == network.nodes
    down = network.dst[links] < network.nodes
    return float(network.gbs[links][down].sum() / network.gbs[links][~down].sum())


def as_built(network: Network) -> Iterator[tuple[str, int]]:
    """Yield the counts listed for every machine: names and numbers."""
    yield "all nodes", network.nodes
    if network.vertices > network.nodes:
        yield "all switches", network.vertices - network.nodes
    for link_class in network.classes:
        yield f"{link_class.name} cables", link_class.count // 2


def _preset(family: type[NetworkSpec], name: str, *figures: Figure) -> ReferenceMachine:
    return ReferenceMachine(name, family(**family.presets[name]), figures)


def _superpod(units: int, spines: int, parallel: int) -> ReferenceMachine:
    figures = (
        nodes(what="GPUs"),
        switches("leaf"),
        switches("spine"),
        cables("rail", "cables from servers to leaves"),
        cables("spine", "cables from leaves to spines"),
    )
    return ReferenceMachine(f"SuperPOD of {units} units", Rail(units, 32, 8, spines, parallel), figures)


MACHINES = {
    "dragonfly": (
        _preset(
            Dragonfly,
            "Frontier",
            nodes("74 groups have room for 9,472"),
        ),
        _preset(
            Dragonfly,
            "Aurora",
            nodes(),
            switches(omitted=9 * 32, remark="32 in each of 9 groups without compute nodes"),
        ),
        _preset(
            Dragonfly,
            "LUMI-G",
            Figure("all groups to each other, in both directions", "TB/s", between_groups),
        ),
        _preset(Dragonfly, "Balanced, 72 nodes", nodes(), ports()),
        _preset(Dragonfly, "Balanced, 1,056 nodes", nodes(), ports()),
    ),
    "dragonfly-plus": (
        _preset(
            DragonflyPlus,
            "Like Leonardo",
            nodes("cells are unequal, ours of 180 each"),
        ),
    ),
    "xgft": (
        _preset(
            Xgft,
            "Frontera",
            nodes(),
            switches("L1"),
            switches("L2"),
            cables("L1-L2", "cables up, 18 from each leaf switch"),
            Figure("bandwidth down to up, of a leaf switch", "", taper),
        ),
        _preset(Xgft, "Like Summit", nodes()),
        _preset(Xgft, "Like Sierra"),
        _preset(Xgft, "Dual-homed, 1,024 nodes"),
        _preset(
            Xgft,
            "Three levels, 64 ports, 65,536 nodes",
            nodes(),
            switches(),
            ports(),
        ),
    ),
    "rail": (_superpod(2, 8, 4), _superpod(4, 16, 2), _superpod(8, 32, 1)),
    "torus": (
        _preset(
            Torus,
            "Fugaku",
            nodes(),
            ports(),
        ),
        _preset(
            Torus,
            "TPU v4 pod",
            nodes(what="chips"),
            Figure("optical cables", "cables", between_blocks),
            Figure("between two halves", "TB/s", between_halves),
        ),
    ),
    "twisted-torus": tuple(_preset(TwistedTorus, name) for name in TwistedTorus.preset_notes),
    "slim-fly": (
        _preset(SlimFly, "50 switches as nodes (Hoffman and Singleton)", switches(), ports()),
        _preset(SlimFly, "10,830 nodes", nodes(), switches(), ports()),
    ),
}
"""Machines by tag of the family."""


def _table(name: str, title: str) -> PaperTable:
    def _cells(progress: Progress) -> Iterator[Cell]:
        for done, machine in enumerate(MACHINES[name]):
            network = machine.spec.build()
            for counted in machine.figures:
                row = f"{machine.name}: {counted.what}"
                yield PRINTED.cited_cell(name, row, counted.unit, counted.count(network), counted.remark)
            closed = closed_counts(machine.spec)
            for row, figure in as_built(network):
                unit, bounds = row.rpartition(" ")[2], (closed[row], closed[row])
                yield cell(name, f"{machine.name}: {row}", unit, figure, None, bounds=bounds)
            progress((done + 1) / len(MACHINES[name]))

    return PaperTable(name, title, _cells)


PAPER = Paper(
    "Current machines, as described by operators, vendors and papers",
    (
        _table("dragonfly", "Frontier, Aurora, LUMI-G and the examples of the first paper"),
        _table("dragonfly-plus", "Leonardo"),
        _table("xgft", "Frontera, Summit, Sierra and the largest tree of 64-port switches"),
        _table("rail", "DGX SuperPODs of two levels of switches"),
        _table("torus", "Fugaku and a pod of TPU v4"),
        _table("twisted-torus", "slices of TPU v4"),
        _table("slim-fly", "the graph of Hoffman and Singleton, and the example of the paper"),
    ),
    ("nodes of Frontier, Aurora and LUMI-G are endpoints; their hosts have 4, 8 and 4 of them",),
    (
        ("SuperPODs of 16 units and more", "three levels of switches, whose wiring is not in the table"),
        ("El Capitan, Perlmutter", "the number of links between two groups is not public"),
    ),
)
