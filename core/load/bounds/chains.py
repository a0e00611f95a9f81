"""Bounds from the volume crossing a chain of ever finer partitions, by class and for all classes together."""

from collections.abc import Iterator
from math import floor

import numpy as np
from numpy.typing import NDArray

from core.load.bounds.bound import CLEARLY, Bound, load_quantum, rounding_note
from core.load.bounds.joint import Shared
from core.load.scenario import Case
from core.routing.router import Partition

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
    links, chain = question.sets[name], question.chain
    gbs, words = question.gbs(name), name if " " in name else f"{name} links"
    shared = question.shared([name])
    mean = float(shared.least(question.volumes).max()) * gbs
    gates = chain[0].gates
    # Limits between groups depend on the time of their gates, so they prove nothing about another class alone.
    plain = time = _least_time(question, [name], split=False)
    if gates is not None and gates.link_class == links.link_class:
        time = _least_time(question, [name])
    measure = question.case.job.measure
    reason = (
        f"{_leaving(question, shared)}; they load {words} with {measure.number(mean * links.links)}, "
        f"{measure.number(mean)} a link on average{rounding_note(mean, time * gbs, measure)}"
    )
    if time > plain * (1 + CLEARLY):
        reason += f"; with less between any two, the tasks of a {chain[0].name} lie in more pieces, and too much leaves"
    return Bound(time, links.link_class, reason)


def _joint(question: _Question) -> Bound:
    names = list(question.sets)
    classes = list(dict.fromkeys(links.link_class for links in question.sets.values()))
    rounding = ", and loads come in whole parts" if any(question.part(name) for name in names) else ""
    reason = (
        f"{_leaving(question, question.shared(names))}; "
        f"what spares some of {', '.join(classes[:-1])} and {classes[-1]} links loads the others{rounding}"
    )
    return Bound(_least_time(question, names), None, reason)


def _leaving(question: _Question, shared: Shared) -> str:
    decisive = [(question.volumes[k], question.chain[k].name) for k in shared.decisive(question.volumes)]
    (first, name), *others = decisive or [(question.volumes[0], question.chain[0].name)]
    measure = question.case.job.measure
    more = "".join(f", {measure.number(volume)} their {finer}" for volume, finer in others)
    return f"at least {measure.amount(first)} leave their {name}{more}"
