"""`metrics`: the metrics of a network."""

import argparse

import numpy as np
from numpy.typing import NDArray

from app.cli.imports import print_imports
from app.cli.json_output import declare_json, print_json
from app.cli.networks import NETWORK, declare_networks, declare_prices, entry_of, networks_given, prices_of
from app.cli.options import declare_epilog
from app.wording.figures import listed_lines
from app.wording.numbers import significant
from core.figures.network import KnownNetwork, Measures, measures_of
from core.files.import_report import notes_on_network, report_on_network
from core.job.measure import UNITS
from core.network.metrics.cabling import ASSUMED, NO_CABLES, Cabling, Prices, cabling
from core.network.metrics.metrics import Metrics, measure
from core.network.network import Network
from core.spec import SpecError
from core.text import plural

EPILOG = """\
Only the network of a scenario file or preset is read. Examples of families with fields:
circulant:nodes=64,jumps=1,2,4 and torus:dims=8x8x8.

Links
  cables counts full-duplex links, including parallel links. links (also: pairs) are connected pairs of vertices;
  parallel links, and the two directions of a link, count once. directed_links counts every link, including parallel
  links and loops. arcs are ordered pairs of vertices, without parallel links and loops. Degrees count the links that
  leave a vertex, including parallel links and loops. In a network without switch vertices (switch_vertices is 0), every
  node has a switch, which switches counts.

Hosts
  A node is an endpoint of the network. If hosts have several NICs, every NIC is a node, and hosts counts the hosts.

Components
  Nodes that reach each other are in the same connected component. component_nodes lists the sizes, largest first.

Distances
  Distances count the links on shortest paths over ordered pairs of nodes. aspl is their mean (average shortest path
  length), aspl_exact the same as a fraction. If a node cannot reach every other node, diameter, aspl and aspl_exact
  are null.

Bisection
  The bisection is declared by the family or found by a search. If it is found by a search, it is an upper bound, and
  declared is false.

Cables
  Switches are placed in cabinets by number, and cabinets in ceil(sqrt(cabinets)) rows. Cables run along and across the
  rows. Nodes are in the cabinet of their first switch, and their links are cables as well. Without switch vertices,
  every node has its own switch.
"""

MAX_SIZES = 8
"""Maximum number of components whose sizes are printed."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_networks(parser, "?")
    declare_prices(parser)
    declare_json(parser, Measures)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compute the metrics of a network and print them."""
    prices = prices_of(options.prices)
    options.live.stage("reading")
    given = networks_given(options)
    if len(given) > 1:
        raise SpecError(NETWORK, "is given twice; use 'fabriscope compare' for several networks")
    entry = entry_of(given[0])
    network = entry.network.build(entry.folder)
    metrics = measure(network, options.live.stage("measuring"))
    options.live.stage("cables")
    cables = cabling(network, prices)
    options.live.end()
    if options.json:
        print_json(measures_of(metrics, cables, notes_on_network(network)))
    else:
        print_imports(filter(None, [report_on_network(network)]), options)
        _print(network, metrics, cables, prices)
    return 0


def _print(network: Network, metrics: Metrics, cables: Cabling | None, prices: Prices) -> None:
    print(f"{network.spec.title}: {network.spec.summary()}")
    bisection = metrics.bisection
    lines = [*_shape(network, metrics, cables), *_distances(metrics)]
    lines.append(
        (
            "bisection",
            f"{plural(bisection.links, 'link')}, {significant(bisection.gbs)} GB/s per direction; {bisection.note}",
        )
    )
    lines += _floor(cables, prices) if cables is not None else []
    width = 2 + max(len(name) for name, _ in lines)
    for name, words in lines:
        print(f"{name:<{width}}{words}")
    for line in listed_lines(KnownNetwork(metrics, cables, ()), UNITS, Measures):
        print(line)
    for note in network.warnings:
        print(f"note: {note}")
    print(f"note: {ASSUMED}; --prices changes them" if cables is not None else f"note: {NO_CABLES}")


Line = tuple[str, str]


def _shape(network: Network, metrics: Metrics, cables: Cabling | None) -> list[Line]:
    nics = network.host_slots.nics_of
    doubled = metrics.directed_links - metrics.loops - metrics.arcs
    more = [plural(metrics.loops, "loop")] * (metrics.loops > 0) + [f"{doubled:,} parallel"] * (doubled > 0)
    extra = f" ({', '.join(more)})" if more else ""
    pairs = f"{plural(metrics.links, 'connected pair')} of vertices"
    return [
        *([] if network.nics is None else [("hosts", f"{metrics.hosts:,}")]),
        ("nodes", f"{metrics.nodes:,}{'' if network.nics is None else f' endpoints, {_span(nics)} in each host'}"),
        ("switches", f"{metrics.switches:,}{'' if metrics.switch_vertices else ', one in each node'}"),
        ("links", pairs if cables is None else f"{plural(cables.cables, 'cable')} between {pairs}"),
        ("directed links", f"{metrics.directed_links:,}{extra}"),
        ("degree", _span(np.array([metrics.degree_min, metrics.degree_max]))),
    ]


def _span(values: NDArray[np.integer]) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _distances(metrics: Metrics) -> list[Line]:
    if metrics.aspl is None:
        missing = metrics.nodes * (metrics.nodes - 1) - metrics.pairs
        return [
            ("components", _components(metrics.component_nodes)),
            ("diameter", f"none: {missing:,} ordered pairs of nodes are disconnected"),
            ("distance sum", f"{metrics.distance_sum:,} hops over the {metrics.pairs:,} connected pairs"),
        ]
    return [
        ("diameter", f"{metrics.diameter:,} hops"),
        ("ASPL", f"{float(metrics.aspl):.6f} hops = {metrics.aspl}"),
        ("distance sum", f"{metrics.distance_sum:,} hops over {metrics.pairs:,} ordered pairs of nodes"),
    ]


def _components(sizes: tuple[int, ...]) -> str:
    some = ", ".join(f"{size:,}" for size in sizes[:MAX_SIZES]) + (" ..." if len(sizes) > MAX_SIZES else "")
    return f"{len(sizes):,} ({some} nodes)"


def _floor(cables: Cabling, prices: Prices) -> list[Line]:
    return [
        (
            "cabinets",
            f"{cables.cabinets:,} for {plural(prices.switches_per_cabinet, 'switch')} each, in a {cables.rows} × "
            f"{cables.columns} grid",
        ),
        (
            "cables",
            f"{cables.cables:,}, {significant(cables.total_m)} m in total, mean {significant(cables.mean_m)} m, "
            f"longest {significant(cables.longest_m)} m; {cables.inside:,} inside cabinets, {cables.optical:,} optical",
        ),
        (
            "cost",
            f"${cables.cost:,.0f}: switches with {cables.ports:,} ports ${cables.switch_cost:,.0f}, "
            f"cables ${cables.cable_cost:,.0f}",
        ),
    ]
