"""Figures of a network, as printed by `metrics --json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypedDict

from msgspec import UNSET, UnsetType

from core.figure import Alias, Figure
from core.figures.computing import computed
from core.figures.result import Result
from core.files.import_report import notes_on_network
from core.network.metrics.cabling import Cabling, Prices, cabling
from core.network.metrics.metrics import Metrics, measure
from core.network.network import Network


@dataclass(frozen=True, eq=False)
class Measured:
    """The source of the figures of a network, each computed on demand."""

    network: Network
    prices: Prices | None = None

    @cached_property
    def metrics(self) -> Metrics:
        """Return its metrics."""
        return measure(self.network)

    @cached_property
    def cables(self) -> Cabling | None:
        """Return its cables, or None if single cables are not known."""
        return cabling(self.network, self.prices)

    @property
    def notes(self) -> list[str]:
        """Return the notes on its file."""
        return notes_on_network(self.network)


@dataclass(frozen=True, eq=False)
class KnownNetwork:
    """The source of the figures of a network with known metrics and cables."""

    metrics: Metrics
    cables: Cabling | None
    notes: Sequence[str]
    """See `core.files.import_report.notes_on_network`."""


class BisectionFigures(TypedDict):
    """The narrowest cut between two halves of the nodes."""

    links: Annotated[int, Figure("Bisection links", "", "directed links from one half of the nodes to the other")]
    gbs: Annotated[
        float,
        Figure("Bisection bandwidth", "GB/s", "total bandwidth of the bisection links", better="high",
               column="bisection_gbs"),
    ]  # fmt: skip
    declared: Annotated[
        bool,
        Figure(
            "Declared bisection", "", "whether the family declares the cut; otherwise a search found an upper bound"
        ),
    ]
    note: Annotated[str, Figure("Cut", "", "method that found the cut")]


class CableFigures(TypedDict):
    """Numbers and lengths of all cables."""

    cables: Annotated[int, Figure("Cables", "", "number of cables", better="low")]
    total_m: Annotated[
        float, Figure("Cable length", "m", "total length of all cables", better="low", ticked=True, column="cable_m")
    ]
    mean_m: Annotated[
        float, Figure("Mean cable length", "m", "mean length of a cable", better="low", column="cable_mean_m")
    ]
    longest_m: Annotated[float, Figure("Longest cable", "m", "length of the longest cable", better="low")]
    inside_cabinets: Annotated[int, Figure("Cables inside cabinets", "", "cables that stay inside a cabinet")]
    optical: Annotated[int, Figure("Optical cables", "", "cables longer than the reach of copper", better="low")]
    cabinets: Annotated[int, Figure("Cabinets", "", "cabinets that hold the switches")]
    rows: Annotated[int, Figure("Cabinet rows", "", "rows of cabinets")]
    columns: Annotated[int, Figure("Cabinets per row", "", "cabinets per row")]


class CostFigures(TypedDict):
    """Costs of switches and cables."""

    total: Annotated[
        float, Figure("Cost", "$", "cost of switches, ports and cables", better="low", ticked=True, column="cost")
    ]
    switches: Annotated[float, Figure("Cost of switches", "$", "cost of switches and their ports", better="low")]
    cables: Annotated[float, Figure("Cost of cables", "$", "cost of cables", better="low")]
    ports: Annotated[int, Figure("Ports", "", "ports of all switches", better="low")]
    unit: Annotated[str, Figure("Currency", "", "currency of costs")]


@dataclass(frozen=True, repr=False, kw_only=True)
class Measures(Result):
    """Metrics of a network."""

    nodes: Annotated[
        int, Figure("Nodes", "", "vertices that host tasks", lambda n: n.metrics.nodes, column="nodes", placed=True)
    ]
    switches: Annotated[
        int,
        Figure(
            "Switches",
            "",
            "vertices that host no tasks; nodes, if all vertices host tasks",
            lambda n: n.metrics.switches,
            column="switches",
            placed=True,
        ),
    ]
    links: Annotated[
        int,
        Figure(
            "Links",
            "",
            "pairs of vertices with a link in either direction",
            lambda n: n.metrics.links,
            better="low",
            column="links",
            placed=True,
        ),
    ]
    directed_links: Annotated[
        int,
        Figure(
            "Directed links",
            "",
            "directed links, including parallel links and loops",
            lambda n: n.metrics.directed_links,
            placed=True,
        ),
    ]
    arcs: Annotated[
        int,
        Figure("Arcs", "", "ordered pairs of different vertices with a link", lambda n: n.metrics.arcs, placed=True),
    ]
    loops: Annotated[
        int, Figure("Loops", "", "directed links from a vertex to itself", lambda n: n.metrics.loops, placed=True)
    ]
    hosts: Annotated[
        int | UnsetType,
        Figure(
            "Hosts",
            "",
            "hosts with several NICs, each of which is a node; none if every node is a host",
            lambda n: n.metrics.hosts if n.metrics.hosts < n.metrics.nodes else UNSET,
            placed=True,
        ),
    ] = UNSET
    switch_vertices: Annotated[
        int,
        Figure(
            "Switch vertices",
            "",
            "vertices that host no tasks; 0 if every node has a switch inside",
            lambda n: n.metrics.switch_vertices,
            placed=True,
        ),
    ]
    pairs: Annotated[
        int,
        Figure(
            "Linked pairs",
            "",
            "pairs of vertices with a link in either direction, the same number as links",
            lambda n: n.metrics.links,
            placed=True,
        ),
    ]
    cables: Annotated[
        int | None,
        Figure(
            "Cables",
            "",
            "full-duplex or one-way links, including parallel links; none if single cables are not known",
            lambda n: None if n.cables is None else n.cables.cables,
            placed=True,
        ),
    ]
    degree_min: Annotated[
        int,
        Figure(
            "Minimum degree",
            "",
            "smallest number of links out of a vertex",
            lambda n: n.metrics.degree_min,
            column="degree_min",
            placed=True,
        ),
    ]
    degree_max: Annotated[
        int,
        Figure(
            "Maximum degree",
            "",
            "largest number of links out of a vertex",
            lambda n: n.metrics.degree_max,
            better="low",
            column="degree_max",
            placed=True,
        ),
    ]
    connected: Annotated[
        bool,
        Figure(
            "Connected", "", "whether every node reaches every other node", lambda n: n.metrics.connected, placed=True
        ),
    ]
    components: Annotated[
        int,
        Figure(
            "Connected components",
            "",
            "sets of nodes that reach each other; 1 if every node reaches every other node",
            lambda n: len(n.metrics.component_nodes),
            placed=True,
        ),
    ]
    component_nodes: Annotated[
        list[int],
        Figure(
            "Component sizes",
            "",
            "number of nodes of each connected component, largest first",
            lambda n: list(n.metrics.component_nodes),
            placed=True,
        ),
    ]
    diameter: Annotated[
        int | None,
        Figure(
            "Diameter",
            "hops",
            "longest distance between two nodes; none if not connected",
            lambda n: n.metrics.diameter,
            also=(Alias("diameter"),),
            better="low",
            ticked=True,
            column="diameter",
            placed=True,
        ),
    ]
    aspl: Annotated[
        float | None,
        Figure(
            "ASPL",
            "hops",
            "average shortest path length between nodes; none if not connected",
            lambda n: None if n.metrics.aspl is None else float(n.metrics.aspl),
            also=(Alias("mean_distance"),),
            better="low",
            ticked=True,
            column="aspl",
            placed=True,
        ),
    ]
    aspl_exact: Annotated[
        str | None,
        Figure(
            "Exact ASPL",
            "hops",
            "average shortest path length as a fraction",
            lambda n: None if n.metrics.aspl is None else str(n.metrics.aspl),
            placed=True,
        ),
    ]
    distance_sum: Annotated[
        int | None,
        Figure(
            "Distance sum",
            "hops",
            "sum of the distances of all connected pairs of nodes",
            lambda n: n.metrics.distance_sum,
            better="low",
            placed=True,
        ),
    ]
    bisection: Annotated[
        BisectionFigures,
        Figure(
            "Bisection",
            "",
            "links and bandwidth between two halves of the nodes",
            lambda n: _bisection(n.metrics),
            placed=True,
        ),
    ]
    cable: Annotated[
        CableFigures | None,
        Figure(
            "Cables",
            "",
            "number and length of cables; none if single cables are not known",
            lambda n: None if n.cables is None else _cables(n.cables),
            placed=True,
        ),
    ]
    cost: Annotated[
        CostFigures | None,
        Figure(
            "Cost",
            "",
            "cost of switches and cables; none if single cables are not known",
            lambda n: None if n.cables is None else _cost(n.cables),
            placed=True,
        ),
    ]
    notes: Annotated[
        list[str],
        Figure("Notes", "", "contents of an imported file, with the parts omitted or guessed", lambda n: list(n.notes)),
    ]


def measures_of(metrics: Metrics, cables: Cabling | None, notes: Sequence[str]) -> Measures:
    """Return the figures of a network, with notes on its file."""
    return Measures(**computed(Measures, KnownNetwork(metrics, cables, notes)))


def _bisection(metrics: Metrics) -> BisectionFigures:
    cut = metrics.bisection
    return BisectionFigures(links=cut.links, gbs=cut.gbs, declared=cut.declared, note=cut.note)


def _cables(cables: Cabling) -> CableFigures:
    return CableFigures(
        cables=cables.cables,
        total_m=cables.total_m,
        mean_m=cables.mean_m,
        longest_m=cables.longest_m,
        inside_cabinets=cables.inside,
        optical=cables.optical,
        cabinets=cables.cabinets,
        rows=cables.rows,
        columns=cables.columns,
    )


def _cost(cables: Cabling) -> CostFigures:
    return CostFigures(
        total=cables.cost, switches=cables.switch_cost, cables=cables.cable_cost, ports=cables.ports, unit="$"
    )
