"""Figures of a scenario: what the commands' `--json` prints, `import fabriscope` returns and studies record."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from core.job.job import Job
from core.job.measure import UNITS, UNTIMED, Measure
from core.load.disconnected import DisconnectedFlows, find_disconnected
from core.load.evaluate import ClassFigures, ClassLoad, LoadReport
from core.load.job_reports import job_reports, slowed_by
from core.load.scenario import Case
from core.network.metrics.metrics import Metrics, Sizes
from core.timing.clex_rounds import LevelRounds
from core.timing.messages import total
from core.timing.step import StepFigures
from core.timing.timeline import Timeline

if TYPE_CHECKING:
    from core.load.bounds import Bound
    from core.network.metrics.cabling import Cabling


class JobFigures(Struct, frozen=True):
    """How one of the jobs on a machine performs."""

    name: str
    tasks: int
    nodes: int
    """Nodes that host some of its tasks."""
    throughput_gbs: float | None
    """GB/s per node; None if no link carries anything."""
    time_per_unit: float | None
    """Seconds for each of its tasks' unit if a unit is 1 GB; None: it counts messages, which have no time."""
    time_alone: float | None
    """`time_per_unit` if it ran alone."""
    slowdown: float
    """`time_per_unit` over `time_alone`."""
    slows: float | UnsetType = UNSET
    """Of a neighbour: how many times longer the first job takes than alone if this is its only neighbour."""


class Evaluation(Struct, frozen=True):
    """How a job performs on a network."""

    throughput_gbs: float | None
    """GB/s per node; None if no link carries anything."""
    bottleneck: str | None
    """The link class that limits."""
    time_per_unit: float | None
    """Seconds for each task's unit if a unit is 1 GB; None: volumes are message counts, which have no time."""
    links: int
    """Directed links."""
    classes: dict[str, ClassFigures]
    phases: int
    tasks: int
    nodes: int
    bound_gbs: float | None
    """Upper bound for any mapping of the job, GB/s per node; None: unknown."""
    messages: int
    """Messages between different tasks."""
    hops: float
    """Links that they cross, summed."""
    notes: list[str]
    """Further remarks: warnings of the network, faults, disconnected flows."""
    jobs: list[JobFigures]
    """The job, first; its neighbours after it."""
    plans: list[dict[str, Any] | None] | UnsetType = UNSET
    """Plan figures of each phase, None where nothing is planned, if the routing plans."""
    cut_flows: int | UnsetType = UNSET
    """Flows disconnected by failed links, if any."""
    cut_volume: float | UnsetType = UNSET
    """Their volume, in units."""
    unit: str | UnsetType = UNSET
    """What loads and volumes are counted in, as ``MB``, if not in units."""


class ClassUse(Struct, frozen=True):
    """Utilisation of a link class."""

    utilisation: float
    """Mean over its links and the whole time of load / (bandwidth x seconds), from all jobs."""
    own_utilisation: float | UnsetType = UNSET
    """The job's own part of it, if there are neighbours."""


class TimelineFigures(Struct, frozen=True):
    """When the phases of a job run, and how busy links are."""

    seconds: float | None
    """None: volumes are message counts, which have no time; then the `steps` have none either."""
    messages: int
    hops: float
    contention: float | None
    """Pairs of messages that meet on a link; None: takes too long to count."""
    classes: dict[str, ClassUse]
    steps: Sequence[StepFigures]
    notes: list[str]
    """What a volume of 1 is taken as if it is no byte count; warnings, faults, disconnected flows."""
    rounds: int | UnsetType = UNSET
    """Number of rounds, under timing rounds."""
    levels: tuple[LevelRounds, ...] | UnsetType = UNSET
    """Figures of CLEX's algorithm by level, under timing rounds."""
    cut_flows: int | UnsetType = UNSET
    """Flows disconnected by failed links, if any: they count as sent, and take no time."""
    cut_volume: float | UnsetType = UNSET
    """Their volume, in units."""


class SearchFigures(Struct, frozen=True, kw_only=True):
    """Result of a search for a better mapping."""

    start_gbs: float | None
    """Throughput of the initial mapping, GB/s per node."""
    throughput_gbs: float | None
    """Throughput of the best mapping, GB/s per node."""
    bound_gbs: float | None
    """Upper bound for any mapping; None: unknown."""
    start_time: float | None
    """Seconds per unit of the initial mapping; None: volumes are message counts, which have no time."""
    time: float | None
    """Seconds per unit of the best mapping."""
    steps: int
    """Mappings evaluated."""
    steps_per_second: float
    seconds: float
    seed: int
    objective: str | UnsetType = UNSET
    """The objective, if not throughput."""
    start: float | UnsetType | None = UNSET
    """Its value for the initial mapping; None: seconds, and volumes are message counts."""
    found: float | UnsetType | None = UNSET
    """Its value for the best mapping."""
    unit: str | UnsetType = UNSET
    """The unit of both, if volumes are not counted in units."""
    restarts: int
    """Completed restarts."""
    spread: dict[str, float | None] | None
    """Best, median and worst throughput of restarts; None: there were none."""
    notes: list[str] | UnsetType = UNSET
    """Remarks on the job: warnings of its file, and why times are missing; left out if there are none."""


class Optimised(SearchFigures, frozen=True, kw_only=True):
    """Result of a search, with the mapping found."""

    scenario: dict[str, Any]
    """The scenario with the best mapping, explicit; accepted by `evaluate`, and serialisable as JSON."""


@dataclass(frozen=True)
class Measures(Sizes):
    """Metrics of a network."""

    connected: bool
    diameter: int | None
    """Links on the longest shortest path between nodes; None: not connected."""
    aspl: float | None
    """Average shortest path length."""
    aspl_exact: str | None
    """The same as a fraction."""
    distance_sum: int | None
    bisection: dict[str, Any]
    cable: dict[str, Any] | None
    """Lengths in metres; None: single cables are not known."""
    cost: dict[str, Any] | None


def evaluation_of(report: LoadReport, found: "tuple[Bound, ...]") -> Evaluation:
    """Return the figures of a report, with the bounds found."""
    network, measure, cut = report.case.network, report.case.job.measure, report.disconnected
    messages, hops = total(report)
    return Evaluation(
        throughput_gbs=report.throughput_gbs,
        bottleneck=report.bottleneck,
        time_per_unit=measure.seconds(report.time),
        links=network.real_links,
        classes=class_figures(report),
        phases=len(report.phases),
        tasks=report.case.job.tasks,
        messages=messages,
        hops=hops,
        nodes=network.real_nodes,
        bound_gbs=report.throughput(found[0].time) if found else None,
        notes=notes_of(report),
        jobs=[_job_figures(report, number, *job) for number, job in enumerate(job_reports(report))],
        plans=[None if note is None else note.figures for note in report.notes] or UNSET,
        cut_flows=cut.count or UNSET,
        cut_volume=measure.converted(cut.volume) if cut.count else UNSET,
        unit=unit_of(report),
    )


def unit_of(report: LoadReport) -> str | UnsetType:
    """Return what loads are counted in, if not in units."""
    measure = report.case.job.measure
    return UNSET if measure == UNITS else measure.many


def _job_figures(report: LoadReport, number: int, name: str, one: LoadReport) -> JobFigures:
    case, slows = one.case, slowed_by(report, number - 1) if number else UNSET
    known = case.job.measure.seconds
    figures = one.throughput_gbs, known(one.time), known(one.time_alone), one.slowdown, slows
    return JobFigures(name, case.job.tasks, case.used_nodes, *figures)


def class_figures(report: LoadReport) -> dict[str, ClassFigures]:
    """Return the figures of each link class by name, loads in the job's measure."""
    return {c.name: _in_measure(c, report.case.job.measure) for c in report.classes}


def _in_measure(one: ClassLoad, measure: Measure) -> ClassFigures:
    # Bytes are given as bytes, as in files and texts.
    highest, mean, whole = map(measure.converted, (one.max_load, one.mean_load, one.sum_load))
    own = UNSET if isinstance(one.own_load, UnsetType) else measure.converted(one.own_load)
    return ClassFigures(one.links, one.gbs, highest, mean, whole, one.throughput_gbs, own)


def notes_of(report: LoadReport) -> list[str]:
    """Return remarks on a report: what `case_notes` has, and what was planned."""
    return case_notes(report.case, report.disconnected, report.plan_words)


def case_notes(case: Case, disconnected: DisconnectedFlows, planned: str = "") -> list[str]:
    """Return remarks on a case: warnings of network, job and mapping, faults, disconnected flows."""
    said = (planned, "" if case.faults is None else case.faults.words(), disconnected.sentence)
    cut = zip(case.scenario.job_names[1:], (find_disconnected(one).brief for one in case.neighbours.cases), strict=True)
    beside = [f"of job {name} {words}, and load nothing" for name, words in cut if words]
    neighbours = zip(case.scenario.job_names[1:], case.neighbours.cases, strict=True)
    beside += [f"job {name}: {warning}" for name, one in neighbours for warning in one.job.warnings]
    warnings = [*case.network.warnings, *job_notes(case.job), *case.mapping.warnings]
    return [*warnings, *filter(None, said), *beside]


def job_notes(job: Job) -> list[str]:
    """Return remarks on a job: the warnings of its file, and that message counts have no time."""
    return [*job.warnings, *([] if job.measure.timed else [UNTIMED])]


def timeline_figures(found: Timeline, steps: int | None = None) -> TimelineFigures:
    """Return the figures of a timeline, with its first `steps` steps; None: all."""
    cut = find_disconnected(found.case)
    return TimelineFigures(
        seconds=found.total_seconds,
        messages=found.messages,
        hops=found.hops,
        contention=found.contention,
        classes=_class_uses(found),
        steps=found.figures(steps),
        notes=timeline_notes(found),
        rounds=UNSET if found.rounds is None else found.rounds.rounds,
        levels=UNSET if found.rounds is None else found.rounds.levels,
        cut_flows=cut.count or UNSET,
        cut_volume=cut.measure.converted(cut.volume) if cut.count else UNSET,
    )


def _class_uses(found: Timeline) -> dict[str, ClassUse]:
    alone = not found.case.neighbours.cases
    own = found.own_utilisation
    return {name: ClassUse(share, UNSET if alone else own[name]) for name, share in found.utilisation.items()}


def timeline_notes(found: Timeline) -> list[str]:
    """Return remarks on a timeline: those on its case, and what a volume is taken as."""
    measure = found.case.job.measure
    notes = case_notes(found.case, find_disconnected(found.case))
    return [*notes, f"a {measure.singular} is taken as 1 GB"] if measure == UNITS else notes


def measures_of(metrics: Metrics, cables: "Cabling | None") -> Measures:
    """Return the figures of a network."""
    exact = metrics.aspl
    return Measures(
        **{size.name: getattr(metrics, size.name) for size in fields(Sizes)},
        connected=metrics.connected,
        diameter=metrics.diameter,
        aspl=None if exact is None else float(exact),
        aspl_exact=None if exact is None else str(exact),
        distance_sum=metrics.distance_sum,
        bisection=msgspec.to_builtins(metrics.bisection),
        cable=None if cables is None else _cable_figures(cables),
        cost=None if cables is None else _cost_figures(cables),
    )


def _cable_figures(cables: "Cabling") -> dict[str, Any]:
    names = ("cables", "total_m", "mean_m", "longest_m", "inside", "optical", "cabinets", "rows", "columns")
    return {"inside_cabinets" if name == "inside" else name: getattr(cables, name) for name in names}


def _cost_figures(cables: "Cabling") -> dict[str, Any]:
    parts = {"switches": cables.switch_cost, "cables": cables.cable_cost, "ports": cables.ports}
    return {"total": cables.cost, **parts, "unit": "$"}
