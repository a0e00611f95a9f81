"""The parts of a link's load, by labelled part of the job, pair of groups and pair of tasks, largest first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf

from app.model.pointing import Item, flow_item
from app.wording.names import flow_name, pair_name
from app.wording.numbers import percent
from core.job.measure import Measure
from core.load.evaluate import LoadReport
from core.load.explain import Explanation, LoadParts
from core.load.job_reports import shares_of
from core.network.network import LinkClass, Network

MAX_GROUPS, MAX_TASKS, MAX_LABELS = 5, 8, 8
"""Maximum numbers of pairs of groups, of pairs of tasks and of labelled parts of the job that are listed."""
HOT = 0.9
"""Minimum utilisation of a link that is called hot."""
NEARLY_HOTTEST = 0.01
"""Links whose load is within this fraction of the hottest are counted as nearly hottest."""


@dataclass(frozen=True, slots=True)
class LoadPart:
    """A part of a load."""

    text: str
    load: float
    """In the job's measure."""
    share: float
    """Fraction of the total load, from 0 to 1."""
    item: Item | None = None
    """The item that a click selects."""
    colour: str = ""


def in_measure(parts: Iterable[LoadPart], measure: Measure) -> tuple[LoadPart, ...]:
    """Return parts with their loads converted to the job's measure."""
    return tuple(replace(part, load=measure.converted(part.load)) for part in parts)


def nearly_hottest(report: LoadReport, shown: LinkClass | None = None) -> str:
    """Return the number of links of a class, or of all, that are nearly as hot as the hottest: ``1,024 within 1 %``."""
    best = report.bottleneck_links if shown is None else report.hottest(1, shown.links)
    hottest = float(report.utilisation[best].max(initial=0.0))
    near = report.used_from((1 - NEARLY_HOTTEST) * hottest) if hottest > 0 else report.bottleneck_links[:0]
    if shown is not None:
        near = near[shown.has(near)]
    count = int(report.case.network.multiplicity[near].sum())
    return f"{count:,} within {percent(NEARLY_HOTTEST)}"


def link_title(name: str, share: float) -> str:
    """Return the heading of the parts of a link's load, by its utilisation."""
    return f"Why {name} is hot" if share >= HOT else f"What loads {name}"


def carried(report: LoadReport, link: int) -> str:
    """Return a link's load: ``0.3125 units · 100 % of the bottleneck``; ``2 units, 1 of this job · ...``."""
    load, share = float(report.total_load[link]), float(report.utilisation[link])
    measure = report.case.job.measure.suited(load)
    own = f", {measure.number(float(report.load[link]))} of this job" if report.others.size else ""
    return f"{measure.amount(load)}{own} · {percent(share)} of {whole_of(report)}"


def whole_of(report: LoadReport) -> str:
    """Return the reference of utilisations: the time of a single phase is the time of its hottest link."""
    return "the bottleneck" if len(report.phases) == 1 else "the total time"


def job_parts(
    report: LoadReport, link: int, colour: Callable[[int], str] = lambda _: "", *, also_alone: bool = False
) -> tuple[LoadPart, ...]:
    """Return the load of each job on a link; empty if the job runs alone, unless `also_alone`.

    `colour` maps the number of a job's colour to the colour.
    """
    if not report.others.size and not also_alone:
        return ()
    total, scenario = float(report.total_load[link]), report.case.scenario
    numbers = dict(zip(scenario.job_names, scenario.job_colours, strict=True))  # without the unknown background
    shares = sorted(shares_of(report, link), key=lambda share: numbers.get(share.name, inf))
    return tuple(
        LoadPart(
            share.name,
            share.load,
            share.load / total,
            colour=colour(numbers[share.name]) if share.name in numbers else "",
        )
        for share in shares
    )


def slowdown_words(report: LoadReport) -> str:
    """Return ``1.5× slower than alone``; empty if the job runs alone, or if computing it would take long."""
    is_cheap = len(report.phases) == 1 or "time_alone" in vars(report)
    if not report.others.size or report.time <= 0 or not is_cheap:
        return ""
    slower = f"{report.slowdown:.3g}"
    return "as fast as alone" if slower == "1" else f"{slower}× slower than alone"


def slowed_text(slowdown: float) -> str:
    """Return ``runs 1.5× slower``, or that a job is not slowed."""
    factor = f"{slowdown:.3g}"
    return "not slowed" if factor == "1" else f"runs {factor}× slower"


def interference(slowed: float, slows: float) -> str:
    """Return ``runs 1.5× slower, makes this job 2× slower``, or ``no interference``."""
    own, other = f"{slowed:.3g}", f"{slows:.3g}"
    if own == other == "1":
        return "no interference"
    return f"{slowed_text(slowed)}, {'does not slow this job' if other == '1' else f'makes this job {other}× slower'}"


def labelled_parts(report: LoadReport, explanation: Explanation) -> tuple[LoadPart, ...]:
    """Return the labelled parts of the job that load a link most: ``channel 3, all 14 steps``."""
    steps, total = len(report.case.job.phases), explanation.load
    listed, rest = explanation.parts[:MAX_LABELS], explanation.parts[MAX_LABELS:]
    parts = tuple(
        LoadPart(f"{part.label}{_in_steps(part.steps, steps)}", part.load, part.load / total) for part in listed
    )
    load = sum(part.load for part in rest)
    return (*parts, LoadPart(f"and {len(rest):,} more", load, load / total)) if rest else parts


def _in_steps(count: int, steps: int) -> str:
    if count == 1:
        return ""
    return f", all {steps:,} steps" if count == steps else f", {count:,} of {steps:,} steps"


def group_parts(network: Network, explanation: Explanation) -> tuple[LoadPart, ...]:
    """Return the pairs of groups of the coarsest level, or of nodes if there are no groups, that load a link most."""

    def part(a: int, b: int) -> tuple[str, Item]:
        if not network.levels:
            return pair_name(network, a, b), Item("node", a)
        if a == b:
            return f"within {network.group_name(a)}", Item("group", a)
        return pair_name(network, a, b), Item("bundle", a * network.groups + b)

    named = [(*part(a, b), load) for a, b, load in _first(explanation.groups, MAX_GROUPS)]
    parts = [LoadPart(text, load, load / explanation.load, item) for text, item, load in named]
    return (*parts, *_rest(explanation.groups, explanation.load, MAX_GROUPS))


def task_parts(explanation: Explanation) -> tuple[LoadPart, ...]:
    """Return the pairs of tasks that load a link most."""
    if not explanation.tasks.src.size and explanation.tasks.others:
        return (LoadPart("too many pairs of tasks", explanation.tasks.others, 1.0),)
    rows = _first(explanation.tasks, MAX_TASKS)
    parts = [LoadPart(flow_name(a, b), load, load / explanation.load, flow_item(a, b)) for a, b, load in rows]
    return (*parts, *_rest(explanation.tasks, explanation.load, MAX_TASKS))


def _first(parts: LoadParts, count: int) -> list[tuple[int, int, float]]:
    columns = (values[:count].tolist() for values in (parts.src, parts.dst, parts.load))
    return list(zip(*columns, strict=True))


def _rest(parts: LoadParts, total: float, shown: int) -> tuple[LoadPart, ...]:
    count = parts.src.size - shown
    load = float(parts.load[shown:].sum()) + parts.others
    if count <= 0 and not parts.others:
        return ()
    return (LoadPart(f"and {'over ' if parts.others else ''}{max(count, 0):,} more", load, load / total),)
