"""Causes of a link's load: by role of the hop, by part of the job, by pair of groups and by pair of tasks."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.job.job import MAX_FLOWS, FlowBlock, Job, Phase, UniformPhase
from core.load.evaluate import LoadReport
from core.network.network import Network
from core.spec import Progress, no_progress

SLICE = 1 << 15
"""Flows traced between two calls of progress."""
KEPT_PAIRS = 100_000
"""Number of task pairs listed; smaller ones are summed in `others`."""
UNLABELLED = "other messages"
"""Label of phases without parts or name, in a job whose other phases have parts."""


@dataclass(frozen=True, eq=False)
class LoadParts:
    """Parts of a load, largest first: source, destination, load."""

    src: NDArray[np.int64]
    dst: NDArray[np.int64]
    load: NDArray[np.float64]
    others: float = 0.0
    """Sum of the parts that are not listed."""

    @property
    def total(self) -> float:
        """Return the sum of all parts."""
        return float(self.load.sum()) + self.others


@dataclass(frozen=True, slots=True)
class LabelledLoad:
    """The load of a link by one labelled part of a job."""

    label: str
    load: float
    """Over all phases."""
    steps: int
    """Number of phases in which it loads the link."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The load of one link, decomposed in several ways."""

    link: int
    load: float
    roles: dict[str, float]
    """Load by role of the hop; roles without load are omitted."""
    groups: LoadParts
    """Load by pair of groups of the coarsest level (without levels, by pair of nodes)."""
    tasks: LoadParts
    """Load by pair of tasks; if there are too many flows to trace, only the sum."""
    parts: tuple[LabelledLoad, ...] = ()
    """Load by labelled part of the job, largest first; empty if no phase has labelled parts."""
    part_kind: str = ""
    """Kind of the labelled parts: ``channel``."""


def explain(report: LoadReport, link: int, progress: Progress = no_progress) -> Explanation:
    """Return the load of `link` by hop role, by labelled part, by group pair and by task pair, over all phases.

    Raises Cancelled: when `progress` does.
    """
    case = report.case
    tasks, node = case.job.tasks, case.mapping.nodes
    roles = np.zeros(len(case.router.roles))
    pairs, loads, others = np.zeros(0, np.int64), np.zeros(0), 0.0
    group_of = case.network.levels[0].group if case.network.levels else np.arange(case.network.nodes)
    groups = int(group_of.max()) + 1
    group_pairs, group_loads = np.zeros(0, np.int64), np.zeros(0)
    labelled = _PartLoads(case.job)
    for index, (k, phase, times) in enumerate(case.job.runs):
        added_up = isinstance(phase, UniformPhase) and phase.tasks * phase.fan_out > MAX_FLOWS
        flows = case.added_up(phase) if isinstance(phase, UniformPhase) and added_up else phase.blocks()
        for done, block in _cut_small(flows):
            src, dst = (block.src, block.dst) if added_up else (node[block.src], node[block.dst])
            part = report.router(k).crossing(link, src, dst) * (times * block.volume)
            by_flow = part.sum(axis=0)
            roles += part.sum(axis=1)
            used = np.flatnonzero(by_flow)
            labelled.add(index, used, by_flow)
            if added_up:
                others += float(by_flow.sum())
            else:
                key = block.src[used].astype(np.int64) * tasks + block.dst[used]
                pairs, loads = _merged(pairs, loads, key, by_flow[used])
                pairs, loads, dropped = _largest(pairs, loads)
                others += dropped
            key = group_of[src[used]].astype(np.int64) * groups + group_of[dst[used]]
            group_pairs, group_loads = _merged(group_pairs, group_loads, key, by_flow[used])
            progress((index + done) / len(case.job.runs))
    named = {role: float(load) for role, load in zip(case.router.roles, roles, strict=True) if load > 0}
    return Explanation(
        link,
        float(report.load[link]),
        dict(sorted(named.items(), key=lambda item: -item[1])),
        _parts(group_pairs, group_loads, groups, 0.0),
        _parts(pairs, loads, tasks, others),
        labelled.sorted(),
        labelled.kind,
    )


class _PartLoads:
    """Sums of the loads of flows by label, added in the order of the job's runs and of their blocks."""

    def __init__(self, job: Job) -> None:
        self._runs = job.runs
        kinds = {run.phase.parts.kind for run in job.runs if run.phase.parts is not None}
        self.kind = kinds.pop() if len(kinds) == 1 else "part" if kinds else ""
        """Kind of the parts; empty if no phase has parts, and then nothing is summed."""
        self._loads: defaultdict[str, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
        """By label and run."""
        self._run, self._first = 0, 0

    def add(self, run: int, used: NDArray[np.intp], load: NDArray[np.float64]) -> None:
        """Add the next flows of a run, with their load on the link over all its phases; `used` has any load."""
        first = self._first if run == self._run else 0
        self._run, self._first = run, first + load.size
        if not self.kind or not used.size:
            return
        phase = self._runs[run].phase
        if phase.parts is None:
            self._loads[phase.name or UNLABELLED][run] += float(load[used].sum())
            return
        part, where = np.unique(phase.parts.of_flow[first + used], return_inverse=True)
        for number, total in zip(part.tolist(), np.bincount(where, load[used]).tolist(), strict=True):
            self._loads[phase.parts.labels[number]][run] += total

    def sorted(self) -> tuple[LabelledLoad, ...]:
        """Return the sums, largest first; sums equal up to rounding remain in the order of parts."""
        parts = [
            LabelledLoad(label, sum(by_run.values()), sum(self._runs[run].times for run in by_run))
            for label, by_run in self._loads.items()
        ]
        largest = max((part.load for part in parts), default=1.0)
        return tuple(sorted(parts, key=lambda part: -round(part.load / largest, 12)))


INSIDE = "within the {level}", "on the way out", "on the way in", "passing through"
"""Position of a link inside a group on the path of a flow."""
BETWEEN = "on a direct path", "first of several", "last of several", "in the middle"
"""The same for a link between two groups."""
LOCAL = (
    "l alone, within the {level}",
    "first l of l-g-l, on the way out",
    "last l of l-g-l, on the way in",
    "l between two g",
)
"""The usual names in networks with local and global links."""
GLOBAL = "g of l-g-l, on a direct path", "first g of several", "last g of several", "g in the middle"


def by_way(network: Network, explanation: Explanation) -> dict[str, float]:
    """Return the load of a link by its position on the paths of flows, relative to groups of the coarsest level.

    Empty if there are no groups, or an end of the link is in no group; positions without load are omitted.
    """
    begin, end = (int(network.group_of[ends[explanation.link]]) for ends in (network.src, network.dst))
    if not network.levels or not (0 <= begin < network.node_groups and 0 <= end < network.node_groups):
        return {}
    local_global = {"local", "global"} <= {link_class.name for link_class in network.classes}
    words = (LOCAL if local_global else INSIDE) if begin == end else GLOBAL if local_global else BETWEEN
    names = [word.format(level=network.levels[0].name) for word in words]
    src, dst, load = explanation.groups.src == begin, explanation.groups.dst == end, explanation.groups.load
    parts = (float(load[which].sum()) for which in (src & dst, src & ~dst, ~src & dst, ~src & ~dst))
    return {name: part for name, part in zip(names, parts, strict=True) if part > 0}


def slices(phase: Phase) -> Iterator[tuple[float, FlowBlock]]:
    """Yield every flow once with the fraction done, in small blocks, since tracing may take long."""
    return _cut_small(phase.blocks())


def _cut_small(blocks: Iterable[tuple[float, FlowBlock]]) -> Iterator[tuple[float, FlowBlock]]:
    before = 0.0
    for done, block in blocks:
        count = block.src.size
        for first in range(0, count, SLICE):
            last = min(first + SLICE, count)
            yield before + (done - before) * last / count, block.at(slice(first, last))
        before = done


def _merged(
    keys: NDArray[np.int64], loads: NDArray[np.float64], more: NDArray[np.int64], their: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if not more.size:
        return keys, loads
    merged, where = np.unique(np.concatenate([keys, more]), return_inverse=True)
    return merged, np.asarray(np.bincount(where, np.concatenate([loads, their]), merged.size), np.float64)


def _largest(
    keys: NDArray[np.int64], loads: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    if keys.size <= 2 * KEPT_PAIRS:
        return keys, loads, 0.0
    kept = np.sort(np.argpartition(-loads, KEPT_PAIRS)[:KEPT_PAIRS])
    return keys[kept], loads[kept], float(loads.sum() - loads[kept].sum())


def _parts(keys: NDArray[np.int64], loads: NDArray[np.float64], base: int, others: float) -> LoadParts:
    # Parts equal up to rounding are sorted by task.
    order = np.lexsort((keys, -np.round(loads / loads.max(initial=np.finfo(float).tiny), 12)))
    src, dst = np.divmod(keys[order], base)
    return LoadParts(src, dst, loads[order], others)
