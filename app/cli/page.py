"""`page`: a scenario, two scenarios or a tour as one self-contained, interactive HTML page."""

import argparse
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.document_failures import check_failures, declare_failures, failures_given
from app.cli.options import declare_epilog
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.picture import offscreen
from app.cli.report import ENDINGS, name_of, reproduction_of
from app.cli.scenario_argument import (
    FILE_HELP,
    VALUES,
    choices_of,
    declare_choices,
    errors_of,
    scenario_given,
    scenario_named,
    with_choices,
)
from app.cli.scene_figures import complaints, figures_of, status_of
from app.cli.streams import print_written
from app.cli.tour_argument import names_tour, tour_named
from core.files.atomic import check_place, write_atomically
from core.load.snapshots import with_notes_of
from core.spec import SpecError

if TYPE_CHECKING:
    from app.page.content import PageContent, Side
    from app.report.findings import Stage

EPILOG = """\
The page is one HTML file that requests nothing from anywhere. It shows the machine, which can be panned, zoomed and
filtered, with the hottest links and their causes, and the steps of the job. With two scenarios, A and B, it shows them
side by side, and their difference; a scenario with snapshots is compared with its first snapshot. The page of a tour
shows its scenes with their captions. Counters of links have pictures of their own, with every interval
between readings, and so has the slow-down of the job by each failure, with --failures.

The figures equal the output of `evaluate`. The page follows the reader's light or dark theme. In a browser without
WebGL 2 or scripts, it shows pictures and the same figures.

If a scene of a tour cannot be shown, a figure of its caption cannot be computed, or a claim does not hold, the page is
still written, every error is printed, and the exit status is 1, as with `tour`.
"""
DESCRIPTION = f"Use instead of FILE, or to override parts of it, or of B if it is given. {VALUES}"


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help=f"{FILE_HELP}; or a tour")
    parser.add_argument("b", type=Path, nargs="?", metavar="B", help="scenario to compare with FILE, which is then A")
    declare_choices(parser, DESCRIPTION)
    declare_failures(parser, "a view of the slow-down by each failure")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.html", help="page to write")
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write a page."""
    check_place(options.out, "--out", ENDINGS)
    check_failures(options)
    is_tour = options.file is not None and names_tour(options.file)
    status = 0
    with offscreen():
        # Imported only if there is something to draw.
        from app.page.page import page_of
        from app.report.document import made_at

        if is_tour:
            content, status = _of_tour(options)
        else:
            content = _of_scenarios(options)
        page = page_of(content, made_at(datetime.now()), options.live.stage("drawing"))
    options.live.stage("writing")
    write_atomically(options.out, page, "--out", ".html")
    options.live.end()
    print_written(options.out, options)
    return status


def _of_scenarios(options: argparse.Namespace) -> "PageContent":
    from app.page.content import pair_content, scenario_content

    sides = _sides(options)
    if len(sides) == 1:
        failures = failures_given(options, sides[0].evaluation.report)
        return scenario_content(sides[0], _stage(options), failures)
    if options.failures is not None:
        raise SpecError("--failures", "cannot be used with two scenarios")
    a, b = sides
    title = b.name if options.b is None else f"{a.name} and {b.name}"
    return pair_content(a, b, title, _stage(options))


def _stage(options: argparse.Namespace) -> "Stage":
    from app.page.panels import patient_stage

    return patient_stage(options.live.stage, options.patient)


def _sides(options: argparse.Namespace) -> "list[Side]":
    """Return the evaluated scenarios: A and B, or a single scenario."""
    from app.page.content import Side
    from app.session.evaluation import evaluate_reference, evaluate_scenario

    options.live.stage("reading")
    several = options.b is not None
    with errors_of(options.file, several):
        first = scenario_named(options.file) if several else scenario_given(options)
    if several:
        with errors_of(options.b, several):
            second = with_choices(scenario_named(options.b), choices_of(options))
        named = [(name_of(options.file, first), options.file, first), (name_of(options.b, second), options.b, second)]
    else:
        snapshots = [
            (f"snapshot “{kept.name}”", options.file, with_notes_of(kept.kept, first)) for kept in first.snapshots[:1]
        ]
        named = [*snapshots, (name_of(options.file, first), options.file, first)]
    others, sides = [str(options.b)] if several else [], list[Side]()
    for name, path, scenario in named:
        with errors_of(path, several):
            progress = refuse_minutes(options.live.stage(f"loads of {name}"), options.patient)
            evaluation = (
                evaluate_reference(scenario, sides[0].evaluation, progress)
                if sides
                else evaluate_scenario(scenario, None, progress)
            )
        sides.append(Side(name, evaluation, reproduction_of("page", options, scenario, others)))
    return sides


def _of_tour(options: argparse.Namespace) -> "tuple[PageContent, int]":
    """Return the content of the page of a tour, and the exit status; print the tour's errors."""
    from app.page.content import tour_content
    from app.report.reproduction import command_line
    from app.session.scenes import SceneEvaluations

    given = [*choices_of(options), *(["B"] if options.b is not None else [])]
    given += [] if options.failures is None else ["failures"]
    for name in given:
        raise SpecError(name if name == "B" else f"--{name}", "cannot be used with a tour")
    options.live.stage("reading")
    scenes = SceneEvaluations(tour_named(options.file), options.file.parent)
    figures = figures_of(scenes, refuse_minutes(options.live.stage("scenes"), options.patient))
    command = command_line(["page", str(options.file), "--out", str(options.out)])
    content = tour_content(scenes, command, _stage(options))
    options.live.end()
    for line in complaints(figures):
        print(f"fabriscope: {line}", file=sys.stderr)
    return content, status_of(figures)
