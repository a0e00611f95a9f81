"""`routes`: how well the paths of a single-path routing use the links, regardless of the job."""

import argparse

from app.cli.imports import print_imports
from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_number
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.wording.routes import deadlock_text, figure_lines
from core.figures.routes import Routed, RouteFigures, route_figures
from core.files.import_report import report_on_network, report_on_routing
from core.load.routes.bisection_bandwidth import DRAWS, MAX_DRAWS
from core.routing.deadlock.deadlock import DeadlockFigures, deadlock_of
from core.routing.router import Router, RoutingSpec
from core.spec import MAX_SEED, Progress

EPILOG = """\
Only the network, its faults and the routing of a scenario are used. The routing must have one path for each pair of
nodes, except with --deadlock. Every host with several NICs counts as one node if they are shared, else every NIC does.
Tables split the flows of shared NICs: --network edges:file=FILE,nics=own gives each NIC a path.

Hops
  mean_hops and max_hops count the links of a path, including the links of the two nodes. A detour is a path with more
  links than a shortest path over the working links.

All-to-all
  all_to_all_max is the number of paths over the hottest link from a switch to another, with one flow for each ordered
  pair of nodes. all_to_all_mean is the mean over the used links. unused_links are links without any path. If no two
  switches are linked, as in a torus, all links count.

Effective bisection bandwidth
  ebb: half of all nodes, drawn at random, send to the other half, one flow for each sender. The share of a pair is
  1 / (most flows on a link of its path). mean is the mean over all pairs and matchings; min, max and deviation compare
  the means of the matchings. Source: Hoefler, Schneider and Lumsdaine, "Multistage switches are not crossbars", 2008.

Balance
  A leaf switch has nodes, and links to other switches. Its spread is the number of destinations over the link with
  most, minus those over the link with fewest, as in check_lft_balance of OpenSM. even counts spreads of 0 and 1.

Deadlock
  Packets can wait for each other forever if links that paths use directly one after the other form a cycle. free is
  whether no cycle exists with one virtual lane. If one exists, cycle is a shortest cycle: the switch and port of each
  link, or both ends of links without ports. lanes is the number of virtual lanes that the scheme prescribes, and
  free_on_lanes is whether no cycle remains with these lanes. If one does, lanes_needed is the number of lanes by first
  fit: each path gets the lowest of at most 16 lanes on which it closes no cycle. It is an upper bound. Source: Dally
  and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987.
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_scenario(parser)
    declare_json(parser, RouteFigures, DeadlockFigures)
    declare_number(parser, "--draws", (1, MAX_DRAWS), DRAWS, "random matchings for the effective bisection bandwidth")
    declare_number(parser, "--seed", (0, MAX_SEED), 0, "seed of the matchings", metavar="S")
    parser.add_argument(
        "--deadlock",
        action="store_true",
        help="print only whether packets can deadlock, for routings with several paths, too",
    )
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the figures of the paths of a scenario's routing."""
    live = options.live
    live.stage("reading")
    scenario = scenario_given(options)
    router = scenario.routes()
    progress = refuse_minutes(live.stage("paths"), options.patient, field="network")
    if options.deadlock:
        return _print_deadlock(router, options, progress)
    figures = route_figures(Routed(router, options.draws, options.seed, progress))
    live.end()
    if options.json:
        print_json(figures)
    else:
        reports = report_on_network(router.network), report_on_routing(scenario.routing, router)
        print_imports(filter(None, reports), options)
        _print(router, scenario.routing, figures)
    return 0


def _print_deadlock(router: Router, options: argparse.Namespace, progress: Progress) -> int:
    deadlock = deadlock_of(router, progress).figures(router.network)
    options.live.end()
    if options.json:
        print_json(deadlock)
    else:
        print(deadlock_text(deadlock))
    return 0


def _print(router: Router, routing: RoutingSpec, figures: RouteFigures) -> None:
    network = router.network
    print(f"{network.spec.title}: {network.spec.summary()}")
    print(f"{routing.title}: {routing.summary()}")
    lines = figure_lines(network, figures)
    width = 2 + max(len(name) for name, _ in lines)
    for name, words in lines:
        print(f"{name:<{width}}{words}")
    for note in figures.notes:
        print(f"note: {note}")
    for pair in figures.disconnected:
        print(f"disconnected: {pair.src} to {pair.dst}: {pair.reason}")
    if figures.unreachable > len(figures.disconnected):
        print(f"... and {figures.unreachable - len(figures.disconnected):,} more disconnected pairs")
