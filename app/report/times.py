"""The timeline in words and figures: when each step runs, and how busy the links are."""

from app.report.document import PicturePlace, Pictures, ReportPart, Section, Table, TableHead, Words, table_or_folded
from app.report.findings import Findings
from app.report.loads import DASH
from app.wording.numbers import percent
from core.job.measure import UNITS, UNTIMED
from core.text import duration, figure, plural
from core.timing import StepFigures, Timeline, timing_of

MAX_STEPS = 40
"""Most steps in the table."""
HEAD_PX, LANE_PX, MIN_PX, MAX_PX = 110, 62, 240, 560
"""Heights in the picture: of what is above and below the lanes, of a class's lane; least and most of all."""


def timeline_section(findings: Findings, width: int) -> Section:
    """Return the section on when each step runs, with a picture `width` pixels wide."""
    found = findings.timeline
    if isinstance(found, str):
        return Section("timeline", "Timeline", [Words([f"When each step runs is not known: {found}."])])
    parts: list[ReportPart] = [Words(_words(found))]
    if len(found.steps) > 1:
        height = min(max(HEAD_PX + LANE_PX * len(found.case.network.classes), MIN_PX), MAX_PX)
        caption = "How busy the links of each class are in each step: the line is the busiest, the area the mean."
        parts += [
            Pictures([PicturePlace("timeline", "Timeline", (width, height), caption)], wide=True),
            _table(found),
        ]
    return Section("timeline", "Timeline", parts)


def _words(found: Timeline) -> list[str]:
    case, measure = found.case, found.case.job.measure
    met = found.contention
    pairs = "" if met is None else f"; {plural(met, 'pair')} of messages {'meets' if met == 1 else 'meet'} on a link"
    busy = ", ".join(f"{name} {percent(share)}" for name, share in found.utilisation.items())
    took = "" if found.total_seconds is None else f"{duration(found.total_seconds)} in "
    lines = [
        f"{took}{plural(len(found.steps), 'step')}: {timing_of(case).summary()}.",
        f"{plural(found.messages, 'message')} over {plural(found.hops, 'link')}{pairs}.",
        f"Links are busy on average: {busy}.",
    ]
    if found.rounds is not None:
        lines.append(f"{plural(found.rounds.rounds, 'round')}, one message over a link in each.")
    if not measure.timed:
        lines.append(f"{UNTIMED.capitalize()}.")
    if measure == UNITS:
        lines.append(f"A {measure.singular} is taken as 1 GB.")
    return lines


def _table(found: Timeline) -> ReportPart:
    heads = (
        TableHead("Step", number=False), TableHead("Start"), TableHead("Takes"), TableHead("Messages"),
        TableHead("Hops"), TableHead("Farthest", "links"), TableHead("Waits for", number=False),
    )  # fmt: skip
    shown = found.figures(MAX_STEPS)
    more = len(found.steps) - len(shown)
    table = Table(heads, [_row(step) for step in shown])
    title = f"The first {len(shown)} of {len(found.steps):,} steps" if more else "All steps"
    return table_or_folded(title, table)


def _row(step: StepFigures) -> tuple[str, ...]:
    times = (DASH if time is None else duration(time) for time in (step.start, step.seconds))
    hops = figure(step.hops), figure(step.max_hops)
    return (step.name, *times, f"{step.messages:,}", *hops, step.bottleneck or "nothing")
