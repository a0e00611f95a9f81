"""The cables whose addition shortens the time of a job most, found exactly by branch and bound.

A cable changes only flows that it may affect (`core.routing.added_cables`). All other flows load their links as before.
So in each phase a link still carries its load without the shares of the affected flows, and the time with the cable is
at least

    sum over phases of the maximum over links of (load - shares of affected flows) / bandwidth,

for any set of links, here the hottest. Flows whose paths get shorter by the cable cross it with their entire volume,
which is another lower bound. Background load only adds to both. Cables are evaluated in the order of the first bound,
until no bound is below the shortest time: no other cable can be better. Under planning schemes and Valiant's routing,
any flow may be affected, and each cable is evaluated; also if flows are disconnected, since a cable may connect them.

Several cables are found one after the other, each the best in addition to all before it (greedy).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.load.evaluate import TOLERANCE, LoadReport, evaluate
from core.load.failures import flows_by_pair
from core.load.k_largest import k_largest
from core.load.phases import Loads
from core.load.scenario import Case
from core.network import AddedCable, Network
from core.network.added_cables import usual_gbs, with_cables
from core.routing.added_cables import cable_effect
from core.routing.flows import NodeFlows, Nodes, Volumes
from core.spec import Progress, TooLarge, no_progress, subprogress

MAX_CABLES = 1 << 21
"""Candidates up to which all are compared: all pairs of 2,048 vertices."""
HOT_LINKS = 32
"""Hottest links of a phase whose loads bound the time."""
MAX_TESTS = 1 << 30
"""Limit on flows over these links times candidates, which are tested at about 10^8 per second."""
TESTS_AT_ONCE = 1 << 21
"""Such tests made at once."""
BOUNDS_PART = 0.3
"""Fraction of the progress for the bounds."""


class BestCable(NamedTuple):
    """A cable that shortens the time more than any other."""

    cable: AddedCable
    report: LoadReport
    """The report with it, and with the cables before it."""
    candidates: int
    evaluated: int
    """Candidates evaluated: the bounds exclude the others."""


def candidates(network: Network) -> Nodes:
    """Return the cables that may be added, shape ``(cables, 2)``: the vertices that each joins.

    They join any two vertices with free ports if at least two are known (`NetworkSpec.free_ports`), else any
    two switches, else, in networks without switches, any two nodes. Some double existing cables.

    Raises TooLarge: if there are more than `MAX_CABLES`.
    """
    free = network.spec.free_ports(network)
    if free is None or np.count_nonzero(free) < 2:
        first = network.nodes if network.vertices > network.nodes else 0
        ends = np.arange(first, network.vertices)
    else:
        ends = np.flatnonzero(free)
    if ends.size * (ends.size - 1) // 2 > MAX_CABLES:
        raise TooLarge("network", f"has {ends.size:,} places for cables; at most 2,048 can be compared")
    return ends[np.stack(np.triu_indices(ends.size, 1), axis=1)].astype(np.int32)


def check_cables(case: Case) -> None:
    """Check that cables may be added, and that the routing of a case can use them.

    Raises SpecError: if not. Raises TooLarge: as `candidates`.
    """
    for first in candidates(case.network)[:1].tolist():
        case.scenario.routing.check(with_cables(case.network.without_cables, [AddedCable(*first)]))


def best_cables(report: LoadReport, count: int, progress: Progress = no_progress) -> Iterator[BestCable]:
    """Yield up to `count` cables, each the best in addition to all before it; fewer if no further cable helps.

    Among cables of equal effect, it is the first in the order of `candidates`, up to rounding.

    Raises SpecError: if the routing cannot use added cables, or the network is aggregated. Raises Cancelled: when
    `progress` does.
    """
    check_cables(report.case)
    for number in range(count):
        best = _best(report, subprogress(progress, number, number + 1, count))
        if best is None:
            break
        yield best
        report = best.report
    progress(1.0)


def _best(report: LoadReport, progress: Progress) -> BestCable | None:
    case, ends = report.case, candidates(report.case.network)
    bounds = _Bounds(report, ends, subprogress(progress, 0, BOUNDS_PART))
    best, evaluated = report, 0
    for done, number in enumerate(bounds.order):
        progress(BOUNDS_PART + (1 - BOUNDS_PART) * done / len(ends))
        if bounds.exclude_all_from(number, best):
            break
        if bounds.exclude(number, best):
            continue
        cable = AddedCable(*ends[number].tolist())
        after = evaluate(replace(case.scenario, cables=(*case.scenario.cables, cable)).build(before=case))
        best, evaluated = after if _is_better(after, best) else best, evaluated + 1
    if best is report:
        return None
    return BestCable(best.case.scenario.cables[-1], best, len(ends), evaluated)


def _is_better(report: LoadReport, than: LoadReport) -> bool:
    # Less disconnected volume counts most.
    lost, more_lost = report.disconnected.volume, than.disconnected.volume
    return lost < more_lost * (1 - TOLERANCE) or (lost <= more_lost * (1 + TOLERANCE) and _is_below(report.time, than))


def _is_below(time: float, report: LoadReport) -> bool:
    return time < report.time * (1 - TOLERANCE)


class _Bounds:
    """Lower bounds on the time with each candidate."""

    def __init__(self, report: LoadReport, ends: Nodes, progress: Progress) -> None:
        self._report, self._ends = report, ends
        self._effect = None if report.disconnected else cable_effect(report.case.router)
        self._gbs = usual_gbs(report.case.network.without_cables, ends)
        self._flows = [
            flows_by_pair(report.case, run.phase) for run in report.case.job.runs if self._effect is not None
        ]
        self._time = np.zeros(len(ends))
        for number, (run, flows) in enumerate(zip(report.case.job.runs, self._flows, strict=False)):
            some = subprogress(progress, number, number + 1, len(self._flows))
            self._time += run.times * self._remaining(flows, report.phases[run.first], some)

    @property
    def order(self) -> list[int]:
        """Return the candidates, least bound first."""
        numbers: list[int] = np.argsort(self._time, kind="stable").tolist()
        return numbers

    def exclude_all_from(self, number: int, best: LoadReport) -> bool:
        """Return whether neither a candidate nor those after it in `order` are better than a report."""
        return self._effect is not None and not _is_below(float(self._time[number]), best)

    def exclude(self, number: int, best: LoadReport) -> bool:
        """Return whether the volume that must cross the cable of a candidate takes too long."""
        if self._effect is None:
            return False
        (a, b), time = self._ends[number].tolist(), 0.0
        for run, flows in zip(self._report.case.job.runs, self._flows, strict=True):
            both = (self._effect.must_use(*way, flows.src, flows.dst) for way in ((a, b), (b, a)))
            time += run.times * max(float(flows.volume[crosses].sum()) for crosses in both) / self._gbs[number]
        return not _is_below(time, best)

    def _remaining(self, flows: NodeFlows, loads: Loads, progress: Progress) -> Volumes:
        # The time of the flows that no candidate affects on the hottest links, shape (cables,).
        gbs, router, effect = self._report.case.gbs, self._report.case.router, self._effect
        assert effect is not None
        times = np.divide(loads, gbs, out=np.zeros(loads.size), where=gbs > 0)
        hot = k_largest(times, HOT_LINKS)
        hot = hot[times[hot] > 0]
        most = MAX_TESTS // (len(self._ends) * len(self._flows))
        crossed = [flows.volume * router.crossing(link, flows.src, flows.dst).sum(axis=0) for link in hot.tolist()]
        fewest = np.cumsum([np.count_nonzero(volume) for volume in crossed]) <= most
        hot, volumes = hot[fewest], np.array(crossed)[fewest]
        least = np.zeros(len(self._ends))
        if not hot.size:
            return least
        some = np.flatnonzero(volumes.any(axis=0))
        src, dst, volumes = flows.src[some], flows.dst[some], volumes[:, some] / gbs[hot, None]
        step = max(TESTS_AT_ONCE // some.size, 1)
        for first in range(0, len(least), step):
            progress(first / len(least))
            part = slice(first, first + step)
            affected = effect.may_change(self._ends[part], src, dst)
            least[part] = (times[hot] - affected @ volumes.T).max(axis=1)
        return np.maximum(least, 0.0)
