"""`compare`: metrics of several networks side by side, and the throughput of a job on each."""

import argparse
import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from app.cli.arguments import parse_choice
from app.cli.json_output import declare_json, print_json
from app.cli.networks import declare_networks, declare_prices, entry_of, networks_given, prices_of
from app.cli.options import declare_epilog
from app.cli.streams import print_written, separate_output
from app.wording.numbers import significant
from core.figure import Figure
from core.figures.network import measures_of
from core.figures.network_table import (
    COLUMNS,
    Bandwidths,
    Column,
    Entry,
    NetworkThroughput,
    Row,
    TrafficChoice,
    bandwidth_words,
    node_bandwidth,
    shared,
    table_row,
    with_bandwidths,
)
from core.figures.result import Result
from core.files.atomic import write_atomically
from core.job import AnyJob
from core.load.scenario import CHOICES, Scenario
from core.network.metrics.cabling import ASSUMED, Prices
from core.network.network import Gbs
from core.routing import AnyRouting
from core.spec import Progress, Spec, SpecError, TooLarge

TRAFFIC = CHOICES[1:]
"""Choices that define the traffic."""
OWN: Literal["own"] = "own"
EQUAL: Literal["equal"] = "equal"
NONE = "none"
EPILOG = """\
Examples of families with fields: circulant:nodes=64,jumps=1,2,4 and torus:dims=8x8.

Size
  --equal nodes and --equal degree resize all networks to the number of nodes, or to the degree, of the first network or
  of --to. A network that is not available in that size gets the nearest size, with a note.

Bandwidth
  By default (--gbs equal), the links that leave a node have the same total bandwidth in all networks as in the first.
  --gbs 12.5 sets the bandwidth of every link instead. --gbs own, the default with --job own, keeps the bandwidth of
  each network.

Traffic
  A job without fields, such as --job all-to-all, uses every slot of each network, with one task per slot in order. With
  fields, as in all-to-all:tasks=512, the job is the same on all networks. With --job own, files keep their job, mapping
  and routing. With --job none, no throughput is computed. The default routing is minimal:spread=equal (group-minimal
  on dragonflies and Dragonfly+).

Networks and throughputs that would take minutes to compute are omitted, with a note.
"""


class Bandwidth(Spec, frozen=True, tag="links"):
    """The bandwidth of every link, as a value of --gbs."""

    gbs: Gbs


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_networks(parser, "*")
    parser.add_argument("--equal", choices=("nodes", "degree"), help="property that is equal for all networks")
    parser.add_argument(
        "--to", type=int, metavar="N", help="value of that property (default: the value of the first network)"
    )
    parser.add_argument(
        "--gbs",
        metavar="WHICH",
        help="equal, own, or the bandwidth of every link in GB/s per direction (default: equal)",
    )
    parser.add_argument(
        "--job",
        default="all-to-all",
        metavar="WHICH",
        help="pattern and fields, own, or none for no throughput (default: all-to-all)",
    )
    parser.add_argument("--routing", metavar="WHICH", help="scheme and fields for all networks (default: see below)")
    declare_prices(parser)
    declare_json(parser, Compared)
    parser.add_argument("--csv", type=Path, metavar="OUT.csv", help="write the table with a row per network")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare networks and print the table."""
    with separate_output(options, "csv", ".csv"):
        traffic, prices = traffic_of(options), prices_of(options.prices)
        options.live.stage("reading")
        entries, held = entries_of(options)
        rows, left_out = rows_of(entries, traffic, prices, options.live.stage)
        options.live.end()
        if options.csv is not None:
            write_atomically(options.csv, _csv(rows).encode(), "--csv")
        if options.json:
            print_json(compared(held, rows, left_out))
        else:
            print(f"{held}\n")
            _print(rows)
            for name, reason in left_out:
                print(f"note: {name} is omitted: {reason.message}")
        print_written(options.csv, options)
    return 0


class Compared(Result, msgspec.Struct, frozen=True):
    """Networks side by side."""

    bandwidths: Annotated[str, Figure("Bandwidths", "", "which bandwidths are equal")]
    networks: Annotated[list[dict[str, Any]], Figure("Networks", "", "metrics, throughput and cost of each network")]
    left_out: Annotated[
        list[dict[str, str]], Figure("Omitted", "", "networks that would take minutes, with the reason")
    ]


LeftOut = list[tuple[str, TooLarge]]


def rows_of(
    entries: Sequence[Entry], traffic: TrafficChoice, prices: Prices, stage: Callable[[str], Progress]
) -> tuple[list[Row], LeftOut]:
    """Return a row for each network, and the networks that would take minutes; if all would, raise the first error.

    `stage` returns the progress function for the network with a name.
    """
    rows: list[Row] = []
    left_out = []
    for entry in entries:
        try:
            rows.append(table_row(entry, traffic, prices, stage(entry.name)))
        except TooLarge as reason:
            left_out.append((entry.name, reason))
    if not rows:
        raise left_out[0][1]
    return rows, left_out


def compared(held: str, rows: Sequence[Row], left_out: LeftOut) -> Compared:
    """Return the networks as printed by ``compare --json``."""
    reasons = [{"name": name, "reason": reason.message} for name, reason in left_out]
    return Compared(held, [_plain(row) for row in rows], reasons)


def traffic_of(options: argparse.Namespace) -> TrafficChoice:
    """Return the traffic whose throughput is compared.

    Raises SpecError: naming the invalid option.
    """
    routing = None if options.routing is None else parse_choice("--routing", options.routing, AnyRouting)
    if options.job == NONE:
        return TrafficChoice(None)
    if options.job == OWN:
        if routing is not None:
            raise SpecError("--routing", "cannot be used with --job own, where files keep their routing")
        return TrafficChoice(own=True)
    job = parse_choice("--job", options.job, AnyJob)
    return TrafficChoice(job, resized=":" not in options.job, routing=routing)


def entries_of(options: argparse.Namespace) -> tuple[Sequence[Entry], str]:
    """Return the networks to compare, and a text on which bandwidths are equal.

    Raises SpecError: naming the invalid option.
    """
    entries = _of_shape(options)
    held = _bandwidths(options)
    per_node = node_bandwidth(entries[0].network.build(entries[0].folder)) if held == EQUAL else 0.0
    return with_bandwidths(entries, held, per_node), bandwidth_words(held, per_node)


def _bandwidths(options: argparse.Namespace) -> Bandwidths:
    which = options.gbs or (OWN if options.job == OWN else EQUAL)
    if which in (EQUAL, OWN):
        return EQUAL if which == EQUAL else OWN
    gbs: float = parse_choice("--gbs", f"{Bandwidth.tag()}:gbs={which}", Bandwidth).gbs
    return gbs


def _of_shape(options: argparse.Namespace) -> Sequence[Entry]:
    entries = tuple(entry_of(text, with_choices=options.job == OWN) for text in networks_given(options))
    if options.equal is None:
        if options.to is not None:
            raise SpecError("--to", "requires --equal nodes or --equal degree")
        return entries
    if options.to is not None and not 2 <= options.to <= 1 << 20:
        raise SpecError("--to", f"must be a whole number from 2 to {1 << 20:,}, not {options.to}")
    return shared(entries, options.equal, options.to)


def _plain(row: Row) -> dict[str, Any]:
    flowing = row.flowing
    return {
        "name": row.entry.name,
        "network": row.entry.network.tag(),
        "summary": row.entry.network.summary(),
        **msgspec.to_builtins(measures_of(row.metrics, row.cabling, row.notes)),
        "throughput_gbs": None if flowing is None else flowing.throughput_gbs,
        "time": None if flowing is None else flowing.seconds,
        "bottleneck": None if flowing is None else flowing.bottleneck,
        "traffic": None if flowing is None else _traffic(flowing),
    }


def _csv(rows: Sequence[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", "network", *(column.key for column in COLUMNS), "bottleneck", *TRAFFIC])
    for row in rows:
        figures = ["" if column.of(row) is None else column.of(row) for column in COLUMNS]
        flowing = ("",) * 4 if row.flowing is None else (row.flowing.bottleneck, *_traffic(row.flowing).values())
        writer.writerow([row.entry.name, row.entry.network.tag(), *figures, *flowing])
    return out.getvalue()


def _traffic(flowing: NetworkThroughput) -> dict[str, str]:
    # The traffic as tags of scenario files.
    return {choice: getattr(flowing.scenario, choice).tag() for choice in TRAFFIC}


def _print(rows: Sequence[Row]) -> None:
    columns = [column for column in COLUMNS if any(column.of(row) is not None for row in rows)]
    names = [f"{place}. {row.entry.name}" for place, row in enumerate(rows, 1)]
    cells = [[column.title, column.unit, *(_cell(column, row) for row in rows)] for column in columns]
    if any(row.flowing for row in rows):
        cells.append(["Limited by", "", *(row.flowing.bottleneck if row.flowing else "-" for row in rows)])
    first = max(map(len, names))
    widths = [max(map(len, column)) for column in cells]
    for line, name in enumerate(("", "", *names)):
        figures = "  ".join(f"{column[line]:>{w}}" for column, w in zip(cells, widths, strict=True))
        print(f"{name:<{first}}  {figures}".rstrip())
    print()
    alike = len({tuple(_traffic(row.flowing).values()) for row in rows if row.flowing}) == 1
    for place, row in enumerate(rows, 1):
        print(f"{place}. {row.entry.network.title}: {row.entry.network.summary()}")
        if row.flowing is not None:
            print(f"   {_flow_words(row.flowing.scenario, alike)}")
        for note in row.notes:
            print(f"   note: {note}")
    if alike:
        print(f"throughput: {_same_words(next(row.flowing.scenario for row in rows if row.flowing))}")
    print(f"note: {ASSUMED}; --prices changes them")


def _flow_words(scenario: Scenario, alike: bool) -> str:
    job, mapping, routing = scenario.job, scenario.mapping, scenario.routing
    more = "" if alike else f"; {mapping.title}; {routing.title}: {routing.summary()}"
    return f"{job.title}: {job.summary()}{more}"


def _same_words(scenario: Scenario) -> str:
    job, mapping, routing = scenario.job, scenario.mapping, scenario.routing
    return f"{job.title}; mapping {mapping.title}; routing {routing.title}: {routing.summary()}"


def _cell(column: Column, row: Row) -> str:
    value = column.of(row)
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if column.key == "cost" else significant(value)
