"""`report`: a report on a scenario or a study as one self-contained HTML page."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.background.patience import refuse_after
from app.cli.document_failures import check_failures, declare_failures, failures_given
from app.cli.options import declare_epilog
from app.cli.patience import OPTION, declare_patience, refuse_minutes
from app.cli.picture import offscreen
from app.cli.scenario_argument import choices_of, declare_choices, scenario_given, scenario_named
from app.cli.streams import print_written
from core.files import SUFFIX
from core.files.atomic import STANDARD, check_place, shown, write_atomically
from core.load.scenario import Scenario
from core.load.snapshots import with_notes_of
from core.spec import Progress, SpecError
from core.sweep.results import SUFFIXES, read_results
from core.sweep.study import SUFFIX as STUDY
from core.sweep.study import read_study

if TYPE_CHECKING:
    from app.model.evaluation import Evaluation
    from app.report.comparison import Rival
    from app.report.failures import FailureFindings
    from app.report.reproduction import Reproduction
FILE_HELP = (
    f"scenario file ({SUFFIX}), name of a preset, - for standard input, results of a study (.csv, .parquet), or a "
    "study file with results in the same folder"
)
ENDINGS = ".html", ".htm"
MAX_RIVALS = 8
"""Maximum number of other states that are evaluated for comparison."""
AGAINST_HELP = "scenario to compare with, shown as A (default: the first snapshot in FILE, if any)"
EPILOG = """\
The report is one HTML file without scripts. It contains figures and bounds, the bottleneck and its causes, the hottest
links, the timeline, pictures, the comparison of A and B, the assumptions, and the command that reproduces the report.
With --failures, it also has the effects of every single failure, the worst, and the throughput after random failures.
It follows the reader's light or dark theme and can be printed. Pictures are SVG, or PNG if they have too many lines.
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help=FILE_HELP)
    declare_choices(parser)
    parser.add_argument("--against", type=Path, metavar="FILE", help=AGAINST_HELP)
    declare_failures(parser, "a section on the failures")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.html", help="report to write")
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write a report."""
    check_place(options.out, "--out", ENDINGS)
    check_failures(options)
    page = _of_study(options) if _is_study(options.file) else _of_scenario(options)
    options.live.stage("writing")
    write_atomically(options.out, page, "--out", ".html")
    options.live.end()
    print_written(options.out, options)
    return 0


def _is_study(path: Path | None) -> bool:
    return path is not None and (path.suffix in SUFFIXES or path.name.endswith(STUDY))


def _of_study(options: argparse.Namespace) -> bytes:
    given = choices_of(options) | {name: "" for name in ("against", "failures") if getattr(options, name) is not None}
    for name in given:
        raise SpecError(f"--{name}", "can be used with a scenario only, not with a study")
    options.live.stage("reading")
    path = latest_results(options.file) if options.file.name.endswith(STUDY) else options.file
    with offscreen():
        from app.panels.studies.study_files import load_results
        from app.report.study import study_page

        kept = load_results(path, path.parent)
        options.live.stage("drawing")
        return study_page(kept, options.file, options.out)


def latest_results(path: Path) -> Path:
    """Return the latest results of a study in the folder of its file.

    Raises SpecError: if there are none.
    """
    study = read_study(path)
    results = []
    for path_of_results in (*path.parent.glob("*.csv"), *path.parent.glob("*.parquet")):
        with suppress(SpecError):
            if read_results(path_of_results).digest == study.digest:
                results.append(path_of_results)
    if not results:
        raise SpecError("file", f"{shown(path.name)} has no results in its folder; run fabriscope study first")
    return max(results, key=lambda file: file.stat().st_mtime)


def _of_scenario(options: argparse.Namespace) -> bytes:
    live = options.live

    def stage(name: str) -> Progress:
        progress: Progress = live.stage(name)
        return progress if options.patient else refuse_after(MAX_STAGE_SECONDS, progress)

    live.stage("reading")
    scenario = scenario_given(options)
    with offscreen():
        # Imported only if there is something to draw.
        from app.model.state_groups import ComparisonState
        from app.report.drawings import charts_of, plain_drawings, view_drawings
        from app.report.evaluation_report import Subject, document_of
        from app.report.findings import MAX_STAGE_SECONDS, findings_of
        from app.report.page import page_of
        from app.session.session import Session
        from app.style.theme import LIGHT

        loads = refuse_minutes(live.stage("loads"), options.patient)
        session = Session.of(scenario, loads, theme=LIGHT, sync=True)
        try:
            evaluation = session.state.evaluation
            rivals = tuple(_rivals(options, scenario, evaluation))
            failures = _failures(options, evaluation)
            against = [] if options.against is None else ["--against", str(options.against)]
            again = reproduction_of("report", options, scenario, against)
            subject = Subject(name_of(options.file, scenario), again, rivals=rivals, failures=failures)
            document = document_of(findings_of(evaluation, stage), subject, datetime.now())
            live.stage("drawing")
            reference = rivals[0].evaluation if rivals else None
            state = replace(session.state, comparison=ComparisonState(reference))
            drawings = plain_drawings(state, document.pictures)
            for _ in view_drawings(session, document.pictures, charts_of(None, failures), drawings):
                pass
        finally:
            session.close()
        return page_of(document, drawings)


def _failures(options: argparse.Namespace, evaluation: "Evaluation") -> "FailureFindings | None":
    from app.report.failures import FailureFindings

    failures = failures_given(options, evaluation.report)
    return None if failures is None else FailureFindings(failures.figures, (failures.curve,))


def _rivals(options: argparse.Namespace, scenario: Scenario, evaluation: "Evaluation") -> "Iterator[Rival]":
    from app.report.comparison import Rival
    from app.session.evaluation import evaluate_reference

    named = [(str(options.against), scenario_named(options.against))] if options.against is not None else []
    named += [
        (f"snapshot “{snapshot.name}”", with_notes_of(snapshot.kept, scenario)) for snapshot in scenario.snapshots
    ]
    for name, other in named[:MAX_RIVALS]:
        progress = refuse_minutes(options.live.stage(f"loads of {name}"), options.patient)
        try:
            yield Rival(name, evaluate_reference(other, evaluation, progress))
        except SpecError as error:
            raise SpecError("--against" if name == str(options.against) else "snapshots", f"{name}: {error}") from error


def name_of(path: Path | None, scenario: Scenario) -> str:
    """Return the name of the scenario of a FILE argument, for titles."""
    from app.cli.scenario_argument import is_preset
    from app.report.evaluation_report import usual_name
    from app.storage.presets import preset_title

    if path is None or path == STANDARD:
        return usual_name(scenario)
    if is_preset(str(path)):
        return preset_title(str(path))
    return path.name.removesuffix(SUFFIX).encode(errors="replace").decode()  # a path may not be valid Unicode


def reproduction_of(
    command: str, options: argparse.Namespace, scenario: Scenario, others: Sequence[str] = ()
) -> "Reproduction":
    """Return the command that writes a document again; `others` are its arguments after FILE."""
    from app.report.reproduction import SCENARIO_NAME, Reproduction, command_line, failure_options

    # A scenario from a pipe is in no file.
    piped = options.file == STANDARD
    source = SCENARIO_NAME if piped else None if options.file is None else str(options.file)
    words = [command, *([source] if source is not None else []), *others]
    words += failure_options(options.failures, options.sample)
    for name, text in choices_of(options).items() if not piped else ():
        words += [f"--{name}", text]
    line = command_line([*words, *([OPTION] if options.patient else []), "--out", str(options.out)])
    return Reproduction(line, scenario, inside=piped)
