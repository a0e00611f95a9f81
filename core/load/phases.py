"""Loads of a job's phases one by one, and their sums.

Loads of thousands of phases on tens of thousands of links would not fit into memory: they are evaluated on demand.
"""

from collections import OrderedDict
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.job.job import Phase
from core.load.scenario import Case, Neighbours
from core.routing import Router
from core.spec import Progress, no_progress, subprogress

Loads = NDArray[np.float64]
NO_LOADS: Loads = np.zeros(0)

KEPT_LOADS = 1 << 23
"""Loads of links cached for recently requested phases: 64 MB."""
ONE = 0.9
"""Fraction of the progress for routing the flows of the one node that represents all nodes."""
PLANNING = 0.9
"""Fraction of the progress for planning, under a planning scheme."""


class PhaseSums:
    """Sums over phases. Mutable until all are added."""

    def __init__(self, case: Case) -> None:
        self._case, self._added = case, 0
        shape = len(case.job.runs), len(case.network.classes)
        self.load: Loads = np.zeros(0)
        """The load of every link over all phases, shape ``(links,)``, in units of volume."""
        self._busy, self._sent = np.zeros(shape), np.zeros(shape)

    def add(self, loads: Loads) -> NDArray[np.float64]:
        """Add the loads of the next of the job's `runs`; return the seconds of each class: a row of `busy`."""
        number, self._added = self._added, self._added + 1
        times = self._case.job.runs[number].times
        all_times = loads if times == 1 else times * loads
        # The loads of a single phase are the sum: no copy is made, and they are not written to.
        self.load = np.add(self.load, all_times, out=self.load if number > 1 else None) if number else all_times
        self._busy[number] = busiest(self._case, loads, neighbours_part(self._case, number))
        self._sent[number] = [loads[c.links].sum() for c in self._case.network.classes]
        row: NDArray[np.float64] = self._busy[number]
        return row

    @property
    def busy(self) -> NDArray[np.float64]:
        """Return the seconds that the busiest link of each class needs in each phase, shape ``(phases, classes)``."""
        return self._busy[self._case.job.run_of]

    @property
    def sent(self) -> NDArray[np.float64]:
        """Return the load of all links of each class in each phase, shape ``(phases, classes)``."""
        return self._sent[self._case.job.run_of]


class Phases:
    """The loads of each phase, evaluated on demand; the last ones are cached, as many as fit.

    Parameters
    ----------
    only
        The loads of the only phase, if known.
    """

    def __init__(self, case: Case, only: Loads | None = None) -> None:
        self._case, self._room = case, max(KEPT_LOADS // max(case.network.links, 1), 1)
        self._kept: OrderedDict[int, tuple[Loads, Router]] = OrderedDict()
        if only is not None:
            self._kept[0] = only, case.router

    def __len__(self) -> int:
        """Return the number of phases."""
        return len(self._case.job.phases)

    def __iter__(self) -> Iterator[Loads]:
        """Yield the loads of one phase after the other."""
        return (self[phase] for phase in range(len(self)))

    def __getitem__(self, phase: int) -> Loads:
        """Return the load of every link in a phase, shape ``(links,)``, in units of volume."""
        return self.at(phase)[0]

    def router(self, phase: int) -> Router:
        """Return the router of a phase, as planned for it."""
        return self.at(phase)[1] if self._case.router.plans else self._case.router

    def at(self, phase: int, progress: Progress = no_progress) -> tuple[Loads, Router]:
        """Return the loads and the router of a phase.

        Raises Cancelled: when `progress` does.
        """
        run = int(self._case.job.run_of[phase])
        evaluated = self._kept.get(run)
        if evaluated is None:
            evaluated = self._kept[run] = phase_loads(self._case, self._case.job.phases[phase], progress)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)
        return evaluated


def pressing(own: Loads, others: Loads) -> Loads:
    """Return the loads from all jobs on the links that one job uses, shape ``(links,)``, and 0 on others."""
    return np.where(own > 0, own + others, 0.0) if others.size else own


def phase_loads(case: Case, phase: Phase, progress: Progress = no_progress) -> tuple[Loads, Router]:
    """Return the load of every link in one phase, and the router as planned for it.

    Raises Cancelled: when `progress` does.
    """
    if not case.router.plans:
        return _loads(case, phase, case.router, progress), case.router
    router = case.router.planned(case.node_flows(phase), case.gbs, subprogress(progress, 0, PLANNING))
    return _loads(case, phase, router, subprogress(progress, PLANNING, 1)), router


def _loads(case: Case, phase: Phase, router: Router, progress: Progress) -> Loads:
    representative = None if router.depends_on_sums else case.of_one(phase)
    if representative is not None:
        progress(0.0)
        loads = case.network.shifted(router.loads([representative], subprogress(progress, 0, ONE)))
        progress(1.0)
        return loads
    part = router.read_share_of(case.flows(phase))
    reading = 0.0

    def read(done: float) -> None:
        nonlocal reading
        reading = part * done
        progress(reading)

    def carried(done: float) -> None:
        # Progress never falls below the value reached by reading.
        progress(reading if done == 0 else part + (1 - part) * done)

    return router.loads(case.node_flows(phase, read), carried)


_WHOLE_LOADS: "WeakKeyDictionary[Case, Loads]" = WeakKeyDictionary()
_BACKGROUND_LOADS: "WeakKeyDictionary[Neighbours, Loads]" = WeakKeyDictionary()
"""Background load of every link over all phases, summed over jobs."""
_SUMS: "WeakKeyDictionary[Neighbours, list[float]]" = WeakKeyDictionary()
"""The sum of `_BACKGROUND_LOADS` by class."""


def neighbours_loads(case: Case, progress: Progress = no_progress) -> Loads:
    """Return the background load of a case, shape ``(links,)``; of size 0 without background jobs.

    Evaluated once for all cases with the same neighbours. Raises Cancelled: when `progress` does.
    """
    neighbours = case.neighbours
    if not neighbours:
        return NO_LOADS
    if neighbours not in _BACKGROUND_LOADS:
        total, count = np.zeros(case.network.links), len(neighbours.cases)
        total += neighbours.constant if neighbours.constant.size else 0.0
        for number, neighbour in enumerate(neighbours.cases):
            total += whole_load(neighbour, subprogress(progress, number, number + 1, count))
        keep_neighbours_loads(neighbours, total * neighbours.part)
    return _BACKGROUND_LOADS[neighbours]


def neighbours_sums(case: Case) -> list[float]:
    """Return the sums of the background load by class, in the network's order."""
    classes, neighbours = case.network.classes, case.neighbours
    if not neighbours:
        return [0.0] * len(classes)
    if neighbours not in _SUMS:
        loads = neighbours_loads(case)
        _SUMS[neighbours] = [float(loads[c.links].sum()) for c in classes]
    return _SUMS[neighbours]


def keep_neighbours_loads(neighbours: Neighbours, loads: Loads) -> None:
    """Store known background loads."""
    loads.setflags(write=False)
    _BACKGROUND_LOADS[neighbours] = loads


def whole_load(case: Case, progress: Progress = no_progress) -> Loads:
    """Return a job's own load of every link over all phases, shape ``(links,)``; evaluated once."""
    if case not in _WHOLE_LOADS:
        _WHOLE_LOADS[case] = _whole_load(case, progress)
        _WHOLE_LOADS[case].setflags(write=False)
    return _WHOLE_LOADS[case]


def _whole_load(case: Case, progress: Progress) -> Loads:
    loads_sum, runs = np.zeros(case.network.links), case.job.runs
    for number, (_, phase, times) in enumerate(runs):
        loads, _ = phase_loads(case, phase, subprogress(progress, number, number + 1, len(runs)))
        loads_sum += times * loads
    return loads_sum


def neighbours_part(case: Case, run: int) -> Loads:
    """Return the background load under one of the job's `runs`: see `core.load.neighbours`."""
    loads = neighbours_loads(case)
    return loads * case.job.run_shares[run] if loads.size and len(case.job.phases) > 1 else loads


def busiest(case: Case, own: Loads, others: Loads = NO_LOADS) -> list[float]:
    """Return the seconds that the busiest link of each class needs for its load, in the network's order.

    Background load counts on links with some of the job's own load.
    """
    classes, loads = case.network.classes, pressing(own, others)
    if case.faults is None or not case.faults.any_slowed:
        return [float(loads[c.links].max(initial=0.0)) / c.gbs for c in classes]
    times = np.divide(loads, case.gbs, out=np.zeros(loads.size), where=case.gbs > 0)
    return [float(times[c.links].max(initial=0.0)) for c in classes]
