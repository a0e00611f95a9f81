"""The comparison of A and B: differences by class and by link, and the throughput of other snapshots in the file."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.model.comparison_text import ALIKE, DIFFERENT_LINKS, changed_text, link_figures, throughputs, what_differs
from app.model.evaluation import Evaluation
from app.report.document import PicturePlace, Pictures, ReportPart, Section, Table, TableHead, Words
from app.report.loads import DASH, class_head, evaluated, rate_text
from app.wording.figures import paired_rows
from app.wording.numbers import MINUS, signed, significant, throughput_text
from core.job.measure import common
from core.load.compare import Difference, class_changes, comparable
from core.load.evaluate import LoadReport

MAX_LINKS = 15
"""Maximum rows of the table of links."""


class Rival(NamedTuple):
    """A state to compare with, which is A in a report on B."""

    name: str
    evaluation: Evaluation


def comparison_section(
    evaluation: Evaluation, rivals: Sequence[Rival], size: tuple[int, int], own: str = "this scenario"
) -> Section:
    """Return the section that compares the evaluation, B, with the first rival, A, and lists the other rivals.

    `size` is the size of the picture of the difference.
    """
    first, b = rivals[0], evaluation
    a = first.evaluation
    parts: list[ReportPart] = [
        Words([f"A: {first.name}. B: {own}.", f"{throughputs(a, b)[0]}.", f"{what_differs(a, b).rstrip('.')}."]),
        _sides(first, b, own),
        _figures(a, b),
        _classes(a.report, b.report),
    ]
    if comparable(a.case, b.case):
        parts += _links(a.report, b.report, size)
    else:
        parts.append(Words([DIFFERENT_LINKS]))
    if len(rivals) > 1:
        heads = (
            TableHead("State", number=False),
            TableHead("Throughput", number=False),
            TableHead("Bottleneck", number=False),
        )
        rows = [
            (rival.name, throughput_text(rival.evaluation.report), rival.evaluation.report.verdict) for rival in rivals
        ]
        parts.append(Table(heads, rows, "States that B is compared with."))
    return Section("comparison", "Comparison of A and B", parts)


def _sides(rival: Rival, b: Evaluation, own: str) -> Table:
    heads = TableHead("", number=False), TableHead("State", number=False), TableHead("Throughput", number=False)
    both = (("A", rival.name, rival.evaluation), ("B", own, b))
    rows = [
        (side, name, throughput_text(evaluation.report), evaluation.report.verdict, evaluation.case.size)
        for side, name, evaluation in both
    ]
    return Table((*heads, TableHead("Bottleneck", number=False), TableHead("Size", number=False)), rows)


def _figures(a: Evaluation, b: Evaluation) -> Table:
    heads = TableHead("Figure", number=False), TableHead("A"), TableHead("B"), TableHead("Change")
    return Table(heads, paired_rows(evaluated(a), evaluated(b)), "Figures.")


def _classes(a: LoadReport, b: LoadReport) -> Table:
    measure = common(a.case.job.measure, b.case.job.measure)
    units = (("max_load", measure), ("mean_load", measure), ("throughput_gbs", b.case.job.measure))
    figures = [class_head(name, unit, side) for name, unit in units for side in "AB"]
    rows = []
    for class_change in class_changes(a.classes, b.classes):
        sides = (class_change.a, class_change.b)
        loads = [
            DASH if side is None else significant(measure.converted(getattr(side, name)))
            for name in ("max_load", "mean_load")
            for side in sides
        ]
        before, after = (None if side is None else side.throughput_gbs for side in sides)
        change = signed(after / before - 1) if before and after else DASH
        rows.append((class_change.name, *loads, rate_text(before), rate_text(after), change))
    return Table((TableHead("Class", number=False), *figures, TableHead("Change")), rows, "Link classes.")


def _links(a: LoadReport, b: LoadReport, size: tuple[int, int]) -> Iterator[ReportPart]:
    changes = Difference(a, b)
    links = changes.strongest(MAX_LINKS)
    if not changes.changed:
        yield Words([ALIKE])
        return
    caption = "Blue links carry less in B than in A, red links carry more."
    yield Pictures([PicturePlace("difference", f"B {MINUS} A", size, caption)], wide=True)
    measure = common(a.case.job.measure, b.case.job.measure)
    loads = [TableHead(side, measure.many) for side in ("A", "B", f"B {MINUS} A")]
    shares = [TableHead(side, "%") for side in ("A", "B", f"B {MINUS} A")]
    rows = [(b.case.network.link_name(link), *link_figures(a, b, changes, link)) for link in links.tolist()]
    caption = f"{changed_text(changes.changed, len(rows))}."
    yield Table((TableHead("Link", number=False), *loads, *shares), rows, caption)
