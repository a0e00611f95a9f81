"""`diff`: the differences between two scenarios, by link class and, if they share a network, by link."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_number
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import (
    FILE_HELP,
    VALUES,
    choices_of,
    declare_choices,
    errors_of,
    scenario_named,
    with_choices,
)
from app.model.comparison_text import ALIKE, DIFFERENT_LINKS, changed_text, link_figures, throughputs, what_differs
from app.model.evaluation import Evaluation
from app.wording.figures import paired_rows
from app.wording.numbers import MINUS, signed, significant
from core.figure import VOLUME, Figure
from core.figures.evaluation import Evaluated, class_figures
from core.figures.listed import paired
from core.figures.notes import job_notes
from core.figures.result import Result
from core.job.measure import common
from core.load.compare import Difference, class_changes, comparable
from core.load.evaluate import ClassFigures, LoadReport, evaluate
from core.spec import SpecError

TOP, MAX_TOP = 20, 1_000_000
"""Default and maximum number of links listed."""
NONE = "-"
EPILOG = """\
Links are sorted by change, largest first; unchanged links are omitted. Percentages are utilisations relative to the
hottest link of A and B. Different networks have no links in common and are compared by link class only.

Fields that --json prints:
  a, b        each with name, throughput_gbs, bottleneck and time_per_unit (null for message counts)
  differs     the choices that differ, as text
  classes     for each link class, a and b as evaluate --json prints them (null if a network has no such class)
  changed     the number of links that changed (null for different networks)
  links       the --top most changed links, each with
    class, from, to, src, dst   its class, and the names and numbers of its ends
    a, b                        its loads in A and in B
    change                      its additional time in B, relative to the hottest link of A and B
  figures     for each figure that evaluate --json prints, a and b (null if it is not available)
"""
Pair = tuple[Evaluation, Evaluation]


class Side(Struct, frozen=True):
    """One of the two scenarios."""

    name: str
    throughput_gbs: float | None
    bottleneck: str | None
    time_per_unit: float | None


class ClassDiff(Struct, frozen=True):
    """A link class in both scenarios."""

    a: ClassFigures | None
    b: ClassFigures | None


class FigureDiff(Struct, frozen=True):
    """A figure of both scenarios."""

    a: float | str | None
    b: float | str | None


class LinkDiff(Struct, frozen=True, rename={"link_class": "class", "leaves": "from", "reaches": "to"}):
    """A link whose load differs."""

    link_class: str
    leaves: str
    reaches: str
    src: int
    dst: int
    a: float
    b: float
    change: float


class Diff(Result, Struct, frozen=True):
    """The differences between two scenarios."""

    a: Annotated[Side, Figure("A", "", "name, throughput, bottleneck and time of the first scenario")]
    b: Annotated[Side, Figure("B", "", "the same of the second scenario")]
    differs: Annotated[str, Figure("Differences", "", "choices that differ")]
    classes: Annotated[
        dict[str, ClassDiff], Figure("Link classes", VOLUME, "figures of each link class in both scenarios")
    ]
    changed: Annotated[int | None, Figure("Changed links", "", "links whose load differs; none for different networks")]
    links: Annotated[list[LinkDiff] | None, Figure("Links", VOLUME, "the most changed links, largest change first")]
    figures: Annotated[
        dict[str, FigureDiff], Figure("Figures", "", "figures of both, by the names that evaluate prints")
    ]
    notes: Annotated[
        list[str] | UnsetType, Figure("Notes", "", "warnings about files of the jobs, and why times are missing")
    ] = UNSET


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("a", type=Path, metavar="A", help=FILE_HELP)
    parser.add_argument("b", type=Path, nargs="?", metavar="B", help="scenario to compare with A (default: A)")
    declare_choices(parser, f"Use to override parts of B. {VALUES}")
    parser.add_argument(
        "--textbook",
        action="store_true",
        help="compare a collective from a log with a textbook algorithm in the order of ranks, which is A",
    )
    declare_number(parser, "--top", (0, MAX_TOP), TOP, "list the N most changed links")
    declare_json(parser, Diff)
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare two scenarios."""
    both = a, b = _evaluated(options)
    options.live.end()
    changes = Difference(a.report, b.report) if comparable(a.case, b.case) else None
    if options.json:
        print_json(differences(_names(options), both, changes, options.top))
        return 0
    links = np.zeros(0, np.intp) if changes is None else changes.strongest(options.top)
    print(throughputs(a, b)[0])
    for side, name, evaluation in zip("AB", _names(options), both, strict=True):
        print(f"{side}: {name}: {evaluation.report.verdict}; {evaluation.case.size}")
    print(what_differs(a, b))
    for note in _notes(both):
        print(f"note: {note}")
    print()
    _print_table([("figure", "A", "B", "change"), *paired_rows(_source(a), _source(b))])
    _print_classes(a.report, b.report)
    print()
    if changes is None:
        print(DIFFERENT_LINKS)
    else:
        _print_links(a.report, b.report, changes, links.tolist())
    return 0


def _names(options: argparse.Namespace) -> tuple[str, str]:
    spelled = (f"--{name} {text}" for name, text in choices_of(options).items())
    a = f"{options.a} with a textbook algorithm" if options.textbook else str(options.a)
    return a, " ".join([str(options.b or options.a), *spelled])


def _evaluated(options: argparse.Namespace) -> Pair:
    live, texts, several = options.live, choices_of(options), options.b is not None
    if not several and not texts and not options.textbook:
        raise SpecError("B", "give a second scenario, or override parts of A, such as --mapping random")
    live.stage("reading")
    with errors_of(options.a, several):
        a = b = scenario_named(options.a)
    if several:
        with errors_of(options.b, several):
            b = scenario_named(options.b)
    b = with_choices(b, texts)
    if options.textbook:
        with errors_of(options.a, several):
            a = (a if several else b).with_textbook_job()
    sides = ("A", options.a, a), ("B", options.b or options.a, b)
    evaluations: list[Evaluation] = []
    for name, file, scenario in sides:
        with errors_of(file, several):
            before, stage = evaluations[0].case if evaluations else None, live.later_stage(f"mapping of {name}")
            case = scenario.build(before, stage)
        report = evaluate(case, refuse_minutes(live.stage(f"loads of {name}"), options.patient))
        evaluations.append(Evaluation(case, report, (), (), 0.0))
    return evaluations[0], evaluations[1]


def differences(names: tuple[str, str], both: Pair, changes: Difference | None, top: int) -> Diff:
    """Return the differences between two evaluated scenarios, with the `top` most changed links."""
    links = [] if changes is None else changes.strongest(top).tolist()
    reports = a, b = both[0].report, both[1].report
    sides = [
        Side(name, report.throughput_gbs, report.bottleneck, report.case.job.measure.seconds(report.time))
        for name, report in zip(names, reports, strict=True)
    ]
    own = [class_figures(report) for report in reports]
    classes = {
        change.name: ClassDiff(own[0].get(change.name), own[1].get(change.name))
        for change in class_changes(a.classes, b.classes)
    }
    return Diff(
        a=sides[0],
        b=sides[1],
        differs=what_differs(*both),
        classes=classes,
        changed=None if changes is None else changes.changed,
        links=None if changes is None else [_link_diff(a, b, changes, link) for link in links],
        figures={pair.figure.name: FigureDiff(pair.a, pair.b) for pair in paired(*map(_source, both))},
        notes=_notes(both) or UNSET,
    )


def _source(side: Evaluation) -> Evaluated:
    return Evaluated(side.report)


def _notes(both: Pair) -> list[str]:
    # The notes on both jobs, each once.
    return list(dict.fromkeys(note for evaluation in both for note in job_notes(evaluation.case.job)))


def _link_diff(a: LoadReport, b: LoadReport, changes: Difference, link: int) -> LinkDiff:
    network = b.case.network
    leaves, reaches = network.link_ends(link)
    return LinkDiff(
        link_class=network.classes[int(network.class_of[link])].name,
        leaves=leaves,
        reaches=reaches,
        src=int(network.src[link]),
        dst=int(network.dst[link]),
        a=a.case.job.measure.converted(float(a.total_load[link])),
        b=b.case.job.measure.converted(float(b.total_load[link])),
        change=float(changes.values[link]),
    )


def _print_classes(a: LoadReport, b: LoadReport) -> None:
    measure = common(a.case.job.measure, b.case.job.measure)
    rows: list[Sequence[str]] = [("class", "max A", "max B", "mean A", "mean B", "GB/s A", "GB/s B", "change")]
    for class_change in class_changes(a.classes, b.classes):
        sides = (class_change.a, class_change.b)
        loads = [
            None if side is None else measure.converted(getattr(side, name))
            for name in ("max_load", "mean_load")
            for side in sides
        ]
        rates = [None if side is None else side.throughput_gbs for side in sides]
        before, after = rates
        change = signed(after / before - 1) if before and after else NONE
        rows.append((class_change.name, *map(_figure, (*loads, *rates)), change))
    print(f"\nloads in {measure.many}")
    _print_table(rows)


def _print_links(a: LoadReport, b: LoadReport, changes: Difference, links: Sequence[int]) -> None:
    if not changes.changed:
        print(ALIKE)
        return
    print(changed_text(changes.changed, len(links)))
    heads = "link", "A", "B", f"B{MINUS}A", "A %", "B %", f"B{MINUS}A %"
    _print_table([heads, *((b.case.network.link_name(link), *link_figures(a, b, changes, link)) for link in links)])


def _figure(value: float | None) -> str:
    return NONE if value is None else significant(value)


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    for name, *figures in rows:
        right = (f"{text:>{width + 2}}" for text, width in zip(figures, widths, strict=True))
        print(f"{name:<{first}}{''.join(right)}")
