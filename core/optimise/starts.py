"""Alternative start mappings: all declared strategies, with all their presets."""

from collections.abc import Iterator
from typing import cast

from msgspec.structs import replace

from core.load.scenario import Case
from core.mapping import AnyMapping
from core.mapping.mapping import MappingSpec
from core.optimise.move_constraints import ANYWHERE, TASK, MoveConstraints
from core.spec import fields_of, members, to_plain


def starts(case: Case, constraints: MoveConstraints, searched: bool) -> tuple[MappingSpec, ...]:
    """Return strategies to start from, some of which may not fit the case; none unless tasks may go anywhere.

    `searched` selects strategies that search themselves, which take a while, or the others.
    """
    if not anywhere(case, constraints):
        return ()
    return tuple(strategy for strategy in strategies() if strategy.searches == searched)


def anywhere(case: Case, constraints: MoveConstraints) -> bool:
    """Return whether every task may go to every slot of the job."""
    bound = constraints.together != TASK or constraints.within != ANYWHERE or constraints.pinned.size
    return not bound and (constraints.empty or case.job.tasks == case.slots)


def strategies() -> Iterator[MappingSpec]:
    """Yield all declared strategies, with defaults and with each preset; some may not fit a case."""
    for kind in cast("tuple[type[MappingSpec], ...]", members(AnyMapping)):
        if not any(field.required or field.is_file for field in fields_of(kind)):
            yield kind()
        yield from (kind(**values) for values in kind.presets.values())


def reseeded(strategy: MappingSpec) -> MappingSpec:
    """Return the strategy with the next seed, or itself if it is not random."""
    if "seed" not in strategy.__struct_fields__:
        return strategy
    return replace(strategy, seed=to_plain(strategy)["seed"] + 1)
