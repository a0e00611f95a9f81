"""`metrics`: the metrics of a network; of a scenario file only the network is read."""

import argparse

from app.cli.json_output import declare_json, print_json
from app.cli.networks import NETWORK_HELP, entry_of, prices_help, prices_of
from app.wording.figures import listed_lines
from app.wording.numbers import significant
from core.figures.network import KnownNetwork, Measures, measures_of
from core.job.measure import UNITS
from core.network.metrics.cabling import ASSUMED, NO_CABLES, Cabling, Prices, cabling
from core.network.metrics.metrics import Metrics, measure
from core.network.network import Network

EPILOG = """\
NETWORK is a scenario file or a preset, of which only the network is read, or a family and its fields, such as
circulant:nodes=64,jumps=1,2,4 or torus:dims=8x8x8.

links are pairs of vertices that are joined: parallel links, and the two directions, are one. directed_links are all,
with parallel ones and loops; arcs are ordered pairs, without either. Degrees count the links that leave a vertex, with
parallel ones and loops. A network without switch vertices has one switch in each node.

Distances are links on shortest paths, over ordered pairs of nodes; aspl is their average, aspl_exact the same as a
fraction. Where a node cannot reach every other, diameter, aspl and aspl_exact are null.

The bisection is what the family declares, or what a search finds: then it is an upper bound, and declared is false.

Cables: switches stand in cabinets in the order of their numbers, cabinets in ceil(sqrt(cabinets)) rows; cables run
along and across the rows. Nodes stand in the cabinet of their first switch; their links are cables, too. Without
switches, each node has a switch of its own. What --prices changes:
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG + prices_help()
    parser.add_argument("file", metavar="NETWORK", help=NETWORK_HELP)
    parser.add_argument("--prices", default="", metavar="WHICH", help="floor and prices, such as switch=5000,port=100")
    declare_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure a network and print the figures."""
    prices = prices_of(options.prices)
    options.live.stage("reading")
    entry = entry_of(options.file)
    network = entry.network.build(entry.folder)
    metrics = measure(network, options.live.stage("measuring"))
    options.live.stage("cables")
    cables = cabling(network, prices)
    options.live.end()
    if options.json:
        print_json(measures_of(metrics, cables))
    else:
        _print(network, metrics, cables, prices)
    return 0


def _print(network: Network, metrics: Metrics, cables: Cabling | None, prices: Prices) -> None:
    print(f"{network.spec.title}: {network.spec.summary()}")
    cut = metrics.bisection
    lines = [*_shape(network, metrics), *_distances(metrics)]
    lines.append(("bisection", f"{cut.links:,} links, {significant(cut.gbs)} GB/s each way; {cut.note}"))
    lines += _floor(cables, prices) if cables is not None else []
    width = 2 + max(len(name) for name, _ in lines)
    for name, words in lines:
        print(f"{name:<{width}}{words}")
    for line in listed_lines(KnownNetwork(metrics, cables), UNITS, Measures):
        print(line)
    for note in network.warnings:
        print(f"note: {note}")
    print(f"note: {ASSUMED}; --prices sets others" if cables is not None else f"note: {NO_CABLES}")


Line = tuple[str, str]


def _shape(network: Network, metrics: Metrics) -> list[Line]:
    inside = metrics.switches == metrics.nodes == network.vertices * network.aggregation
    doubled = metrics.directed_links - metrics.loops - metrics.arcs
    more = [f"{metrics.loops:,} loops"] * (metrics.loops > 0) + [f"{doubled:,} parallel to others"] * (doubled > 0)
    extra = f" ({', '.join(more)})" if more else ""
    least, most = metrics.degree_min, metrics.degree_max
    return [
        ("nodes", f"{metrics.nodes:,}"),
        ("switches", f"{metrics.switches:,}{', one in each node' if inside else ''}"),
        ("links", f"{metrics.links:,} pairs joined"),
        ("directed links", f"{metrics.directed_links:,}{extra}"),
        ("degree", f"{most:,}" if least == most else f"{least:,} to {most:,}"),
    ]


def _distances(metrics: Metrics) -> list[Line]:
    if metrics.aspl is None:
        missing = metrics.nodes * (metrics.nodes - 1) - metrics.pairs
        return [
            ("diameter", f"none: in {missing:,} ordered pairs of nodes the first does not reach the second"),
            ("distance sum", f"{metrics.distance_sum:,} hops over the {metrics.pairs:,} pairs that do"),
        ]
    return [
        ("diameter", f"{metrics.diameter:,} hops"),
        ("ASPL", f"{float(metrics.aspl):.6f} hops = {metrics.aspl}"),
        ("distance sum", f"{metrics.distance_sum:,} hops over {metrics.pairs:,} ordered pairs of nodes"),
    ]


def _floor(cables: Cabling, prices: Prices) -> list[Line]:
    return [
        (
            "cabinets",
            f"{cables.cabinets:,} of {prices.switches_per_cabinet} switches, in {cables.rows} × {cables.columns}",
        ),
        (
            "cables",
            f"{cables.cables:,} of {significant(cables.total_m)} m, mean {significant(cables.mean_m)} m, longest "
            f"{significant(cables.longest_m)} m; {cables.inside:,} inside cabinets, {cables.optical:,} optical",
        ),
        (
            "cost",
            f"{cables.cost:,.0f} $: switches and {cables.ports:,} ports {cables.switch_cost:,.0f} $, "
            f"cables {cables.cable_cost:,.0f} $",
        ),
    ]
