"""Evaluates a built scenario: the load of every link, the throughput and the bottleneck.

Time for one unit: ``t = max over classes of max_load / gbs``, summed over phases (Chakaravarthy et al., "Mapping
Strategies for the PERCS Architecture", 2012, section 3).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from core.kernels import kernel
from core.load.cut import DisconnectedFlows, cut_flows
from core.load.largest import largest
from core.load.phases import Loads, Phases, PhaseSums, busiest, neighbours_loads, neighbours_sums, pressing
from core.load.rate import seconds, throughput, volume_per_node
from core.load.scenario import Case
from core.network.network import LinkClass
from core.routing import FaultyRouter, PlanNote, Router
from core.spec import Progress, no_progress, subprogress

TOLERANCE = 1e-9
"""Relative difference below which two loads count as equal (another order of summing changes last digits)."""

BESIDE = 0.5
"""Fraction of the progress for the jobs beside, where there are some."""
LOOKING = 0.3
"""Fraction of the progress for finding disconnected flows, where links have failed."""


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """The links of one class and what they carry, in units of the job's volume."""

    links: int
    """Directed links."""
    gbs: float
    """Bandwidth of each, GB/s."""
    max_load: float
    """Of the links that the job uses."""
    mean_load: float
    sum_load: float
    throughput_gbs: float | None
    """What this class alone would allow, GB/s per node; None if it carries nothing."""
    own_load: float | UnsetType = UNSET
    """Of `sum_load` the job's own part, where others run beside it."""


@dataclass(frozen=True, slots=True)
class ClassLoad(ClassFigures):
    """The loads of a link class."""

    name: str = field(kw_only=True)


class Maxima(NamedTuple):
    """The largest loads, of links that the job uses."""

    loads: tuple[float, ...]
    """The largest of each class, in the network's order."""
    links: NDArray[np.intp]
    """As hot as the hottest, ascending."""


@dataclass(frozen=True, eq=False)
class LoadReport:
    """Loads of every link and what follows from them."""

    case: Case
    phases: Phases
    """The loads of each phase, evaluated when they are asked for."""
    load: Loads
    """The job's own load of every link over all phases, shape ``(links,)``, in units of volume."""
    busy: NDArray[np.float64]
    """Seconds that the busiest link of each class needs in each phase, shape ``(phases, classes)``."""
    sent: NDArray[np.float64] | None = None
    """The load of all links of each class in each phase, shape ``(phases, classes)``; None: not summed up."""
    notes: tuple[PlanNote, ...] = ()
    """Of the phases' routing plans; empty where nothing is planned."""
    cut: DisconnectedFlows = field(default_factory=DisconnectedFlows)
    """Flows that failed links disconnect: they load nothing, and all figures are of the others."""
    maxima: Maxima | None = None
    """Where they are known; None: they are looked for when they are asked for."""

    def router(self, phase: int) -> Router:
        """Return the router of a phase, as it is planned for it if it plans."""
        return self.phases.router(phase)

    @cached_property
    def plan_words(self) -> str:
        """Return the note of the slowest phase's routing plan; empty where nothing is planned."""
        if not self.notes:
            return ""
        if len(self.notes) == 1:
            return self.notes[0].words
        return f"slowest phase: {self.notes[int(self.busy.max(axis=1).argmax())].words}"

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
        """Return what the jobs beside put on every link, shape ``(links,)``; of size 0: there are none."""
        return neighbours_loads(self.case)

    @cached_property
    def whole(self) -> Loads:
        """Return the load of every link by all jobs, shape ``(links,)``."""
        return self.load + self.others if self.others.size else self.load

    @cached_property
    def time_alone(self) -> float:
        """Return t as it would be without the jobs beside."""
        if not self.others.size:
            return self.time
        runs = self.case.job.runs
        alone = [max(busiest(self.case, self.phases[run.first]), default=0.0) for run in runs]
        return added(np.array(alone)[self.case.job.run_of])

    @property
    def slowdown(self) -> float:
        """Return how many times longer the job takes with the jobs beside than alone; 1 where nothing is loaded."""
        return self.time / self.time_alone if self.time_alone > 0 else 1.0

    @property
    def highest(self) -> float:
        """Return the largest own load of a link in any phase, but for rounding; with slow links it may be less.

        With jobs beside, the largest over all phases, which is no less.
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
        """Return t where that is a time by itself, of traced flows (`core.load.rate`), else None."""
        return seconds(self.case, self.time)

    def throughput(self, time: float) -> float | None:
        """Return the throughput per node that a time of `time` for one unit means."""
        return throughput(self.case, time, self.cut.flowing)

    @property
    def volume_per_node(self) -> float:
        """Return what, over t, is the throughput per node: see `core.load.rate`."""
        return volume_per_node(self.case, self.cut.flowing)

    @cached_property
    def class_times(self) -> tuple[float, ...]:
        """Return what t would be if the links of one class alone counted, in the network's order."""
        # With several phases a class alone would need its own maximum in each.
        return tuple(map(added, self.busy.T))

    @cached_property
    def classes(self) -> tuple[ClassLoad, ...]:
        """Return the figures of every link class."""
        known, highest = self.case.network.classes, self.maxima.loads if self.maxima is not None else self._max_loads
        return tuple(map(self._class_load, known, highest, neighbours_sums(self.case), self.class_times))

    @property
    def _max_loads(self) -> list[float]:
        used = pressing(self.load, self.others)
        return [float(used[c.links].max(initial=0.0)) for c in self.case.network.classes]

    def _class_load(self, link_class: LinkClass, highest: float, others: float, time: float) -> ClassLoad:
        own = float(self.load[link_class.links].sum())
        return ClassLoad(
            name=link_class.name,
            links=link_class.real,
            gbs=link_class.gbs,
            max_load=highest,
            mean_load=(own + others) / link_class.count if link_class.count else 0.0,
            sum_load=(own + others) * link_class.multiplicity,
            throughput_gbs=self.throughput(time),
            own_load=own * link_class.multiplicity if self.others.size else UNSET,
        )

    @property
    def bottleneck(self) -> str | None:
        """Return the class with the least throughput; None if no link carries anything."""
        loaded = [c for c in self.classes if c.throughput_gbs is not None]
        return min(loaded, key=lambda c: c.throughput_gbs or 0.0).name if loaded else None

    @cached_property
    def limiting(self) -> tuple[str, ...]:
        """Return the classes that allow no more than the bottleneck, ties included, in the network's order."""
        longest = max(self.class_times, default=0.0)
        both = zip(self.case.network.classes, self.class_times, strict=True)
        return tuple(c.name for c, time in both if time > 0 and time >= longest / (1 + TOLERANCE))

    @property
    def verdict(self) -> str:
        """Return ``LR limits``, ``X and Y limit``, or that nothing is loaded; and what is cut."""
        return f"{self.limit}, but {self.cut.brief}" if self.cut else self.limit

    @property
    def limit(self) -> str:
        """Return ``LR limits``, ``X and Y limit``, or that nothing is loaded."""
        if not self.limiting:
            return "no link carries anything"
        *others, last = self.limiting
        return f"{', '.join(others)} and {last} limit" if others else f"{last} limits"

    @cached_property
    def bottleneck_links(self) -> NDArray[np.intp]:
        """Return the links as hot as the hottest, of those that the job uses."""
        if self.maxima is not None:
            return self.maxima.links
        hottest = self.utilisation.max(initial=0.0, where=self.load > 0)
        return self.used_from(float(hottest) * (1 - TOLERANCE))

    def hottest(self, count: int) -> NDArray[np.intp]:
        """Return the `count` hottest links that the job uses, hottest first; equal ones by number."""
        chosen = largest(self.utilisation, count, self.load)
        own = np.where(self.load[chosen] > 0, self.utilisation[chosen], 0.0)
        return chosen[np.lexsort((chosen, -np.round(own, 9)))]

    def used_from(self, utilisation: float) -> NDArray[np.intp]:
        """Return the links that the job uses with at least a utilisation, ascending; others' need not be waited for."""
        links = np.flatnonzero(self.utilisation >= utilisation)
        return links[self.load[links] > 0]

    def congruence(self) -> list[tuple[int, int, float, float]]:
        """Return (class, links, mean load, max load) of every congruence class, if the network has such."""
        group = self.case.network.spec.congruence(self.case.network)
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
    """Return the sum of times, added up as phases are timed: one after the other, to the last digit."""
    return float(sum(seconds.tolist()))


@kernel
def _utilisation(load: Loads, gbs: Loads, time: float) -> Loads:
    found = np.empty_like(load)
    for link in range(load.size):
        # A failed link has no bandwidth, and carries nothing.
        found[link] = load[link] / (gbs[link] if gbs[link] > 0.0 else 1.0) / time
    return found


@kernel
def _shared(own: Loads, others: Loads, gbs: Loads, time: float) -> Loads:
    # The same beside others; in one go, as edits wait for it.
    found = np.empty_like(own)
    for link in range(own.size):
        found[link] = (own[link] + others[link]) / (gbs[link] if gbs[link] > 0.0 else 1.0) / time
    return found


def evaluate(case: Case, progress: Progress = no_progress) -> LoadReport:
    """Return the loads of every link, and which flows are cut; the neighbours' loads are found first.

    Raises Cancelled: when `progress` does.
    """
    if case.neighbours.cases:
        neighbours_loads(case, subprogress(progress, 0, BESIDE))
        progress = subprogress(progress, BESIDE, 1)
    if not isinstance(case.router, FaultyRouter):
        return _report(case, progress)
    report = _report(case, subprogress(progress, 0, 1 - LOOKING))
    return replace(report, cut=cut_flows(case, subprogress(progress, 1 - LOOKING, 1)))


def _report(case: Case, progress: Progress) -> LoadReport:
    sums, phases, notes, runs = PhaseSums(case), Phases(case), [], case.job.runs
    for done, run in enumerate(runs):
        loads, router = phases.at(run.first, subprogress(progress, done, done + 1, len(runs)))
        sums.add(loads)
        notes.append(router.note)
    planned = tuple(note for run in case.job.run_of if (note := notes[run]) is not None)
    return LoadReport(case, phases, sums.load, sums.busy, sums.sent, planned)
