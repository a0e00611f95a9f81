"""The timeline in words and figures: the times of the steps and the utilisation of the links."""

from app.report.document import PicturePlace, Pictures, ReportPart, Section, Table, TableHead, Words, table_or_folded
from app.report.findings import Findings
from app.report.loads import DASH
from app.wording.figures import traffic_text
from app.wording.numbers import percent
from core.job.measure import UNITS, UNTIMED
from core.text import duration, figure, plural
from core.timing import StepFigures, Timeline, timing_of

MAX_STEPS = 40
"""Maximum number of steps in the table."""
HEAD_PX, LANE_PX, MIN_PX, MAX_PX = 110, 62, 240, 560
"""Heights in the picture: the parts above and below the lanes, the lane of a class, minimum and maximum in total."""


def timeline_section(findings: Findings, width: int) -> Section:
    """Return the section on the times of the steps, with a picture `width` pixels wide."""
    times = findings.timeline
    if isinstance(times, str):
        return Section("timeline", "Timeline", [Words([f"The timeline was not computed: {times}."])])
    parts: list[ReportPart] = [Words(_words(times))]
    if len(times.steps) > 1:
        height = min(max(HEAD_PX + LANE_PX * len(times.case.network.classes), MIN_PX), MAX_PX)
        caption = "Utilisation of the links of each class in each step. The line is the maximum, the area the mean."
        parts += [
            Pictures([PicturePlace("timeline", "Timeline", (width, height), caption)], wide=True),
            _table(times),
        ]
    return Section("timeline", "Timeline", parts)


def _words(times: Timeline) -> list[str]:
    case, measure = times.case, times.case.job.measure
    utilisation = ", ".join(f"{name} {percent(share)}" for name, share in times.utilisation.items())
    total = "" if times.total_seconds is None else f"{duration(times.total_seconds)} in "
    lines = [
        f"{total}{plural(len(times.steps), 'step')}: {timing_of(case).summary()}.",
        f"{traffic_text(times)}.",
        f"Mean link utilisation: {utilisation}.",
    ]
    if times.rounds is not None:
        lines.append(f"{plural(times.rounds.rounds, 'round')}. In each round, a link carries one message.")
    if not measure.timed:
        lines.append(f"{UNTIMED.capitalize()}.")
    if measure == UNITS:
        lines.append(f"A {measure.singular} is taken as 1 GB.")
    return lines


def _table(times: Timeline) -> ReportPart:
    heads = (
        TableHead("Step", number=False), TableHead("Start"), TableHead("Duration"), TableHead("Messages"),
        TableHead("Hops"), TableHead("Most hops"), TableHead("Limited by", number=False),
    )  # fmt: skip
    shown = times.figures(MAX_STEPS)
    more = len(times.steps) - len(shown)
    table = Table(heads, [_row(step) for step in shown])
    title = f"First {len(shown)} of {len(times.steps):,} steps" if more else "All steps"
    return table_or_folded(title, table)


def _row(step: StepFigures) -> tuple[str, ...]:
    times = (DASH if time is None else duration(time) for time in (step.start, step.seconds))
    hops = figure(step.hops), figure(step.max_hops)
    return (step.name, *times, f"{step.messages:,}", *hops, step.bottleneck or "none")
