"""`export`: a part of a scenario in the file format of another tool, or forwarding tables that an engine computes."""

import argparse
from functools import partial
from pathlib import Path

from app.cli.json_output import print_json
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.cli.streams import complain, print_written
from core.export_result import Exported
from core.files.atomic import STANDARD, check_place, write_atomically
from core.files.export import TAKEN, endings_of, export, export_rerouted, format_of, kinds
from core.load.evaluate import evaluate
from core.load.scenario import Case
from core.routing.tables.engines import ENGINES
from core.spec import SpecError


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_scenario(parser)
    parser.add_argument("--to", metavar="FORMAT", help="output format; see --list")
    parser.add_argument(
        "--of", choices=tuple(TAKEN), help="part to export, for formats that support several (default: the first)"
    )
    parser.add_argument(
        "--out", type=Path, default=STANDARD, metavar="OUT", help="file to write (default: standard output)"
    )
    engines = "; ".join(f"{engine.name}: {engine.summary}" for engine in ENGINES)
    parser.add_argument(
        "--engine",
        choices=[engine.name for engine in ENGINES],
        help=f"compute new forwarding tables by a routing engine, around failed links ({engines})",
    )
    parser.add_argument("--list", action="store_true", help="print all formats, one per line")
    parser.add_argument("--json", action="store_true", help="with --list: print one JSON array instead of text")
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export a part of a scenario, or list the formats."""
    if options.list:
        _print_kinds(options.json)
        return 0
    if options.to is None:
        raise SpecError("--to", "is missing; give a format, see --list")
    check_place(options.out, "--out", endings_of(options.to, options.of, options.out))
    live = options.live
    live.stage("reading")
    case = scenario_given(options).build(progress=live.later_stage("mapping"))
    exported = _exported(case, options)
    live.stage("writing")
    content = exported.content
    form = format_of(options.to, options.of).ending
    write_atomically(options.out, content.encode() if isinstance(content, str) else content, "--out", form)
    live.end()
    print_written(options.out, options)
    if exported.losses and not getattr(options, "quiet", False):
        complain(f"lost in {options.to}: {'; '.join(exported.losses)}")
    return 0


def _exported(case: Case, options: argparse.Namespace) -> Exported:
    if options.engine is not None:
        return export_rerouted(case, options.to, options.engine, options.live.stage("tables"))
    loads = partial(evaluate, progress=refuse_minutes(options.live.stage("loads"), options.patient))
    return export(case, options.to, options.of, loads)


def _print_kinds(as_json: bool) -> None:
    rows = [
        {"kind": kind, "of": parts, "line": format_of(kind).written, "ending": format_of(kind).ending}
        for kind, parts in kinds().items()
    ]
    if as_json:
        print_json(rows)
        return
    width = max(map(len, kinds()))
    for kind in kinds():
        print(f"{kind:<{width}}  {format_of(kind).written}")
