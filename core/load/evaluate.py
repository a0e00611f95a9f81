"""Evaluates a built scenario: the load of every link, the throughput and the bottleneck.

Time for one unit: ``t = max over classes of max_load / gbs``, summed over phases (Chakaravarthy et al., "Mapping
Strategies for the PERCS Architecture", 2012, section 3).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.load.cut import DisconnectedFlows, cut_flows
from core.load.largest import largest
from core.load.phases import Loads, Phases, PhaseSums
from core.load.rate import seconds, throughput, volume_per_node
from core.load.scenario import Case
from core.network.network import LinkClass
from core.routing import FaultyRouter, PlanNote, Router
from core.spec import Progress, no_progress, subprogress

TOLERANCE = 1e-9
"""Relative difference below which two loads count as equal (another order of summing changes last digits)."""

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
    mean_load: float
    sum_load: float
    throughput_gbs: float | None
    """What this class alone would allow, GB/s per node; None if it carries nothing."""


@dataclass(frozen=True, slots=True)
class ClassLoad(ClassFigures):
    """The loads of a link class."""

    name: str


@dataclass(frozen=True, eq=False)
class LoadReport:
    """Loads of every link and what follows from them."""

    case: Case
    phases: Phases
    """The loads of each phase, evaluated when they are asked for."""
    load: Loads
    """The load of every link over all phases, shape ``(links,)``, in units of volume."""
    busy: NDArray[np.float64]
    """Seconds that the busiest link of each class needs in each phase, shape ``(phases, classes)``."""
    sent: NDArray[np.float64] | None = None
    """The load of all links of each class in each phase, shape ``(phases, classes)``; None: not summed up."""
    notes: tuple[PlanNote, ...] = ()
    """Of the phases' routing plans; empty where nothing is planned."""
    cut: DisconnectedFlows = field(default_factory=DisconnectedFlows)
    """Flows that failed links disconnect: they load nothing, and all figures are of the others."""

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
        return _utilisation(self.load, self.case.gbs, self.time or 1.0)

    @property
    def highest(self) -> float:
        """Return the largest load of a link in any phase, but for rounding; with slow links it may be less."""
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
        both = zip(self.case.network.classes, self.class_times, strict=True)
        return tuple(self._class_load(link_class, time) for link_class, time in both)

    def _class_load(self, link_class: LinkClass, time: float) -> ClassLoad:
        load = self.load[link_class.links]
        highest = float(load.max(initial=0.0))
        return ClassLoad(
            name=link_class.name,
            links=link_class.real,
            gbs=link_class.gbs,
            max_load=highest,
            mean_load=float(load.mean()) if load.size else 0.0,
            sum_load=float(load.sum()) * link_class.multiplicity,
            throughput_gbs=self.throughput(time),
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
        """Return the links as hot as the hottest."""
        hottest = self.utilisation.max(initial=0.0)
        return np.flatnonzero(self.utilisation >= hottest * (1 - TOLERANCE)) if hottest > 0 else np.zeros(0, np.intp)

    def hottest(self, count: int) -> NDArray[np.intp]:
        """Return the `count` hottest links, hottest first; equal ones by number."""
        chosen = largest(self.utilisation, count)
        return chosen[np.lexsort((chosen, -np.round(self.utilisation[chosen], 9)))]

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


def evaluate(case: Case, progress: Progress = no_progress) -> LoadReport:
    """Return the loads of every link, and which flows are cut.

    Raises Cancelled: when `progress` does.
    """
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
