"""`optimise --move routes`: a search for better forwarding tables, written to the scenario's folder."""

import argparse
from pathlib import Path

from core.figures.searched import SearchFigures
from core.files.atomic import STANDARD, write_atomically
from core.load.evaluate import LoadReport
from core.optimise.method import AnyMethod
from core.optimise.move_constraints import ANYWHERE, TASK
from core.optimise.request import ROUTES
from core.routing.tables.forwarding import ForwardingTables
from core.spec import SpecError, members

ENDING = ".lfts"
SUFFIXES = (".fabriscope.json", ".json")
OF_MAPPINGS = {
    "method": ("--method", members(AnyMethod)[0].tag()),
    "unit": ("--unit", TASK),
    "within": ("--within", ANYWHERE),
    "pin": ("--pin", ""),
    "no_empty": ("--no-empty", False),
    "failures": ("--failures", None),
    "cluster": ("--cluster", None),
    "workers": ("--workers", None),
}
"""Options that only searches for mappings take, with their defaults."""


def check_options(options: argparse.Namespace) -> None:
    """Check that no option is given that only searches for mappings take.

    Raises SpecError: naming the option; or if the tables would have no folder.
    """
    for name, (option, default) in OF_MAPPINGS.items():
        if getattr(options, name) != default:
            raise SpecError(option, f"is for mappings only; remove it, or search with --move mapping, not {ROUTES}")
    if options.out == STANDARD:
        raise SpecError("--out", "must be a file, since the forwarding tables are written to its folder")


def tables_path(out: Path) -> Path:
    """Return the path of the forwarding tables of a scenario: ``best.lfts`` for ``best.fabriscope.json``."""
    stem = next((out.name.removesuffix(suffix) for suffix in SUFFIXES if out.name.endswith(suffix)), out.name)
    return out.with_name(stem + ENDING)


def write_tables(path: Path, tables: ForwardingTables, report: LoadReport) -> None:
    """Write forwarding tables as OpenSM dumps them.

    Raises SpecError: if the file cannot be written.
    """
    from core.routing.tables.lft_dump import dump_of

    content = dump_of(tables, report.case.network).content
    write_atomically(path, content.encode() if isinstance(content, str) else content, "--out")


def print_routes(figures: SearchFigures, start: LoadReport, better: LoadReport) -> None:
    """Print the hottest links, and whether the routes are free of deadlocks, before and after."""
    measure = better.case.job.measure
    for name, report, link in (("start", start, figures.start_hottest_link), ("best", better, figures.hottest_link)):
        hottest = report.hottest(1)
        if link and hottest.size:
            load = measure.amount(float(report.total_load[hottest[0]]))
            print(f"Hottest link, {name}: {link}, {load}")
    before, after = (_free(free) for free in (figures.start_deadlock_free, figures.deadlock_free))
    print(f"On one virtual lane, the start is {before}, the best {after}.")
    if figures.deadlock_free is False:
        print("The best routes need more than one virtual lane; fabriscope routes shows links that wait in a cycle.")


def _free(free: object) -> str:
    return "free of deadlocks" if free else "not free of deadlocks"
