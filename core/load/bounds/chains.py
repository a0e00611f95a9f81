"""Bounds from the volume crossing a chain of ever finer partitions, by class and for all classes together."""

from collections.abc import Iterator
from math import floor

import numpy as np
from numpy.typing import NDArray

from core.job.measure import Measure
from core.load.bounds.bound import CLEARLY, Bound, links_text, load_quantum, mean_step, room_text, rounding_step
from core.load.bounds.joint import Shared
from core.load.scenario import Case
from core.routing.router import Partition
from core.text import enumerated, links_of, plural_noun

Chain = tuple[Partition, ...]
Floats = NDArray[np.float64]

MAX_QUANTA = 100
"""Maximum number of quanta by which a bound is lifted."""
COARSE = 1e-3
"""Quanta below this fraction of the load lift the bound too little to be tried."""


def chain_bounds(case: Case, chain: Chain) -> Iterator[Bound]:
    """Yield the strongest bound of each class, and the joint bound if it is stronger than all of them."""
    question = _Question(case, chain)
    best: dict[str, Bound] = {}
    for name, links in question.sets.items():
        bound = _single(question, name)
        if links.link_class not in best or bound.time > best[links.link_class].time:
            best[links.link_class] = bound
    yield from best.values()
    if len(question.sets) > 1:
        joint = _joint(question)
        if joint.time > max(bound.time for bound in best.values()) * (1 + CLEARLY):
            yield joint


class _Question:
    """The volumes crossing a chain, and the sets of links that carry them."""

    def __init__(self, case: Case, chain: Chain) -> None:
        self.case, self.chain = case, chain
        loaded = {name for partition in chain for name, load in partition.least.items() if load > 0}
        sets = case.router.link_sets()
        self.sets = {name: links for name, links in sets.items() if name in loaded and links.links}
        """The sets with a known load per unit."""
        least = [case.scenario.job.min_crossing_volume(case.job, self.capacity(p), p.groups) for p in chain]
        self.volumes: Floats = np.maximum.accumulate(np.array(least, float))
        """(partitions,) minimum volume between groups, coarsest first; finer partitions are crossed by no less."""
        self._within: dict[float, Floats] = {}

    def capacity(self, partition: Partition) -> int:
        """Return the number of tasks that fit into a group."""
        return self.case.room(partition.name, partition.nodes)

    def gbs(self, name: str) -> float:
        """Return the bandwidth of a link of a set."""
        return self.case.network.link_class(self.sets[name].link_class).gbs

    def part(self, name: str) -> float | None:
        """Return a number that divides the loads of a set's links."""
        return load_quantum(self.case, self.sets[name].link_class)

    def shared(self, names: list[str]) -> Shared:
        """Return some sets with their shares of the crossing volumes."""
        loads = np.array([[p.least.get(name, 0.0) for p in self.chain] for name in names])
        return Shared(loads, np.array([self.sets[name].links * self.gbs(name) for name in names]))

    def volumes_within(self, time: float) -> Floats:
        """Return the minimum volumes if no link takes longer than `time`: gates limit the traffic between groups.

        Volumes are multiples of the job's quantum, and so are the limits.
        """
        first = self.chain[0]
        if first.gates is None:
            return self.volumes
        limit = time * first.gates.links * self.case.network.link_class(first.gates.link_class).gbs
        quantum = self.case.job.quantum
        if quantum is not None:
            limit = floor(limit / float(quantum) * (1 + CLEARLY)) * float(quantum)
        if limit not in self._within:
            job, capacity = self.case.job, self.capacity(first)
            least = self.case.scenario.job.min_crossing_volume_split(job, capacity, first.groups, limit)
            self._within[limit] = np.maximum(self.volumes, least)
        return self._within[limit]


def _least_time(question: _Question, names: list[str], split: bool = True) -> float:
    """Return a time that the sets need together, considering quanta and, if `split`, the limits between groups.

    The mean comes first. Then the time goes through the values at which some set's links may carry one more quantum:
    nothing changes in between, so if one value is impossible, so are all up to the next.
    """
    shared = question.shared(names)
    time = float(shared.least(question.volumes).max())
    steps = {name: (question.part(name) or 0.0) / question.gbs(name) for name in names}
    coarse = {name: step for name, step in steps.items() if step > COARSE * time}
    for _ in range(MAX_QUANTA if coarse and time > 0 else 0):
        counts = {name: floor(time / step * (1 + CLEARLY)) for name, step in coarse.items()}
        after = min((count + 1) * coarse[name] for name, count in counts.items())
        spans = [counts[name] * coarse[name] if name in coarse else after for name in names]
        volumes = question.volumes_within(time) if split else question.volumes
        if not shared.exceeds(volumes, np.array(spans)):
            break
        time = after
    return time


def _single(question: _Question, name: str) -> Bound:
    links, chain, measure = question.sets[name], question.chain, question.case.job.measure
    gbs = question.gbs(name)
    shared = question.shared([name])
    mean = float(shared.least(question.volumes).max()) * gbs
    gates = chain[0].gates
    # Limits between groups depend on the time of their gates, so they prove nothing about another class alone.
    plain = time = _least_time(question, [name], split=False)
    if gates is not None and gates.link_class == links.link_class:
        time = _least_time(question, [name])
    total, leaving = mean * links.links, _leaving(question, shared)
    # If every unit crosses one of these links, it suffices to name them.
    each = len(leaving) == 1 and total >= leaving[0][0] * (1 - CLEARLY)
    words = links_text(name)
    over = f" over {words}" if each else f", loading {words} with {measure.amount(total)} in total"
    derivation = (
        *_room_steps(question, leaving),
        mean_step(name, links.links, gbs, total, measure),
        *rounding_step(mean, plain * gbs, question.part(name), measure),
        *(_split_step(chain[0].name, words, time * gbs, measure) if time > plain * (1 + CLEARLY) else ()),
    )
    return Bound(time, links.link_class, f"at least {_must_leave(leaving, measure)}{over}", derivation)


def _joint(question: _Question) -> Bound:
    names, measure = list(question.sets), question.case.job.measure
    classes = links_of(*dict.fromkeys(links.link_class for links in question.sets.values()))
    leaving = _leaving(question, question.shared(names))
    parts = any(question.part(name) for name in names)
    derivation = (
        *_room_steps(question, leaving),
        f"A mapping or path that spares some of the {classes} loads the others. Every mapping therefore needs at "
        "least a certain weighted sum of their loads, and the best weights give a stronger bound than any class alone.",
        *(("Loads come in whole parts, which raises the bound to the next possible value.",) if parts else ()),
    )
    reason = f"at least {_must_leave(leaving, measure)}, sharing {classes}"
    return Bound(_least_time(question, names), None, reason, derivation)


Leaving = list[tuple[float, Partition]]
"""Least volumes between the groups of partitions, coarsest first."""


def _leaving(question: _Question, shared: Shared) -> Leaving:
    # The volumes that matter.
    decisive = shared.decisive(question.volumes) or [0]
    return [(float(question.volumes[k]), question.chain[k]) for k in decisive]


def _must_leave(leaving: Leaving, measure: Measure) -> str:
    # "368 units must leave their supernodes and 768 their drawers".
    (first, coarsest), *others = leaving
    single_unit = measure.number(first) == "1"
    groups = f"its {coarsest.name}" if single_unit else f"their {plural_noun(coarsest.name)}"
    more = [f"{measure.number(volume)} their {plural_noun(finer.name)}" for volume, finer in others]
    return enumerated([f"{measure.amount(first)} must leave {groups}", *more])


def _room_steps(question: _Question, leaving: Leaving) -> Iterator[str]:
    case = question.case
    for volume, partition in leaving:
        must = _must_leave([(volume, partition)], case.job.measure)
        yield f"{room_text(case, partition.name, partition.nodes)}, so at least {must}."


def _split_step(group: str, links: str, least: float, measure: Measure) -> tuple[str, ...]:
    return (
        f"If all {links} carried less than {measure.amount(least)}, so little could pass between any two "
        f"{plural_noun(group)} that the tasks of a {group} would have to lie in more pieces. Then more {measure.many} "
        f"would leave than the {links} could carry.",
    )
