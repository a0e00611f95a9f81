"""Loads under a mapping that changes, updated at the cost of the moved tasks' flows.

Floating-point loads would accumulate rounding errors over additions and subtractions. So loads are fixed-point integers
here (`core.load.fixed_point`), for which both are exact in any order:

- If the job has a quantum and the router splits exactly (PERCS routings and dimension order, with all patterns),
  volumes and all their shares are integer multiples of one unit. The initial loads are rounded to it and nothing
  after them: after any sequence of edits the loads exactly equal a full evaluation.
- Otherwise (traced volumes, adaptive shares, flows around failed links) the unit is the smallest that 62 bits allow. A
  volume or a share is rounded once, by an odd function of that flow's volume alone, so removing a flow subtracts
  exactly what adding it added. The loads depend on the mapping, not on its history; they differ from a full
  evaluation by the rounding of single flows, below 1e-9 of the largest load.
- If volumes differ so much that the small ones would be rounded to 0 in that unit, flows are counted in bands of
  similar volumes (`core.load.fixed_point.bands_of`), each with its own unit. A link's load is the sum over the bands,
  recomputed from the smallest band up whenever one changes. So small flows count in full.

An edit followed by its inverse restores all loads exactly.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Tasks
from core.kernels import kernel
from core.load.class_maxima import NO_FLOATS, ClassMaxima, Links
from core.load.evaluate import TOLERANCE, LoadReport, Maxima, added
from core.load.fixed_point import BandLoads, FixedPointScale, bands_of, scale_of, to_floats, whole_loads
from core.load.live_disconnected import LiveDisconnected
from core.load.moved_flows import STAYS, VolumeChanges, moved_flows
from core.load.phases import Loads, Phases, neighbours_part
from core.load.rate import seconds, throughput
from core.load.scenario import Case, Scenario
from core.mapping.edit import EMPTY, Edit, no_edit, occupants
from core.mapping.mapping import Mapping, Slots
from core.routing.flows import FixedPoint, Nodes, Traced
from core.routing.router import Router

ENTRIES_AT_ONCE = 1 << 21
"""Approximate number of path entries that a router traces at once (25 MB)."""
NOT_FOLLOWED = 1 << 62
"""The cost of an edit that cannot be applied."""
MAX_UNDO_ENTRIES = 1 << 22
"""Path entries stored to undo a preview; if there are more, they are traced again."""
MAX_NUMBERS = 1 << 24
"""Limit of 8-byte numbers stored for all phases, loads and flows (128 MB): beyond it edits are not followed."""
NUMBERS_PER_TASK = 5
"""Numbers stored for a task with one flow in a phase."""
PHASE_UPDATES = 8_000
"""Cost of an edit in every further phase, even if no flow changes there, in link updates that take as long."""


class Outcome(NamedTuple):
    """The figures of a mapping."""

    time: float
    """Seconds for each task's unit if a unit is 1 GB."""
    throughput_gbs: float | None
    """Throughput per node, GB/s; None if no link carries anything."""
    max_loads: tuple[float, ...]
    """The largest load of each link class, in the network's order."""
    hot: int
    """Number of links with the largest time."""
    disconnected: int
    """Number of flows without a path; they load no link, but make a mapping worse than any without them."""
    seconds: float | None = None
    """The time, s, of jobs with known volumes: `LoadReport.seconds`."""
    cut_volume: float = 0.0
    """Volume of the disconnected flows."""


PhaseBand = tuple[int, int]
"""A phase and a band of volumes."""
Watcher = Callable[[int, VolumeChanges], None]
"""Called with a phase and changes of its flows between nodes."""


class PhaseLoads:
    """The loads of one phase, or of all phases, and the largest of each class.

    Parameters
    ----------
    bands
        ``(bands, links)`` fixed-point loads, each band in its own scale.
    others
        ``(links,)`` background load of every link at the same time; of size 0 without background jobs.
    """

    def __init__(self, case: Case, bands: FixedPoint, scales: tuple[FixedPointScale, ...], others: Loads) -> None:
        noise = np.array([scale.noise(band) for scale, band in zip(scales, bands, strict=True)], np.int64)
        self.loads = BandLoads(bands, np.array([1 / scale.per_unit for scale in scales]), noise)
        self._gbs, slow = np.array([c.gbs for c in case.network.classes]), _slowness(case)
        self._weights = ClassMaxima(case.network, self.loads, slow, others)
        """Largest loads, each times the slowdown of its link relative to its class."""
        self._maxima = self._weights if not slow.size else ClassMaxima(case.network, self.loads, others=others)

    def add(self, links: Links, volume: FixedPoint, sign: int, band: int) -> None:
        """Add volumes of a band to links, or subtract them if `sign` is -1; a link may appear more than once."""
        self._weights.add(links, volume, sign, band)
        if self._maxima is not self._weights:
            self._maxima.refresh(links)

    @property
    def time(self) -> float:
        """Return the time of the slowest link."""
        return self.longest(0.0)[0]

    def longest(self, tolerance: float) -> tuple[float, int]:
        """Return the time of the slowest link, and the number of equally slow links, within a relative tolerance."""
        return self._weights.longest(self._gbs, tolerance)

    @property
    def class_times(self) -> NDArray[np.float64]:
        """Return the time of the slowest link of each class."""
        times: NDArray[np.float64] = self._weights.tops / self._gbs
        return times

    @property
    def max_loads(self) -> tuple[float, ...]:
        """Return the largest load of each class."""
        return tuple(self._maxima.tops.tolist())

    def hot_links(self, tolerance: float) -> Links:
        """Return the links as slow as the slowest, within a relative tolerance; ascending."""
        time = self.time
        return self._weights.at_least(time * (1 - tolerance) * self._gbs) if time > 0 else np.zeros(0, np.int32)


class AppliedTraces:
    """The loads that an edit added, to be subtracted on undo."""

    def __init__(self) -> None:
        self.pieces = self.entries = 0
        self.kept: list[tuple[PhaseBand, Traced]] = []
        """Phase, band and entries of every piece, up to `MAX_UNDO_ENTRIES`."""
        self.pairs: list[tuple[PhaseBand, VolumeChanges]] = []
        """The flows of every piece, if there is a `LiveLoads.watcher`."""

    def note(self, where: PhaseBand, traced: Traced) -> None:
        """Record a piece of an edit."""
        self.pieces += 1
        self.entries += traced.links.size
        if self.entries <= MAX_UNDO_ENTRIES:
            self.kept.append((where, traced))


class LiveLoads:
    """Loads under a mapping that changes. Mutable; not thread-safe.

    An edit must start from the current mapping. Its cost grows with the flows of the moved tasks: see `cost`.
    """

    def __init__(self, report: LoadReport) -> None:
        case = report.case
        self._case, self._router = case, case.router
        self._spn = case.network.slots_per_node
        self.follows = self._router.traceable and not self._router.plans and _fits(case)
        """Whether edits can be followed: not for routers that plan for all flows at once, nor with too many loads."""
        self._slots = np.array(case.mapping.slots, np.int32)
        self._node = np.array(case.mapping.nodes, np.int32)
        self._after = np.full(self._slots.size, STAYS, np.int32)
        self._mapping: Mapping | None = case.mapping
        self.occupant = occupants(case.mapping, case.network.slots)
        """(slots,) the task in each slot, or `EMPTY`; read-only."""
        scale = scale_of(case.job, case.router, report.highest)
        scales = bands_of(case.job, case.router, report.highest) if self.follows else (scale,)
        # A phase that runs several times is stored once, with the number of its runs.
        self._times = np.array([run.times for run in case.job.runs])
        self._flows = tuple(
            ((k, band), moved_flows(run.phase, scale))
            for k, run in enumerate(case.job.runs)
            for band, scale in enumerate(scales)
            if self.follows
        )
        followed = _whole_bands(report, scales) if self.follows else ()
        self._phases = tuple(
            PhaseLoads(case, bands, scales, neighbours_part(case, k)) for k, bands in enumerate(followed)
        )
        alone = len(case.job.phases) == 1 and self.follows
        self._sum = (
            self._phases[0] if alone else PhaseLoads(case, self._all_phases(report, scale), scales, report.others)
        )
        self._busy = np.array([phase.class_times for phase in self._phases])
        if not self.follows:
            self._busy = report.busy[[run.first for run in case.job.runs]]
        self._changed = set[int]()
        """Phases whose loads have changed since their row of `_busy` was computed."""
        self.scales = scales
        """(bands,) of the bands; one unless volumes differ by very much."""
        self.watcher: Watcher | None = None
        """Called with every flow that an edit removes or adds, and its phase."""
        self._disconnected = LiveDisconnected(report, scales)
        # Compute path tables and load or compile all kernels here, not during the first pointer move.
        if self.follows:
            self._router.prepare_traces()
        self.preview(no_edit())
        self.apply(no_edit())

    # Queries

    @property
    def mapping(self) -> Mapping:
        """Return a copy of the current mapping."""
        if self._mapping is None:
            slots = self._slots.copy()
            slots.setflags(write=False)
            self._mapping = self._case.mapping.moved(slots)
        return self._mapping

    @property
    def time(self) -> float:
        """Return t: the seconds in which each task sends a unit, if a unit is 1 GB."""
        return added(self._times * self._busy_now().max(axis=1))

    @property
    def busy(self) -> NDArray[np.float64]:
        """Return the time of the slowest link of each class in each phase, s, shape ``(phases, classes)``."""
        return self._busy_now()[self._case.job.run_of]

    def _busy_now(self) -> NDArray[np.float64]:
        for k in self._changed:
            self._busy[k] = self._phases[k].class_times
        self._changed.clear()
        return self._busy

    @property
    def load(self) -> Loads:
        """Return the load of every link over all phases."""
        return to_floats(self._sum.loads)

    def phase(self, number: int) -> Loads:
        """Return the load of every link in a phase, if edits are followed."""
        return to_floats(self.bands(number))

    def bands(self, number: int) -> BandLoads:
        """Return the fixed-point loads of a phase: a view that the next edit changes."""
        loads: BandLoads = self._phases[self._case.job.run_of[number]].loads
        return loads

    @property
    def throughput_gbs(self) -> float | None:
        """Return the throughput per node, GB/s; None if no link carries anything."""
        return self._throughput(self.time)

    def _throughput(self, time: float) -> float | None:
        return throughput(self._case, time, self._disconnected.flowing)

    def hot_links(self, tolerance: float = TOLERANCE) -> Links:
        """Return the links as slow as the slowest, within a relative tolerance; ascending."""
        return self._sum.hot_links(tolerance)

    def outcome(self) -> Outcome:
        """Return the figures of the mapping."""
        longest, hot = self._sum.longest(TOLERANCE)
        time = longest if len(self._case.job.phases) == 1 else self.time
        figures = self._sum.max_loads, hot, self._disconnected.count, seconds(self._case, time)
        return Outcome(time, self._throughput(time), *figures, self._disconnected.volume)

    def report(self, scenario: Scenario | None = None) -> LoadReport:
        """Return an immutable report of the current loads.

        Parameters
        ----------
        scenario
            Scenario of its case, which names the mapping; None for the initial report's.
        """
        case = replace(self._case, mapping=self.mapping, scenario=scenario or self._case.scenario)
        load = self.load
        phases = Phases(case, load if len(case.job.phases) == 1 else None)
        maxima = Maxima(self._sum.max_loads, self.hot_links().astype(np.intp))
        return LoadReport(case, phases, load, self.busy, disconnected=self._disconnected.flows(case), maxima=maxima)

    # Edits

    def apply(self, edit: Edit) -> None:
        """Move the tasks and update the loads.

        Raises ValueError: if a task is not where the edit takes it from, or loads cannot follow edits; then nothing has
        changed.
        """
        tasks, watcher = self._begin(edit), self.watcher
        played = self._play(tasks, watched=watcher is not None)
        if watcher is not None:
            for (phase, _), pairs in played.pairs:
                watcher(phase, pairs)
        new = np.array(edit.new, np.int32)
        _arrive(tasks, new, self._slots, self._node, self._after, self.occupant)
        self._disconnected.moved(tasks)
        if tasks.size:
            self._mapping = None

    def preview(self, edit: Edit) -> Outcome:
        """Return the figures of the mapping after the edit; nothing changes.

        Raises ValueError: as `apply` does.
        """
        tasks = self._begin(edit)
        cut = self._disconnected.tally
        added = self._play(tasks)
        outcome = self.outcome()
        self._disconnected.tally = cut
        self._take_back(tasks, added)
        return outcome

    def cost(self, edit: Edit) -> int:
        """Return an estimate of the number of link load updates that `apply` will make.

        A million takes about ten milliseconds; a preview takes twice as long. `NOT_FOLLOWED` if edits are not followed.
        """
        if not self.follows:
            return NOT_FOLLOWED if edit.count else 0
        links = sum(self._router.updates(2 * flows.count(edit.tasks)) for _, flows in self._flows)
        return links + PHASE_UPDATES * (len(self._flows) - 1)

    def _begin(self, edit: Edit) -> Tasks:
        if edit.count and not self.follows:
            raise ValueError("loads cannot follow edits here; evaluate the new mapping instead")
        # Copies: kernels are compiled for contiguous, writable arrays.
        tasks, old, new = (np.array(each, np.int32) for each in (edit.tasks, edit.old, edit.new))
        if not _mark(tasks, old, new, self._slots, self._after, self._spn):
            raise ValueError("the edit moves a task from a slot that it is not in")
        return tasks

    def _play(self, tasks: Tasks, watched: bool = False) -> AppliedTraces:
        # Update the loads for the marked tasks; if tracing fails, restore them.
        added, cut = AppliedTraces(), self._disconnected.tally
        try:
            for where, pairs in self._pairs(tasks):
                self._disconnected.note(pairs, where[1], int(self._times[where[0]]))
                traced = self._router.trace(*pairs)
                self._add(where, *traced, 1)
                added.note(where, traced)
                if watched:
                    added.pairs.append((where, pairs))
        except BaseException:
            self._disconnected.tally = cut
            self._take_back(tasks, added)
            raise
        return added

    def _take_back(self, tasks: Tasks, added: AppliedTraces) -> None:
        again = ((where, self._router.trace(*pairs)) for where, pairs in islice(self._pairs(tasks), added.pieces))
        for where, traced in added.kept if added.entries <= MAX_UNDO_ENTRIES else again:
            self._add(where, *traced, -1)
        self._after[tasks] = STAYS

    def _pairs(self, tasks: Tasks) -> Iterator[tuple[PhaseBand, VolumeChanges]]:
        # The volume changes of the marked tasks, with phase and band, in pieces of bounded size.
        for where, flows in self._flows:
            for pairs in flows.pairs(tasks, self._node, self._after):
                if tasks.size and not pairs.src.size:
                    continue
                for some in _pieces(pairs, self._router):
                    yield where, some

    def _add(self, where: PhaseBand, links: Links, volume: FixedPoint, sign: int) -> None:
        k, band = where
        self._phases[k].add(links, volume, sign, band)
        self._changed.add(k)
        if self._sum is not self._phases[k]:
            self._sum.add(links, volume if self._times[k] == 1 else volume * self._times[k], sign, band)

    def _all_phases(self, report: LoadReport, scale: FixedPointScale) -> FixedPoint:
        # The fixed-point loads summed over all phases, shape (bands, links).
        if not self._phases:
            return whole_loads(report.load, scale)[None]
        total = np.zeros_like(self._phases[0].loads.bands)
        for times, phase in zip(self._times, self._phases, strict=True):
            total += phase.loads.bands if times == 1 else times * phase.loads.bands
        return total


@kernel
def _mark(tasks: Tasks, old: Slots, new: Slots, slots: Slots, after: Nodes, per_node: int) -> bool:
    # Set the new node of every task, if all of them are in their old slots; return whether they are.
    for i in range(tasks.size):
        if slots[tasks[i]] != old[i]:
            return False
    for i in range(tasks.size):
        after[tasks[i]] = new[i] // per_node
    return True


@kernel
def _arrive(tasks: Tasks, new: Slots, slots: Slots, node: Nodes, after: Nodes, occupant: Tasks) -> None:
    for task in tasks:
        occupant[slots[task]] = EMPTY
    for i in range(tasks.size):
        task = tasks[i]
        slots[task], node[task], occupant[new[i]] = new[i], after[task], task
        after[task] = STAYS


def _whole_bands(report: LoadReport, scales: tuple[FixedPointScale, ...]) -> Iterator[FixedPoint]:
    # The fixed-point loads of each phase, shape (bands, links); once for a phase that runs several times.
    case = report.case
    for first, phase, _ in case.job.runs:
        if len(scales) == 1:
            yield whole_loads(report.phases[first], scales[0])[None]
            continue
        bands = []
        for scale in scales:
            flows = (block._replace(volume=scale.own(block.volume)) for block in case.node_flows(phase))
            bands.append(whole_loads(case.router.loads(flows), scale))
        yield np.stack(bands)


def _fits(case: Case) -> bool:
    # Whether the fixed-point loads and flows of all phases are within the memory limit.
    each = case.network.links + NUMBERS_PER_TASK * case.job.tasks
    return len(case.job.phases) == 1 or len(case.job.runs) * each <= MAX_NUMBERS


def _slowness(case: Case) -> NDArray[np.float64]:
    # Factor by which each link is slower than its class; of size 0 if no link is slower.
    if case.gbs is case.network.gbs:
        return NO_FLOATS
    with np.errstate(divide="ignore"):
        return case.network.gbs / case.gbs


def _pieces(pairs: VolumeChanges, router: Router) -> Iterator[VolumeChanges]:
    count = pairs.src.size
    step = max(1, count * ENTRIES_AT_ONCE // max(router.updates(count), 1))
    if count <= step:
        yield pairs
        return
    for first in range(0, count, step):
        some = slice(first, first + step)
        yield VolumeChanges(pairs.src[some], pairs.dst[some], pairs.volume[some])
