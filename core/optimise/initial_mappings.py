"""Mappings that a search may begin with: the declared strategies with their presets, and the best single swap."""

import dataclasses
from collections.abc import Iterator
from typing import cast

import numpy as np
from msgspec.structs import replace

from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.load.swap_suggestions import quick, suggest_swaps
from core.mapping import AnyMapping
from core.mapping.mapping import MappingSpec, Slots
from core.optimise.move_constraints import TASK, MoveConstraints
from core.spec import fields_of, members, to_plain

AT_ONCE = 2
"""Number of strategies that search themselves tried before a round."""


def declared_starts(case: Case, constraints: MoveConstraints) -> tuple[MappingSpec, ...]:
    """Return the strategies to start from, some of which may not fit; empty unless tasks may go anywhere."""
    return tuple(strategies()) if anywhere(case, constraints) else ()


class DeclaredStarts:
    """The declared strategies that a search has still to try.

    If all can be evaluated in well under a second, the first worker tries them before the search begins. Otherwise the
    strategies that do not search themselves come first, one by one, and before each round a few of the others, shared
    among the workers.

    Parameters
    ----------
    rank, of
        Number of this worker, and the number of workers.
    fresh
        Whether the search is new. A continued search has tried them.
    """

    def __init__(self, case: Case, declared: tuple[MappingSpec, ...], rank: int, of: int, fresh: bool) -> None:
        simple, searched = ([s for s in declared if s.searches == searches] for searches in (False, True))
        self.at_once = fresh and rank == 0 and quick(case)
        """Whether this worker tries all before the search begins."""
        self.first = [] if not fresh or quick(case) else simple[rank::of]
        """Strategies to be tried one by one."""
        self._all = [*simple, *searched] if self.at_once else []
        self._searched = [] if self.at_once else searched[rank::of]

    def all_at_once(self) -> list[MappingSpec]:
        """Return all strategies, once."""
        strategies, self._all = self._all, []
        return strategies

    def next_searched(self) -> list[MappingSpec]:
        """Return the next strategies that search themselves."""
        some, self._searched = self._searched[:AT_ONCE], self._searched[AT_ONCE:]
        return some

    def promising(self, strategy: MappingSpec) -> None:
        """Try a strategy again later, with another seed, if it draws at random while it searches."""
        if strategy.searches:
            self._searched.append(reseeded(strategy))


def anywhere(case: Case, constraints: MoveConstraints) -> bool:
    """Return whether every task may go to every slot of the job."""
    return not constraints.restrict and (constraints.empty or case.job.tasks == case.slots)


class StartNetwork:
    """The network as strategies see it: a slot for each task that a node has cores for."""

    def __init__(self, case: Case) -> None:
        network, self._each = case.network, case.mapping.cores_per_rank
        self._case, self._network, self._allocation = case, network, case.allocation
        if self._each > 1:
            places = network.slots_per_node // self._each
            self._network = dataclasses.replace(network, slots_per_node=places, cores=0)
            if case.allocation is not None:
                self._allocation = dataclasses.replace(case.allocation, network=self._network)

    def slots(self, strategy: MappingSpec) -> Slots:
        """Return the slot of each task in a strategy's mapping, ``(tasks,)``.

        Raises SpecError: if the strategy does not fit.
        """
        slots = strategy.build(self._case.job, self._network, self._allocation).slots
        if self._each == 1:
            return slots
        host, place = self._network.host_slots.place_of(slots)
        return self._case.network.host_slots.slots_at(host, place * np.int32(self._each))


def best_swap(report: LoadReport, constraints: MoveConstraints) -> Slots | None:
    """Return the mapping after the best single swap that the constraints allow, ``(tasks,)``, or None if unknown."""
    if constraints.unit != TASK:
        return None
    best = suggest_swaps(report, limit=1, allowed=constraints.allowed(report.case.network)).best
    return best[0].edit.applied(report.case.mapping).slots if best else None


def strategies() -> Iterator[MappingSpec]:
    """Yield the strategies that start searches, with defaults and with each preset; some may not fit a case."""
    for kind in cast("tuple[type[MappingSpec], ...]", members(AnyMapping)):
        if not kind.starts_searches:
            continue
        if not any(field.required or field.is_file for field in fields_of(kind)):
            yield kind()
        yield from (kind(**values) for values in kind.presets.values())


def reseeded(strategy: MappingSpec) -> MappingSpec:
    """Return the strategy with the next seed, or itself if it is not random."""
    if "seed" not in strategy.__struct_fields__:
        return strategy
    return replace(strategy, seed=to_plain(strategy)["seed"] + 1)
