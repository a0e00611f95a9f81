"""The figures: throughput, classes of links with their bounds, phases, background jobs, notes."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.model.evaluation import Evaluation
from app.model.load_parts import interference, slowed_text
from app.report.document import Facts, Folded, Headline, ReportPart, Section, Table, TableBar, TableHead, Words
from app.report.findings import Findings
from app.style.colour import lookup_table
from app.wording.figures import listed_rows
from app.wording.numbers import gbs, percent
from core.figures.computing import declared
from core.figures.evaluation import Evaluated
from core.figures.listed import unit_in
from core.figures.notes import notes_of
from core.job.measure import Measure
from core.load.bounds import Bound, bound_sentence, class_bound, gap, scope
from core.load.evaluate import ClassFigures, ClassLoad
from core.load.phase_times import phase_times
from core.text import as_sentence, figure

DASH = "–"
COLOUR_MAP = "heat"
CLASS = TableHead("Class", number=False)


def report_headline(evaluation: Evaluation) -> Headline:
    """Return the throughput, its bottleneck, and its upper bound."""
    report = evaluation.report
    measure = report.case.job.measure
    if report.throughput_gbs is None:
        return Headline("No load", "", report.verdict)
    time = "" if report.seconds is None else f", {measure.time(report.seconds)}"
    verdict = f"{report.verdict[:1].upper()}{report.verdict[1:]}."
    return Headline(gbs(report.throughput_gbs), f"{measure.rate}{time}", verdict, tuple(_distance(evaluation)))


def _distance(evaluation: Evaluation) -> Iterator[str]:
    report, all_bounds = evaluation.report, evaluation.bounds
    distance = gap(all_bounds, report.time)
    if distance is not None:
        yield bound_sentence(report.case, distance.bound, gbs)
        yield distance.sentence


def figures_section(findings: Findings) -> Section:
    """Return the section of the figures of an evaluation."""
    evaluation = findings.evaluation
    parts: list[ReportPart] = [_classes(evaluation), *_bounds(evaluation), *_phases(evaluation), *_jobs(findings)]
    parts.append(_listed(evaluation))
    notes = [f"{note[:1].upper()}{note[1:]}." for note in notes_of(evaluation.report)]
    return Section("figures", "Figures", [*parts, Words(notes)] if notes else parts)


def _listed(evaluation: Evaluation) -> Table:
    heads = TableHead("Figure", number=False), TableHead("Value"), TableHead("Meaning", number=False)
    rows = [
        (title, value, f"{meaning[:1].upper()}{meaning[1:]}.")
        for title, value, meaning in listed_rows(evaluated(evaluation), evaluation.case.job.measure)
    ]
    return Table(heads, rows, "Counts and means.")


def evaluated(evaluation: Evaluation) -> Evaluated:
    """Return the source from which the figures of an evaluation are computed."""
    return Evaluated(evaluation.report, evaluation.bounds)


def class_head(name: str, measure: Measure, side: str = "") -> TableHead:
    """Return the heading of a figure of link classes, for side A or B if given: ``Largest load, A``."""
    figure, _ = declared(ClassFigures)[name]
    return TableHead(", ".join(filter(None, (figure.title, side))), unit_in(figure, measure))


def _classes(evaluation: Evaluation) -> Table:
    report = evaluation.report
    measure = report.case.job.measure.suited(max((c.max_load for c in report.classes), default=0.0))
    shared = bool(report.others.size)
    limited = any(class_bound(evaluation.bounds, c.name) for c in report.classes)
    heads = (
        CLASS, *(class_head(name, measure) for name in ("links", "gbs", "max_load", "mean_load")),
        *([TableHead("This job", "%")] if shared else ()),
        class_head("throughput_gbs", measure), *([TableHead("Upper bound", measure.rate)] if limited else ()),
        TableHead("Time", "% of t"), TableHead("", number=False, bar=True),
    )  # fmt: skip
    rows, bars = [], []
    for c, time in zip(report.classes, report.class_times, strict=True):
        bound = class_bound(evaluation.bounds, c.name)
        most = None if bound is None else report.throughput(bound.time)
        loads = (figure(measure.converted(load), 5) for load in (c.max_load, c.mean_load))
        own = [_own_share(c)] if shared else []
        rates = map(rate_text, (c.throughput_gbs, most) if limited else (c.throughput_gbs,))
        share = time / report.time if report.time > 0 else 0.0
        part = percent(share).removesuffix(" %")
        rows.append((c.name, f"{c.links:,}", f"{c.gbs:g}", *loads, *own, *rates, part))
        mark = None if bound is None or report.time <= 0 else bound.time / report.time
        bars.append(TableBar(share, heat(share), mark))
    limiting = [k for k, c in enumerate(report.classes) if c.name in report.limiting]
    return Table(heads, rows, class_caption("t", bars), bars, limiting[0] if len(limiting) == 1 else -1)


def class_caption(unit: str, bars: Sequence[TableBar]) -> str:
    """Return the caption of a table of link classes, whose bars are times in `unit`."""
    marked = " The mark on a bar is the lower bound for any mapping." if any(b.mark is not None for b in bars) else ""
    return f"Link classes. {unit} is the time of the bottleneck links.{marked}"


def _own_share(c: ClassLoad) -> str:
    sent = c.own_load
    return percent(sent / c.sum_load).removesuffix(" %") if isinstance(sent, float) and c.sum_load > 0 else DASH


def heat(share: float) -> tuple[str, str]:
    """Return the colours of a relative load on a light and on a dark page."""
    place = round(min(max(share, 0.0), 1.0) * 255)
    return _hex(lookup_table(COLOUR_MAP, dark=False)[place]), _hex(lookup_table(COLOUR_MAP, dark=True)[place])


def _hex(colour: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.uint8]]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*map(int, colour[:3]))


def rate_text(value: float | None) -> str:
    """Return a throughput, or a dash."""
    return DASH if value is None else gbs(value)


def _bounds(evaluation: Evaluation) -> Iterator[ReportPart]:
    report, rate = evaluation.report, evaluation.case.job.measure.rate
    # The strongest bound of each class and over all classes, strongest first.
    strongest: dict[str | None, Bound] = {}
    for bound in evaluation.bounds:
        strongest.setdefault(bound.link_class, bound)
    limits = [(bound, report.throughput(bound.time)) for bound in strongest.values()]
    rows = [(bound.link_class or "all", rate_text(most), as_sentence(bound.reason)) for bound, most in limits]
    if rows:
        heads = CLASS, TableHead("Upper bound", rate), TableHead("Reason", number=False)
        yield Table(heads, rows, f"Proved upper bounds{scope(evaluation.case)}.")
        yield Folded(
            "Proofs of the bounds",
            [Facts([(row[0], bound.steps) for row, bound in zip(rows, strongest.values(), strict=True)])],
        )
    paper = [
        (
            prediction.link_class,
            f"{'at least ' if prediction.at_least else ''}{gbs(prediction.gbs)}",
            prediction.formula,
        )
        for prediction in evaluation.predictions
    ]
    if paper:
        heads = CLASS, TableHead("Predicted", rate), TableHead("Formula", number=False)
        yield Table(heads, paper, "Prediction of Chakaravarthy et al. (2012) for this mapping.")


def _phases(evaluation: Evaluation) -> Iterator[ReportPart]:
    times, measure = phase_times(evaluation.report), evaluation.case.job.measure
    if times:
        heads = TableHead("Phase", number=False), TableHead("Duration"), TableHead("Limited by", number=False)
        yield Table(
            heads,
            [(phase_time.name, measure.time(phase_time.time), phase_time.link_class or "none") for phase_time in times],
            "Phases.",
        )


def _jobs(findings: Findings) -> Iterator[ReportPart]:
    if not findings.jobs:
        return
    measure: Measure = findings.evaluation.case.job.measure
    heads = (
        TableHead("Job", number=False), TableHead("Tasks"), TableHead("Nodes"), TableHead("Time"),
        TableHead("Time alone"), TableHead("Throughput", measure.rate), TableHead("Interference", number=False),
    )  # fmt: skip
    rows = []
    for job in findings.jobs:
        job_report = job.report
        times = measure.time(job_report.time), measure.time(job_report.time_alone), rate_text(job_report.throughput_gbs)
        slowed = job_report.slowdown
        effect = slowed_text(slowed) if job.slows is None else interference(slowed, job.slows)
        rows.append((job.name, f"{job_report.case.job.tasks:,}", f"{job_report.case.used_nodes:,}", *times, effect))
    yield Table(heads, rows, "Jobs on the machine. This report is on the first job.")
