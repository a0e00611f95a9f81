"""Where else a search may begin: all mappings that are declared, with all their presets."""

from collections.abc import Iterator
from typing import cast

from msgspec.structs import replace

from core.load.scenario import Case
from core.mapping import AnyMapping
from core.mapping.mapping import MappingSpec
from core.optimise.move_constraints import ANYWHERE, TASK, MoveConstraints
from core.spec import fields_of, members, to_plain


def starts(case: Case, constraints: MoveConstraints, searched: bool) -> tuple[MappingSpec, ...]:
    """Return mappings to begin with, which may refuse the case; none unless everything may go anywhere.

    `searched`: those whose strategy searches itself and takes a while, or those that are there at once.
    """
    if not anywhere(case, constraints):
        return ()
    return tuple(strategy for strategy in strategies() if strategy.searches == searched)


def anywhere(case: Case, constraints: MoveConstraints) -> bool:
    """Return whether every task may go to every slot of the job."""
    bound = constraints.together != TASK or constraints.within != ANYWHERE or constraints.pinned.size
    return not bound and (constraints.empty or case.job.tasks == case.slots)


def strategies() -> Iterator[MappingSpec]:
    """Yield all mappings that are declared, as they come and with each preset; each may refuse a case."""
    for kind in cast("tuple[type[MappingSpec], ...]", members(AnyMapping)):
        if not any(field.required or field.is_file for field in fields_of(kind)):
            yield kind()
        yield from (kind(**values) for values in kind.presets.values())


def reseeded(strategy: MappingSpec) -> MappingSpec:
    """Return the strategy with the next seed; one that draws nothing returns itself."""
    if "seed" not in strategy.__struct_fields__:
        return strategy
    return replace(strategy, seed=to_plain(strategy)["seed"] + 1)
