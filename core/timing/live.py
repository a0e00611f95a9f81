"""The barrier timeline of live loads, updated at the cost of the moved flows and of the links they cross."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.load.fixed_point import load_of
from core.load.live import LiveLoads
from core.load.moved_flows import VolumeChanges
from core.load.scenario import Case
from core.routing.flows import FixedPoint
from core.timing.barrier import BarrierTiming, in_turn
from core.timing.messages import MessageCount
from core.timing.step import Step
from core.timing.timeline import Timeline

MAX_FLOWS = 1 << 15
"""Flows of all phases, counted in one pass: some milliseconds."""
MAX_LOADS = 1 << 20
"""Links times phases: all loads may change at once, which takes some milliseconds, too."""
MAX_PARTS = 1 << 22
"""Path links of all flows, over all parts."""
PARTS = 1 << 38
"""Fixed-point scale of squared shares, so that removing a flow undoes adding it exactly."""


class LiveTimeline:
    """Counts the messages of a job's `runs` by hops, and the volumes nodes send, while `LiveLoads` applies edits."""

    def __init__(self, live: LiveLoads, case: Case, timing: BarrierTiming) -> None:
        phases, nodes = [run.phase for run in case.job.runs], case.network.nodes
        self._live, self._timing, self._router = live, timing, case.router
        self._messages = [phase.messages() for phase in phases]
        self._sizes = np.zeros(len(phases))
        """Volume of each message, by phase."""
        self._hops, self._far = np.zeros(1), np.zeros((len(phases), 1), np.int64)
        """Distinct hop counts, ascending, and for each phase the number of messages with each."""
        self._sent = np.zeros((len(phases), 2, nodes if timing.injection_gbs is not None else 0), np.int64)
        """Volumes that each node sends (0) and receives (1) in each phase, in fixed point."""
        self._steps: list[Step | None] = [None] * len(phases)
        """Current step of each phase, or None if not computed yet."""
        self._squares = np.zeros(len(phases), np.int64)
        """`MessageCount.squares` of each phase, scaled by `PARTS`."""
        self._ends = np.array([c.links.stop for c in case.network.classes])
        self._link_sums = np.zeros((len(phases), len(case.network.classes)))
        for number, phase in enumerate(phases):
            for _, block in phase.blocks():
                src, dst = case.mapping.nodes[block.src], case.mapping.nodes[block.dst]
                away = (src != dst) & (block.volume > 0)
                self._sizes[number] = block.volume.max(initial=self._sizes[number])
                self._count(number, VolumeChanges(src[away], dst[away], live.scales[0].of(block.volume[away])))
        live.watcher = self._count

    @staticmethod
    def follows(live: LiveLoads, case: Case) -> bool:
        """Return whether a case can be followed: live loads can, and flows, loads and path links are few enough.

        In each phase all flows must have the same volume.
        """
        phases = [run.phase for run in case.job.runs]
        flows = sum(phase.tasks * phase.fan_out for phase in phases)
        few = flows <= MAX_FLOWS and len(phases) * case.network.links <= MAX_LOADS
        if not (live.follows and len(live.scales) == 1 and few and case.router.updates(flows) <= MAX_PARTS):
            return False
        volumes = ([block.volume for _, block in phase.blocks() if block.volume.size] for phase in phases)
        return all(np.ptp(np.concatenate(each)) == 0 for each in volumes if each)

    def timeline(self, case: Case) -> Timeline:
        """Return the timeline of the mapping that the live loads have now; `case` is the case of that mapping."""
        busy = self._live.busy
        for number, step in enumerate(self._steps):
            if step is None:
                self._steps[number] = self._step(case, number, busy[case.job.runs[number].first])
        steps = in_turn(case.job, [step for step in self._steps if step is not None])
        return Timeline(case, steps, self._live.load, self._live.busy, self._link_sums[case.job.run_of])

    def _step(self, case: Case, number: int, busy: NDArray[np.float64]) -> Step:
        first, phase, _ = case.job.runs[number]
        far, squares = self._far[number], float(self._squares[number]) / PARTS
        injected = float(self._sent[number].max(initial=0)) / self._live.scales[0].per_unit
        farthest = float(self._hops[np.flatnonzero(far)].max(initial=0.0))
        size = float(self._sizes[number]) if far.any() else 0.0
        counted = MessageCount(self._messages[number], float(far @ self._hops), farthest, injected, size, squares)
        bands = self._live.bands(first)
        squared = _sum(*bands, self._ends, size or np.inf, counted.unsplit, self._link_sums[number])
        return self._timing.step(case, phase, counted, counted.pairs(squared), busy)

    def _count(self, phase: int, pairs: VolumeChanges) -> None:
        self._steps[phase] = None
        hops, sign = self._router.hops(pairs.src, pairs.dst), np.sign(pairs.volume)
        places = self._places(hops)
        np.add.at(self._far[phase], places, sign)
        self._squares[phase] += np.rint(self._router.squares(pairs.src, pairs.dst) * PARTS).astype(np.int64) @ sign
        if self._sent.size:
            carried = np.where(hops > 0, pairs.volume, 0)
            np.add.at(self._sent[phase, 0], pairs.src, carried)
            np.add.at(self._sent[phase, 1], pairs.dst, carried)

    def _places(self, hops: NDArray[np.float64]) -> NDArray[np.intp]:
        # Return the indices of distances in `_hops`, inserting new ones.
        distances = np.union1d(self._hops, hops)
        if distances.size > self._hops.size:
            wider = np.zeros((self._far.shape[0], distances.size), np.int64)
            wider[:, np.searchsorted(distances, self._hops)] = self._far
            self._hops, self._far = distances, wider
        return np.searchsorted(self._hops, hops)


@kernel
def _sum(
    bands: FixedPoint,
    unit: NDArray[np.float64],
    noise: FixedPoint,
    ends: NDArray[np.int64],
    size: float,
    unsplit: bool,
    sums: NDArray[np.float64],
) -> float:
    # Return the sum of squared message counts over links; `sums` receives the load of each class (`BandLoads`).
    squared, link = 0.0, 0
    for number in range(ends.size):
        total = 0.0
        while link < ends[number]:
            load = load_of(link, bands, unit, noise)
            total += load
            met = np.rint(load / size) if unsplit else load / size
            squared += met * met
            link += 1
        sums[number] = total
    return squared
