"""Evaluates a built scenario: the load of every link, the throughput and the bottleneck.

Time for one unit: ``t = max over classes of max_load / gbs``, summed over phases (Chakaravarthy et al., "Mapping
Strategies for the PERCS Architecture", 2012, section 3).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from core.figure import RATE, VOLUME, Alias, Figure
from core.kernels import kernel
from core.load.disconnected import DisconnectedFlows, find_disconnected
from core.load.k_largest import k_largest
from core.load.phases import Loads, Phases, PhaseSums, busiest, neighbours_loads, neighbours_sums, pressing
from core.load.rate import seconds, throughput, volume_per_node
from core.load.scenario import Case
from core.network.network import LinkClass
from core.routing import FaultyRouter, PlanNote, Router
from core.spec import Progress, no_progress, subprogress
from core.text import links_of

TOLERANCE = 1e-9
"""Relative difference below which loads count as equal: the order of summation changes last digits."""

BACKGROUND_PART = 0.5
"""Fraction of the progress for the background jobs, if there are any."""
DISCONNECTED_PART = 0.3
"""Fraction of the progress for finding disconnected flows, if there may be any."""


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """A link class and its loads, in units of the job's volume."""

    links: Annotated[int, Figure("Links", "", "directed links of the class")]
    gbs: Annotated[float, Figure("Bandwidth", "GB/s per direction", "bandwidth of each link")]
    max_load: Annotated[
        float,
        Figure(
            "Largest load", VOLUME, "largest load of a link that the job uses",
            also=(Alias("CLASS_max_load", in_volumes=True),), better="low",
        ),
    ]  # fmt: skip
    mean_load: Annotated[
        float,
        Figure(
            "Mean load",
            VOLUME,
            "mean load of all its links",
            also=(Alias("CLASS_mean_load", in_volumes=True),),
            better="low",
        ),
    ]
    sum_load: Annotated[float, Figure("Total load", VOLUME, "sum of the loads of all its links", better="low")]
    throughput_gbs: Annotated[
        float | None,
        Figure(
            "Limit of this class", RATE, "throughput if no other class limited it; none if all its links are idle",
            also=(Alias("CLASS_gbs"),), better="high",
        ),
    ]  # fmt: skip
    percent: Annotated[
        float,
        Figure(
            "Utilisation", "%", "utilisation of its hottest link, relative to the hottest of all links",
            also=(Alias("CLASS_percent"),),
        ),
    ]  # fmt: skip
    mean_percent: Annotated[
        float,
        Figure(
            "Mean utilisation", "%", "mean utilisation of its links, relative to the hottest of all links",
            also=(Alias("CLASS_mean_percent"),),
        ),
    ]  # fmt: skip
    own_load: Annotated[
        float | UnsetType,
        Figure("Own load", VOLUME, "total load by the job itself, if there are background jobs"),
    ] = UNSET


@dataclass(frozen=True, slots=True)
class ClassLoad(ClassFigures):
    """The loads of a link class."""

    name: str = field(kw_only=True)


class Maxima(NamedTuple):
    """The largest loads of the links that the job uses."""

    loads: tuple[float, ...]
    """Largest load of each class, in the network's order."""
    links: NDArray[np.intp]
    """Links as hot as the hottest, ascending."""


@dataclass(frozen=True, eq=False)
class LoadReport:
    """Loads of every link, and figures derived from them."""

    case: Case
    phases: Phases
    """Loads of each phase, evaluated on demand."""
    load: Loads
    """The job's own load of every link over all phases, shape ``(links,)``, in units of volume."""
    busy: NDArray[np.float64]
    """Seconds that the busiest link of each class needs in each phase, shape ``(phases, classes)``."""
    sent: NDArray[np.float64] | None = None
    """Load of each class in each phase, shape ``(phases, classes)``; None if not computed."""
    notes: tuple[PlanNote | None, ...] = ()
    """Remark on the plan of each phase, None where nothing is planned; empty without a planning scheme."""
    disconnected: DisconnectedFlows = field(default_factory=DisconnectedFlows)
    """Flows without a path: they load nothing, and all figures are of the other flows."""
    maxima: Maxima | None = None
    """The maxima if known; None to compute them on demand."""

    def router(self, phase: int) -> Router:
        """Return the router of a phase, as planned for it."""
        return self.phases.router(phase)

    @cached_property
    def plan_words(self) -> str:
        """Return the remark on the slowest phase's plan; empty if nothing is planned there."""
        note = self.notes[int(self.busy.max(axis=1, initial=0.0).argmax())] if self.notes else None
        if note is None:
            return ""
        return note.words if len(self.notes) == 1 else f"slowest phase: {note.words}"

    @cached_property
    def time(self) -> float:
        """Return t: seconds for each task's unit if a unit is 1 GB."""
        return added(self.busy.max(axis=1, initial=0.0))

    @cached_property
    def utilisation(self) -> Loads:
        """Return the utilisation of every link, shape ``(links,)``: its time over t (1 = bottleneck)."""
        if self.others.size:
            return _shared(self.load, self.others, self.case.gbs, self.time or 1.0)
        return _utilisation(self.load, self.case.gbs, self.time or 1.0)

    @property
    def others(self) -> Loads:
        """Return the background load of every link, shape ``(links,)``; of size 0 without background jobs."""
        return neighbours_loads(self.case)

    @cached_property
    def total_load(self) -> Loads:
        """Return the load of every link from all jobs, shape ``(links,)``."""
        return self.load + self.others if self.others.size else self.load

    @cached_property
    def time_alone(self) -> float:
        """Return t without the background jobs."""
        if not self.others.size:
            return self.time
        runs = self.case.job.runs
        alone = [max(busiest(self.case, self.phases[run.first]), default=0.0) for run in runs]
        return added(np.array(alone)[self.case.job.run_of])

    @property
    def slowdown(self) -> float:
        """Return `time` over `time_alone`; 1 if nothing is loaded."""
        return self.time / self.time_alone if self.time_alone > 0 else 1.0

    @property
    def highest(self) -> float:
        """Return the largest own load of a link in any phase, approximately; with slow links perhaps less.

        With background jobs, the largest over all phases, which is at least as large.
        """
        if self.others.size:
            return float(self.load.max(initial=0.0))
        return float((self.busy * [c.gbs for c in self.case.network.classes]).max(initial=0.0))

    @property
    def throughput_gbs(self) -> float | None:
        """Return the throughput per node, GB/s; None if no link carries anything."""
        return self.throughput(self.time)

    @property
    def seconds(self) -> float | None:
        """Return t if it is a time by itself, as for traced flows (`core.load.rate`), else None."""
        return seconds(self.case, self.time)

    def throughput(self, time: float) -> float | None:
        """Return the throughput per node for a time of one unit."""
        return throughput(self.case, time, self.disconnected.flowing)

    @property
    def volume_per_node(self) -> float:
        """Return the volume that, divided by t, gives the throughput per node: see `core.load.rate`."""
        return volume_per_node(self.case, self.disconnected.flowing)

    @cached_property
    def class_times(self) -> tuple[float, ...]:
        """Return the value of t if only one class mattered, for each class, in the network's order."""
        # With several phases, a class has its own maximum in each.
        return tuple(map(added, self.busy.T))

    @cached_property
    def classes(self) -> tuple[ClassLoad, ...]:
        """Return the figures of every link class."""
        classes_in_order, highest = (
            self.case.network.classes,
            self.maxima.loads if self.maxima is not None else self._max_loads,
        )
        return tuple(map(self._class_load, classes_in_order, highest, neighbours_sums(self.case), self.class_times))

    @property
    def _max_loads(self) -> list[float]:
        used = pressing(self.load, self.others)
        return [float(used[c.links].max(initial=0.0)) for c in self.case.network.classes]

    def _class_load(self, link_class: LinkClass, highest: float, others: float, time: float) -> ClassLoad:
        own = float(self.load[link_class.links].sum())
        mean = (own + others) / link_class.count if link_class.count else 0.0
        return ClassLoad(
            name=link_class.name,
            links=link_class.real,
            gbs=link_class.gbs,
            max_load=highest,
            mean_load=mean,
            sum_load=(own + others) * link_class.multiplicity,
            throughput_gbs=self.throughput(time),
            percent=self._percent(highest, link_class),
            mean_percent=self._percent(mean, link_class),
            own_load=own * link_class.multiplicity if self.others.size else UNSET,
        )

    def _percent(self, load: float, link_class: LinkClass) -> float:
        return 100 * load / link_class.gbs / self.time if self.time > 0 else 0.0

    @property
    def bottleneck(self) -> str | None:
        """Return the class of least throughput; None if no link carries anything."""
        loaded = [c for c in self.classes if c.throughput_gbs is not None]
        return min(loaded, key=lambda c: c.throughput_gbs or 0.0).name if loaded else None

    @cached_property
    def limiting(self) -> tuple[str, ...]:
        """Return the classes with the least throughput, ties included, in the network's order."""
        longest = max(self.class_times, default=0.0)
        both = zip(self.case.network.classes, self.class_times, strict=True)
        return tuple(c.name for c, time in both if time > 0 and time >= longest / (1 + TOLERANCE))

    @property
    def verdict(self) -> str:
        """Return ``limited by LR links``, or that no link carries anything; and the disconnected flows."""
        return f"{self.limit}, but {self.disconnected.brief}" if self.disconnected else self.limit

    @property
    def limit(self) -> str:
        """Return ``limited by LR links``, ``limited by X and Y links``, or that no link carries anything."""
        return f"limited by {links_of(*self.limiting)}" if self.limiting else "no link carries anything"

    @cached_property
    def bottleneck_links(self) -> NDArray[np.intp]:
        """Return the links used by the job that are as hot as its hottest."""
        if self.maxima is not None:
            return self.maxima.links
        hottest = self.utilisation.max(initial=0.0, where=self.load > 0)
        return self.used_from(float(hottest) * (1 - TOLERANCE))

    def hottest(self, count: int, among: slice = slice(None)) -> NDArray[np.intp]:
        """Return the `count` hottest of some links that the job uses, hottest first (ties by number)."""
        chosen = k_largest(self.utilisation[among], count, self.load[among]) + (among.start or 0)
        own = np.where(self.load[chosen] > 0, self.utilisation[chosen], 0.0)
        return chosen[np.lexsort((chosen, -np.round(own, 9)))]

    def prepare(self) -> None:
        """Compute what views read first, and compile the kernels they call, off the GUI thread."""
        _ = self.utilisation, self.classes, self.bottleneck_links, self.slowdown, self.hottest(1)

    def used_from(self, utilisation: float) -> NDArray[np.intp]:
        """Return the links used by the job with at least some utilisation, ascending, without waiting for others."""
        links = np.flatnonzero(self.utilisation >= utilisation)
        return links[self.load[links] > 0]

    def congruence(self) -> list[tuple[int, int, float, float]]:
        """Return (class, links, mean load, max load) of every congruence class, if the network has classes."""
        network = self.case.network
        group = network.spec.congruence(network) if network.plain is None else None
        if group is None:
            return []
        member = np.flatnonzero(group >= 0)
        order = member[np.argsort(group[member], kind="stable")]
        names, first = np.unique(group[order], return_index=True)
        counts = np.diff(np.append(first, order.size))
        total = np.add.reduceat(self.load[order], first) if order.size else np.zeros(0)
        highest = np.maximum.reduceat(self.load[order], first) if order.size else np.zeros(0)
        return [
            (int(n), int(c), float(s / c), float(h)) for n, c, s, h in zip(names, counts, total, highest, strict=True)
        ]


def added(seconds: NDArray[np.float64]) -> float:
    """Return the sum of times, added in order of phases, so that results are bit-identical."""
    return float(sum(seconds.tolist()))


@kernel
def _utilisation(load: Loads, gbs: Loads, time: float) -> Loads:
    utilisation = np.empty_like(load)
    for link in range(load.size):
        # A failed link has no bandwidth and carries nothing.
        utilisation[link] = load[link] / (gbs[link] if gbs[link] > 0.0 else 1.0) / time
    return utilisation


@kernel
def _shared(own: Loads, others: Loads, gbs: Loads, time: float) -> Loads:
    # The same with background jobs; in one go, as edits wait for it.
    utilisation = np.empty_like(own)
    for link in range(own.size):
        utilisation[link] = (own[link] + others[link]) / (gbs[link] if gbs[link] > 0.0 else 1.0) / time
    return utilisation


def evaluate(case: Case, progress: Progress = no_progress) -> LoadReport:
    """Return the loads of every link, and the disconnected flows; background jobs are evaluated first.

    Raises Cancelled: when `progress` does.
    """
    if case.neighbours.cases:
        neighbours_loads(case, subprogress(progress, 0, BACKGROUND_PART))
        progress = subprogress(progress, BACKGROUND_PART, 1)
    if not isinstance(case.router, FaultyRouter):
        return _report(case, progress)
    report = _report(case, subprogress(progress, 0, 1 - DISCONNECTED_PART))
    return replace(report, disconnected=find_disconnected(case, subprogress(progress, 1 - DISCONNECTED_PART, 1)))


def _report(case: Case, progress: Progress) -> LoadReport:
    sums, phases, notes, runs = PhaseSums(case), Phases(case), [], case.job.runs
    for done, run in enumerate(runs):
        loads, router = phases.at(run.first, subprogress(progress, done, done + 1, len(runs)))
        sums.add(loads)
        notes.append(router.note)
    planned = tuple(notes[run] for run in case.job.run_of) if case.router.plans else ()
    return LoadReport(case, phases, sums.load, sums.busy, sums.sent, planned)
