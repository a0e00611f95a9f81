"""The command line: the same core without a window. Errors are one line on standard error and exit status 2."""

import argparse
import atexit
import ctypes
import gc
import itertools
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from app import __version__
from app.cli.patience import declare_insistence
from app.cli.progress_line import Live
from app.cli.streams import BAD_INPUT, Parser, Terminated, check_output, complain, ended_by_signals, printed
from core.files.atomic import STANDARD
from core.spec import SpecError

YOUNG = 100_000
"""Objects made between two looks for garbage: importing makes half a million, which all stay."""
SILENT = ("window", "render")
"""Commands that print nothing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit status."""
    try:
        with printed():
            return _run(sys.argv[1:] if arguments is None else arguments, alone=arguments is None)
    except SpecError as error:
        complain(error)
        return BAD_INPUT
    except MemoryError:
        complain(SpecError("memory", "there is not enough for this; choose something smaller"))
        return BAD_INPUT
    except BrokenPipeError:
        return 0  # whoever read the output has enough
    except Terminated:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _spare_collections() -> None:
    # Looking for garbage takes a quarter of the time of a short command: while it starts, and once more as it ends.
    gc.set_threshold(YOUNG)
    atexit.register(gc.freeze)


def _run(arguments: Sequence[str], alone: bool) -> int:
    given = with_command(arguments)
    options = _parser(given[0] if given else "").parse_args(given)
    if alone and options.run is not _window:
        _spare_collections()
    from app.cli.compiling import tell_on_terminal
    from core.kernels.lean import nothing_else_uses_numba

    tell_on_terminal()
    if given and given[0] not in SILENT:
        check_output()
    if options.run is _window:
        # It answers signals itself: what Python does about them waits for its next event.
        return int(options.run(options))
    nothing_else_uses_numba()
    with ended_by_signals(), Live(given[0]) as options.live:
        return int(options.run(options))


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the command left out: a file alone is to be opened in the window."""
    opens = bool(arguments) and arguments[0].endswith(".json")
    return ["window", *arguments] if opens else list(arguments)


def _parser(command: str) -> Parser:
    parser = Parser(
        prog="fabriscope",
        description="See which links of a supercomputer's network hold a job back. Without a command: the window.",
    )
    parser.add_argument("--version", action="version", version=__version__, help="print the version and exit")
    parser.set_defaults(run=_window, file=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    window = commands.add_parser("window", help="open the window (the default)")
    window.add_argument("file", type=Path, nargs="?", metavar="FILE", help="scenario file to open")
    window.set_defaults(run=_window)

    evaluation = commands.add_parser("evaluate", help="loads, throughput and bottleneck of a scenario file")
    evaluation.add_argument("file", type=Path, metavar="FILE", help="scenario file (.fabriscope.json)")
    evaluation.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    evaluation.add_argument("--links", type=Path, metavar="OUT.csv", help="write the load of every directed link")
    declare_insistence(evaluation)
    evaluation.set_defaults(run=_evaluate)

    reproduction = commands.add_parser("reproduce", help="a paper's tables, ours beside the printed values")
    reproduction.add_argument("paper", choices=("percs",), help="percs: mapping for IBM's PERCS, Tables 1-4")
    reproduction.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    reproduction.set_defaults(run=_reproduce)

    search = commands.add_parser("optimise", help="search for a better mapping; what no mapping can pass beside it")
    if command == "optimise":
        # Only then: what the options are declared in loads all of the searches.
        from app.cli.optimise import declare_options

        declare_options(search)

    metrics = commands.add_parser("metrics", help="sizes, distances, bisection, cables and cost of a network")
    comparison = commands.add_parser("compare", help="several networks side by side, and a job's throughput on each")
    if command == "metrics":
        from app.cli.metrics import declare_options as declare_metrics

        declare_metrics(metrics)
    if command == "compare":
        from app.cli.compare import declare_options as declare_comparison

        declare_comparison(comparison)

    picture = commands.add_parser("render", help="draw a scenario file into a picture; needs no screen")
    if command == "render":
        from app.cli.render import declare_options as declare_rendering

        declare_rendering(picture)
    return parser


def _evaluate(options: argparse.Namespace) -> int:
    from app.cli.evaluate import run

    return run(options)


def _reproduce(options: argparse.Namespace) -> int:
    from core.study.percs_tables import SEEDS, TABLES, cells

    found = list(cells(progress=options.live.stage("evaluating 89 cells")))
    options.live.end()
    if options.json:
        print(msgspec.json.encode({"paper": "percs", "seeds": SEEDS, "cells": found}).decode())
        return 0
    for table in TABLES:
        print(f"\nTable {table.number}. {table.title}: GB/s per node, ours (printed)")
        rows = [cell for cell in found if cell.table == table.number]
        _print_table(table.columns, rows)
    print(f"\nRandom mappings: mean [least .. most] of {SEEDS} seeds.")
    differing = [cell for cell in found if not cell.agrees]
    agreeing = len(found) - len(differing)
    print(f"{agreeing} of {len(found)} cells agree: as rounded in print, or print lies in the range.")
    for cell in differing:
        where = f"Table {cell.table}, {cell.row}, {cell.column}"
        print(f"differs: {where}: ours {cell.ours:.4g}, printed {cell.printed:g}: {cell.note}")
    return 0


def _print_table(columns: Sequence[str], rows: list[Any]) -> None:
    width = {c: 2 + max(len(c), *(len(_cell(cell)) for cell in rows if cell.column == c)) for c in columns}
    print(f"{'':<10}" + "".join(f"{column:>{width[column]}}" for column in columns))
    for row in dict.fromkeys(cell.row for cell in rows):
        line = "".join(f"{_cell(cell):>{width[cell.column]}}" for cell in rows if cell.row == row)
        print(f"{row:<10}{line}")


def _cell(cell: Any) -> str:
    spread = f" [{cell.low:.4g}..{cell.high:.4g}]" if cell.low != cell.high else ""
    mark = "" if cell.agrees else " !"
    return f"{cell.ours:.4g}{spread} {cell.bottleneck} ({cell.printed:g} {cell.printed_bottleneck}){mark}"


def _window(options: argparse.Namespace) -> int:
    if options.file == STANDARD:
        raise SpecError("window", "- cannot be saved again; name a file")
    if not has_screen():
        return _no_screen(options)
    from app.window.launch import open_window

    return open_window(options.file)


def has_screen() -> bool:
    """Return whether a window could be shown here."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in ("offscreen", "minimal"):
        return False
    if sys.platform in ("win32", "darwin") or platform:
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY")) or (bool(os.environ.get("DISPLAY")) and _display_answers())


def _display_answers() -> bool:
    # Qt ends the process where DISPLAY names a server that is gone; so the server is asked first, by Qt's own library.
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    answers = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return answers


def _no_screen(options: argparse.Namespace) -> int:
    from app.cli.evaluate import print_report
    from app.cli.picture import render_file
    from app.storage.presets import worked_example
    from core.files import read_scenario
    from core.load.bounds import bounds
    from core.load.evaluate import evaluate

    check_output()
    scenario = read_scenario(options.file) if options.file is not None else worked_example()
    out = _free(Path.cwd(), "fabriscope", ".png")
    render_file(scenario, "machine", out, (1600, 1000), "dark")
    print(
        "There is no screen here to open a window on; drew the worked example instead:"
        if options.file is None
        else "There is no screen here to open a window on; drew the scenario instead:"
    )
    print(out)
    report = evaluate(scenario.build())
    print_report(report, bounds(report.case, report.cut))
    return 0


def _free(folder: Path, stem: str, ending: str) -> Path:
    # Nobody asked for the file, so none that stands there is written over, a broken link neither.
    names = itertools.chain([f"{stem}{ending}"], (f"{stem}-{number}{ending}" for number in itertools.count(2)))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))
