"""Suggests single swaps that relieve the bottleneck, evaluated by `LiveLoads.preview`.

A swap can only unload a link if one of the two tasks has a flow across it. So the tasks that cause the hottest links
are found first, and each is tried in other places: in all of them if they are few; else on and around the nodes of its
partners, in a random sample, and near the best of these.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import MAX_FLOWS, Phase, Tasks
from core.load.evaluate import TOLERANCE, LoadReport
from core.load.explain import slices
from core.load.live import LiveLoads, Outcome
from core.load.scenario import Case
from core.mapping.edit import EMPTY, Edit
from core.mapping.mapping import Slots
from core.network.nics import HOST
from core.spec import Progress, no_progress, subprogress

MAX_PREVIEWS = 5000
"""Swaps tried."""
MAX_UPDATES = 50_000_000
"""Approximate limit on link updates of all previews: a second."""
MIN_PREVIEWS = 60
MAX_LINKS = 24
"""Number of hottest links whose causes are found, in each phase."""
MAX_CROSSINGS = 1 << 24
"""Approximate limit on flows traced to find causes, in total."""
MAX_CAUSES = 64
"""Number of tasks tried elsewhere, if not all places can be tried."""
FIRST_PART = 0.6
"""Fraction of the swaps tried before the best of them are refined."""
REFINED = 8
"""Number of best swaps whose surroundings are tried then."""
PARTNER_PLACES = 12
"""Number of a task's partners whose nodes are tried for it."""
ROUNDS = 4
"""Repetitions of the refinement while it improves."""
SEED = 775
TINY = float(np.finfo(np.float64).tiny)
UNFOLLOWED = "This routing is planned for all flows at once, so single swaps cannot be evaluated."
ADDED_UP = "There are too many flows to trace each of them, so no swap was evaluated."
FOLDED = "Each node of this network represents several nodes, so swaps of single tasks cannot be evaluated."
QUICK_LINKS, QUICK_FLOWS = 200_000, 1 << 17
"""Limits up to which the search takes well under a second."""


@dataclass(frozen=True, eq=False)
class SwapSuggestion:
    """A helpful swap: two tasks are swapped, or one moves to an empty slot."""

    edit: Edit
    task: int
    partner: int
    """The other task, or `EMPTY`."""
    node: int
    """New node of `task`."""
    before: Outcome
    after: Outcome
    name: str
    """``Swap task 1,203 with 988`` or ``Move task 77 to node 5 · d3 · 28``."""

    @property
    def gain_gbs(self) -> float:
        """Return the gain in throughput per node, GB/s; 0 if only fewer links are hottest, or no link is loaded."""
        before, after = self.before.throughput_gbs, self.after.throughput_gbs
        if before is None or after is None or self.after.time >= self.before.time * (1 - TOLERANCE):
            return 0.0
        return after - before


@dataclass(frozen=True, eq=False)
class Suggestions:
    """Result of the search."""

    report: LoadReport
    """The loads before the swaps."""
    best: tuple[SwapSuggestion, ...]
    """Best first; all raise the throughput, or none does and all reduce the number of hottest links."""
    before: Outcome
    tried: int
    """Swaps tried."""
    complete: bool
    """Whether no other swap could help."""
    declined: str = ""
    """Why no swap was tried; empty if some were."""


class Trial(NamedTuple):
    """A swap that was tried."""

    time: float
    hot: int
    order: int
    slots: tuple[int, int]
    """Present and new slot of the task."""
    after: Outcome


def quick(case: Case) -> bool:
    """Return whether the search takes well under a second."""
    flows = sum(run.phase.tasks * run.phase.fan_out for run in case.job.runs)
    return case.network.links <= QUICK_LINKS and flows <= QUICK_FLOWS


def any_swap(edit: Edit) -> bool:
    """Allow every swap (default)."""
    return True


def suggest_swaps(
    report: LoadReport,
    progress: Progress = no_progress,
    limit: int = 5,
    allowed: Callable[[Edit], bool] = any_swap,
) -> Suggestions:
    """Return the best single swaps found, at most `limit`; deterministic.

    `allowed` is asked before each swap is tried.

    Raises Cancelled: when `progress` does.
    """
    live = LiveLoads(report)
    before = live.outcome()
    if not live.follows:
        router = report.case.router
        why = UNFOLLOWED if router.plans else ADDED_UP if router.traceable else FOLDED
        return Suggestions(report, (), before, 0, False, why)
    if any(phase.tasks * phase.fan_out > MAX_FLOWS for phase in report.case.job.phases):
        return Suggestions(report, (), before, 0, False, ADDED_UP)
    if before.time <= 0:
        return Suggestions(report, (), before, 0, True)
    movers, all_links = causes(report, subprogress(progress, 0.0, 0.2))
    search = SwapSearch(report.case, live, subprogress(progress, 0.2, 1.0), allowed)
    complete = movers.size * report.case.slots <= search.budget
    if complete:
        search.run(_everywhere(movers, report.case))
    else:
        search.explore(movers[:MAX_CAUSES])
        for _ in range(ROUNDS):
            if not search.refine(movers[:MAX_CAUSES]):
                break
    best = tuple(search.suggestion(trial) for trial in chosen(search.helpful(), report.case, limit))
    return Suggestions(report, best, before, len(search.tried), complete and all_links)


def causes(report: LoadReport, progress: Progress = no_progress) -> tuple[Tasks, bool]:
    """Return the tasks that load the hottest links, and whether all of these links were examined.

    Sorted by the number of such links, then by volume.
    """
    case = report.case
    phases = [run.phase for run in case.job.runs]
    flows = sum(phase.tasks * phase.fan_out for phase in phases)
    limit = min(MAX_LINKS, max(1, MAX_CROSSINGS // max(flows, 1)))
    hot = [hottest(report.phases[run.first], case.gbs) for run in case.job.runs]
    looked = [links[np.linspace(0, links.size - 1, min(limit, links.size)).astype(np.int64)] for links in hot]
    pairs = [(phase, link) for phase, links in zip(phases, looked, strict=True) for link in links.tolist()]
    crossed, volume = np.zeros(case.job.tasks, np.int64), np.zeros(case.job.tasks)
    for index, (phase, link) in enumerate(pairs):
        carried = _carried(case, phase, link, subprogress(progress, index, index + 1, len(pairs)))
        crossed += carried > 0
        volume += carried
    tasks = np.flatnonzero(crossed)
    order = np.lexsort((tasks, -np.round(volume[tasks] / volume.max(initial=TINY), 12), -crossed[tasks]))
    return tasks[order].astype(np.int32), all(links.size <= limit for links in hot)


def hottest(load: NDArray[np.float64], gbs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the links with the longest time."""
    time = np.divide(load, gbs, out=np.zeros_like(load), where=load > 0)
    longest = time.max(initial=0.0)
    return np.flatnonzero(time >= longest * (1 - TOLERANCE)) if longest > 0 else np.zeros(0, np.intp)


def _carried(case: Case, phase: Phase, link: int, progress: Progress) -> NDArray[np.float64]:
    # The volume that each task sends or receives across a link.
    node, carried = case.mapping.nodes, np.zeros(case.job.tasks)
    for done, block in slices(phase):
        part = case.router.crossing(link, node[block.src], node[block.dst]).sum(axis=0) * block.volume
        used = np.flatnonzero(part)
        for end in (block.src[used], block.dst[used]):
            carried += np.bincount(end, part[used], carried.size)
        progress(done)
    return carried


def _everywhere(tasks: Tasks, case: Case) -> Iterator[tuple[int, int]]:
    slots = _usable(case, np.arange(case.network.slots, dtype=np.int32)).tolist()
    return ((home, slot) for home in case.mapping.slots[tasks].tolist() for slot in slots)


def _usable(case: Case, slots: Slots) -> Slots:
    # The slots on nodes of the job that have not failed.
    own = case.own(slots)
    return own if case.faults is None else own[~case.faults.failed_nodes[own // case.network.slots_per_node]]


def _crowding(case: Case) -> Callable[[Edit], bool]:
    # Whether a move to an empty slot gives a host more ranks than it has cores for, as a function.
    hosts, each = case.network.host_slots, case.mapping.cores_per_rank
    ranks = np.bincount(hosts.place_of(case.mapping.slots)[0], minlength=hosts.count)
    full = (ranks + 1) * each > hosts.room

    def _crowds(edit: Edit) -> bool:
        (host, _), (left, _) = hosts.place_of(edit.new), hosts.place_of(edit.old)
        return edit.count == 1 and bool(full[host[0]]) and host[0] != left[0]

    return _crowds if each > 1 else lambda edit: False


class SwapSearch:
    """Tries swaps one after the other on live loads, which it leaves unchanged."""

    def __init__(
        self, case: Case, live: LiveLoads, progress: Progress, allowed: Callable[[Edit], bool] = any_swap
    ) -> None:
        self._case, self._live, self._progress, self._allowed = case, live, progress, allowed
        self._spn = case.network.slots_per_node
        self._before = live.outcome()
        self._rng = np.random.default_rng(SEED)
        self._crowded = _crowding(case)
        self._anywhere = _usable(case, np.arange(case.network.slots, dtype=np.int32))
        self.budget = _budget(case, live)
        self._limit = self.budget
        self.tried: dict[tuple[int, int], Trial] = {}

    def explore(self, tasks: Tasks) -> None:
        """Try each task near its partners, around these, and at random places."""
        self._limit = int(self.budget * FIRST_PART)
        each = max(self._limit // max(tasks.size, 1), 4)
        homes = self._case.mapping.slots[tasks].tolist()
        places = [self._places(task, each) for task in tasks.tolist()]
        # The most promising places of all tasks come first.
        self.run(_in_turn([[(home, place) for place in each] for home, each in zip(homes, places, strict=True)]))

    def refine(self, tasks: Tasks) -> bool:
        """Try other tasks where the best swaps lead, and their tasks around there; return whether that helped."""
        self._limit = self.budget
        best = sorted(self.helpful() or self.tried.values())[:REFINED]
        self.run(_in_turn([self._near(trial, tasks) for trial in best]))
        return len(self.tried) < self.budget and sorted(self.helpful())[:REFINED] != best

    def _near(self, trial: Trial, tasks: Tasks) -> list[tuple[int, int]]:
        home, target = trial.slots
        node = np.array([target // self._spn])
        on_node, around = self._slots_of(node), self._rng.permutation(self._around(node))
        others = [(other, target) for other in self._case.mapping.slots[tasks].tolist()]
        return [*((home, slot) for slot in on_node.tolist()), *others, *((home, slot) for slot in around.tolist())]

    def run(self, swaps: Iterable[tuple[int, int]]) -> None:
        """Try swaps of slots until there are no more, or the limit is reached."""
        for home, slot in swaps:
            if len(self.tried) >= self._limit:
                return
            key = (min(home, slot), max(home, slot))
            if key in self.tried or home // self._spn == slot // self._spn:
                continue
            edit = self._edit(home, slot)
            if not self._allowed(edit) or self._crowded(edit):
                continue
            after = self._live.preview(edit)
            time = round(after.time / self._before.time, 9)
            self.tried[key] = Trial(time, after.hot, len(self.tried), (home, slot), after)
            self._progress(len(self.tried) / self.budget)

    def helpful(self) -> list[Trial]:
        """Return the swaps that raise the throughput; if there are none, swaps that leave fewer hottest links."""
        before, least = self._before, (self._before.throughput_gbs or 0.0) * (1 - TOLERANCE)
        # Disconnecting more flows, or larger ones, does not count as an improvement.
        most = before.cut_volume * (1 + TOLERANCE)
        kept = [
            trial
            for trial in self.tried.values()
            if trial.after.disconnected <= before.disconnected and trial.after.cut_volume <= most
        ]
        sound = [trial for trial in kept if (trial.after.throughput_gbs or np.inf) >= least]
        faster = [trial for trial in sound if trial.after.time < before.time * (1 - TOLERANCE)]
        cooler = [
            trial for trial in sound if trial.after.time <= before.time * (1 + TOLERANCE) and trial.hot < before.hot
        ]
        return faster or cooler

    def suggestion(self, trial: Trial) -> SwapSuggestion:
        """Return a trial as a suggestion."""
        edit, network = self._edit(*trial.slots), self._case.network
        task, partner = (int(self._live.occupant[slot]) for slot in trial.slots)
        node = trial.slots[1] // self._spn
        name = f"Move task {task:,} to {network.vertex_name(node)}"
        if partner != EMPTY:
            name = f"Swap task {task:,} with {partner:,}"
        return SwapSuggestion(edit, task, partner, node, self._before, trial.after, name)

    def _edit(self, home: int, slot: int) -> Edit:
        first, second = int(self._live.occupant[home]), int(self._live.occupant[slot])
        moves = sorted((task, *move) for task, move in ((first, (home, slot)), (second, (slot, home))) if task != EMPTY)
        tasks, old, new = np.array(moves, np.int32).T.copy()
        return Edit(tasks, old, new)

    def _places(self, task: int, count: int) -> list[int]:
        # The nodes of its partners, then their surroundings, then random nodes: a third each.
        node = self._case.mapping.nodes[self._partners(task)]
        nearest = self._rng.permutation(self._slots_of(np.unique(node)))[: count // 3]
        around = self._rng.permutation(self._around(np.unique(node)))[: count // 3]
        anywhere = self._rng.choice(self._anywhere, size=count)
        return list(dict.fromkeys(np.concatenate([nearest, around, anywhere]).tolist()))[:count]

    def _partners(self, task: int) -> Tasks:
        task_array = np.array([task], np.int32)
        phases = [run.phase for run in self._case.job.runs]
        nodes = np.concatenate(
            [end for p in phases for end in (p.out_flows(task_array).dst, p.in_flows(task_array).src)]
        )
        return self._rng.permutation(np.unique(nodes))[:PARTNER_PLACES]

    def _slots_of(self, nodes: NDArray[np.integer]) -> Slots:
        slots = (nodes[:, None] * self._spn + np.arange(self._spn)).ravel().astype(np.int32)
        return _usable(self._case, slots)

    def _around(self, nodes: NDArray[np.integer]) -> Slots:
        # The slots of all groups of the finest level above hosts that contain the nodes.
        levels = [level for level in self._case.network.levels if level.name != HOST]
        if not levels:
            return self._slots_of(nodes)
        return self._slots_of(np.flatnonzero(np.isin(levels[-1].group, levels[-1].group[nodes])))


def _in_turn(lists: list[list[tuple[int, int]]]) -> Iterator[tuple[int, int]]:
    # The first entry of each list, then the second of each, and so on.
    return (item for row in zip_longest(*lists) for item in row if item is not None)


def _budget(case: Case, live: LiveLoads) -> int:
    # The cost of a preview, estimated from a sample of tasks: it makes every update twice.
    sample = np.linspace(0, case.job.tasks - 1, min(case.job.tasks, 32)).astype(np.int32)
    slots = case.mapping.slots[sample]
    each = 2 * 2 * live.cost(Edit(sample, slots, slots)) / sample.size
    return int(np.clip(MAX_UPDATES / max(each, 1), MIN_PREVIEWS, MAX_PREVIEWS))


def chosen(tries: list[Trial], case: Case, limit: int) -> list[Trial]:
    """Return the best swaps with distinct tasks, unless that leaves too few."""
    ranked, spn = sorted(tries), case.network.slots_per_node
    picked: list[Trial] = []
    places: set[int] = set()
    node_pairs: set[frozenset[int]] = set()
    for strict in (True, False):
        for trial in ranked:
            nodes = frozenset(slot // spn for slot in trial.slots)
            if len(picked) < limit and nodes not in node_pairs and not (strict and places & set(trial.slots)):
                picked.append(trial)
                places |= set(trial.slots)
                node_pairs.add(nodes)
    return sorted(picked)
