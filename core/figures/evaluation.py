"""Figures of an evaluated scenario, as printed by `evaluate --json`."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from core.figure import RATE, VOLUME, Alias, Figure
from core.figures.computing import computed
from core.figures.notes import notes_of
from core.figures.predictions import predictions
from core.figures.result import Result
from core.job.measure import UNITS, Measure
from core.load.bounds import Bound, bounds, gap
from core.load.evaluate import ClassFigures, ClassLoad, LoadReport
from core.load.job_reports import job_reports, slowed_by
from core.load.phases import Loads
from core.load.scenario import Case
from core.timing.messages import message_count, total

IDLE = 1e-12
"""Share of the hottest link's utilisation up to which a link counts as idle."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The source of the figures of an evaluation, each computed on demand."""

    report: LoadReport
    known_bounds: tuple[Bound, ...] | None = None
    """Bounds on the whole job, strongest first; None to compute them on demand."""
    whole_job: LoadReport | None = None
    """The report of the whole job, if `report` is of one of its steps."""

    @property
    def job_report(self) -> LoadReport:
        """Return the report of the whole job."""
        return self.whole_job or self.report

    @property
    def case(self) -> Case:
        """Return the scenario as built."""
        return self.job_report.case

    @property
    def measure(self) -> Measure:
        """Return the measure of volumes."""
        return self.case.job.measure

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Return the bounds on the whole job, strongest first."""
        return bounds(self.case, self.job_report) if self.known_bounds is None else self.known_bounds

    @cached_property
    def messages(self) -> tuple[int, float]:
        """Return the number of messages of `report`, and the sum of the links that they cross."""
        return total(self.report)

    @property
    def utilisation(self) -> Loads:
        """Return the utilisation of every link."""
        return self.report.utilisation

    @property
    def idle_links(self) -> int:
        """Return the number of links that carry nothing."""
        return int(np.count_nonzero(self.utilisation <= IDLE))


class JobFigures(Struct, frozen=True):
    """Performance of one of the jobs on a machine."""

    name: Annotated[str, Figure("Name", "", "name of the job")]
    tasks: Annotated[int, Figure("Tasks", "", "tasks of the job")]
    nodes: Annotated[int, Figure("Nodes", "", "nodes that host tasks of the job")]
    throughput_gbs: Annotated[
        float | None, Figure("Throughput", RATE, "throughput of the job; none if all links are idle", better="high")
    ]
    time_per_unit: Annotated[
        float | None, Figure("Time per unit", "s", "time for a unit of 1 GB; none for message counts", better="low")
    ]
    time_alone: Annotated[float | None, Figure("Time alone", "s", "time per unit without other jobs", better="low")]
    slowdown: Annotated[float, Figure("Slowdown", "", "time per unit divided by the time alone", better="low")]
    slows: Annotated[
        float | UnsetType,
        Figure("Slowdown of job 1", "", "slowdown of the first job with only this background job", better="low"),
    ] = UNSET


class Evaluation(Result, Struct, frozen=True, kw_only=True):
    """Performance of a job on a network."""

    throughput_gbs: Annotated[
        float | None,
        Figure(
            "Throughput", RATE, "throughput per node; none if all links are idle",
            lambda e: e.report.throughput_gbs, better="high", placed=True, ticked=True, column="throughput_gbs",
        ),
    ]  # fmt: skip
    bottleneck: Annotated[
        str | None,
        Figure(
            "Bottleneck", "", "link class that limits the throughput, the first if there are several",
            lambda e: e.report.bottleneck, placed=True, ticked=True,
        ),
    ]  # fmt: skip
    limiting: Annotated[
        str | None,
        Figure(
            "Limiting classes",
            "",
            "names of all link classes that limit the throughput",
            lambda e: _limiting(e),
            placed=True,
        ),
    ]
    time_per_unit: Annotated[
        float | None,
        Figure(
            "Time per unit", "s", "time for a unit of 1 GB, or for all traced flows; none for message counts",
            lambda e: e.measure.seconds(e.report.time), also=(Alias("time_ms", 1e3),), better="low",
            placed=True, ticked=True, column="time",
        ),
    ]  # fmt: skip
    links: Annotated[int, Figure("Links", "", "directed links", lambda e: e.case.network.real_links, placed=True)]
    classes: Annotated[
        dict[str, ClassFigures],
        Figure("Link classes", "", "figures of each link class", lambda e: class_figures(e.report), placed=True),
    ]
    phases: Annotated[int, Figure("Phases", "", "phases of the job", lambda e: len(e.job_report.phases), placed=True)]
    tasks: Annotated[int, Figure("Tasks", "", "tasks of the job", lambda e: e.case.job.tasks, placed=True)]
    nodes: Annotated[int, Figure("Nodes", "", "nodes of the network", lambda e: e.case.network.real_nodes, placed=True)]
    bound_gbs: Annotated[
        float | None,
        Figure(
            "Upper bound", RATE, "upper bound of the throughput of any mapping; none if unknown", lambda e: _bound(e),
            better="high", placed=True, ticked=True,
        ),
    ]  # fmt: skip
    percent_of_bound: Annotated[
        float | None,
        Figure(
            "Share of upper bound", "%", "throughput as a share of the upper bound", lambda e: _reached(e),
            better="high", placed=True, ticked=True,
        ),
    ]  # fmt: skip
    messages: Annotated[
        int, Figure("Messages", "", "messages between different tasks", lambda e: message_count(e.case))
    ]
    hops: Annotated[
        float,
        Figure(
            "Hops",
            "",
            "links crossed by all messages, in total",
            lambda e: e.messages[1],
            better="low",
            slow=True,
            ticked=True,
        ),
    ]
    mean_hops: Annotated[
        float | None,
        Figure("Mean hops", "", "links crossed by a message on average", lambda e: _mean_hops(e), better="low",
               slow=True, ticked=True),
    ]  # fmt: skip
    hottest_links: Annotated[
        int,
        Figure(
            "Hottest links",
            "",
            "number of links with the highest utilisation",
            lambda e: int(e.report.bottleneck_links.size),
        ),
    ]
    idle_links: Annotated[int, Figure("Idle links", "", "links without load", lambda e: e.idle_links)]
    idle_percent: Annotated[
        float,
        Figure(
            "Share of idle links", "%", "links without load as a share of all links",
            lambda e: 100 * e.idle_links / max(e.utilisation.size, 1), ticked=True,
        ),
    ]  # fmt: skip
    mean_percent: Annotated[
        float,
        Figure(
            "Mean utilisation", "%", "mean utilisation of all links, relative to the hottest link",
            lambda e: 100 * float(e.utilisation.mean()),
        ),
    ]  # fmt: skip
    notes: Annotated[
        list[str],
        Figure("Notes", "", "warnings of files, faults and disconnected flows", lambda e: notes_of(e.job_report),
               placed=True),
    ]  # fmt: skip
    jobs: Annotated[
        list[JobFigures],
        Figure("Jobs", "", "the job, followed by the background jobs", lambda e: jobs_of(e.job_report), placed=True),
    ]
    routing_bound_gbs: Annotated[
        float | UnsetType,
        Figure(
            "Routing bound", RATE, "upper bound of the throughput of any routing with this mapping, if it was planned",
            lambda e: _routing_bound(e.report), better="high",
        ),
    ] = UNSET  # fmt: skip
    predicted_gbs: Annotated[
        float | UnsetType,
        Figure("Predicted throughput", RATE, "throughput by the published formula, if there is one",
               lambda e: _predicted(e)),
    ] = UNSET  # fmt: skip
    plans: Annotated[
        list[dict[str, Any] | None] | UnsetType,
        Figure("Plans", "", "figures of the plan of each phase, if the routing plans",
               lambda e: _plans(e.job_report), placed=True),
    ] = UNSET  # fmt: skip
    cut_flows: Annotated[
        int | UnsetType,
        Figure("Disconnected flows", "", "flows without a path, if any",
               lambda e: e.job_report.disconnected.count or UNSET, better="low", placed=True),
    ] = UNSET  # fmt: skip
    cut_volume: Annotated[
        float | UnsetType,
        Figure("Disconnected volume", VOLUME, "volume of the disconnected flows",
               lambda e: _cut_volume(e.job_report), better="low", placed=True),
    ] = UNSET  # fmt: skip
    faulty: Annotated[
        str | UnsetType,
        Figure("Faulty components", "", "names of failed and slow components, at most 3",
               lambda e: UNSET if e.case.faults is None else e.case.faults.names(), placed=True),
    ] = UNSET  # fmt: skip
    unit: Annotated[
        str | UnsetType,
        Figure("Unit", "", "unit of loads and volumes of traced flows", lambda e: unit_of(e.job_report),
               placed=True),
    ] = UNSET  # fmt: skip


def evaluation_of(report: LoadReport, lower_bounds: tuple[Bound, ...]) -> Evaluation:
    """Return the figures of a report, given its bounds, strongest first."""
    return Evaluation(**computed(Evaluation, Evaluated(report, lower_bounds)))


def unit_of(report: LoadReport) -> str | UnsetType:
    """Return the unit of loads, if not units of a pattern."""
    measure = report.case.job.measure
    return UNSET if measure == UNITS else measure.many


def class_figures(report: LoadReport) -> dict[str, ClassFigures]:
    """Return the figures of each link class by name, with loads in the job's measure."""
    return {c.name: _in_measure(c, report.case.job.measure) for c in report.classes}


def _in_measure(load: ClassLoad, measure: Measure) -> ClassFigures:
    # Convert loads, so that bytes are given as bytes, as in files and texts.
    highest, mean, total_load = map(measure.converted, (load.max_load, load.mean_load, load.sum_load))
    own = UNSET if isinstance(load.own_load, UnsetType) else measure.converted(load.own_load)
    return ClassFigures(
        load.links, load.gbs, highest, mean, total_load, load.throughput_gbs, load.percent, load.mean_percent, own
    )


def jobs_of(report: LoadReport) -> list[JobFigures]:
    """Return the figures of the job and of the background jobs."""
    return [_job_figures(report, number, *job) for number, job in enumerate(job_reports(report))]


def _job_figures(report: LoadReport, number: int, name: str, own: LoadReport) -> JobFigures:
    case, slows = own.case, slowed_by(report, number - 1) if number else UNSET
    seconds = case.job.measure.seconds
    figures = own.throughput_gbs, seconds(own.time), seconds(own.time_alone), own.slowdown, slows
    return JobFigures(name, case.job.tasks, case.used_nodes, *figures)


def _limiting(evaluated: Evaluated) -> str | None:
    *others, last = evaluated.report.limiting or ("",)
    return (f"{', '.join(others)} and {last}" if others else last) or None


def _bound(evaluated: Evaluated) -> float | None:
    return evaluated.job_report.throughput(evaluated.bounds[0].time) if evaluated.bounds else None


def _reached(evaluated: Evaluated) -> float | None:
    distance = gap(evaluated.bounds, evaluated.job_report.time)
    return None if distance is None else 100 * distance.reached


def _mean_hops(evaluated: Evaluated) -> float | None:
    messages, hops = evaluated.messages
    return hops / messages if messages else None


def _routing_bound(report: LoadReport) -> float | UnsetType:
    # Phases run one after the other, so the lower bounds on their times add up.
    if not any(report.notes) or any(note is not None and "bound" not in note.figures for note in report.notes):
        return UNSET
    times = report.busy.max(axis=1, initial=0.0).tolist()
    # A phase without a plan has no choice of paths, so its time is its own bound.
    least = sum(time if note is None else note.figures["bound"] for note, time in zip(report.notes, times, strict=True))
    most = report.throughput(least)
    return UNSET if most is None else most


def _predicted(evaluated: Evaluated) -> float | UnsetType:
    return min((prediction.gbs for prediction in predictions(evaluated.case)), default=UNSET)


def _plans(report: LoadReport) -> list[dict[str, Any] | None] | UnsetType:
    return [None if note is None else note.figures for note in report.notes] or UNSET


def _cut_volume(report: LoadReport) -> float | UnsetType:
    cut = report.disconnected
    return report.case.job.measure.converted(cut.volume) if cut.count else UNSET
