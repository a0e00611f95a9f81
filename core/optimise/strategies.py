"""Results of all declared mapping strategies on a case."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from core.load.evaluate import evaluate
from core.load.scenario import Case
from core.mapping.mapping import MappingSpec, Slots
from core.optimise.initial_mappings import strategies
from core.spec import Progress, SpecError, no_progress, subprogress


class StrategyResult(NamedTuple):
    """Result of a strategy."""

    strategy: MappingSpec
    throughput_gbs: float | None
    """Throughput per node, GB/s; None if no link carries anything."""
    time: float
    figure: float
    """The figure by which they are compared; the smallest is best."""
    hops: float
    """Sum of all link loads."""

    @property
    def name(self) -> str:
        """Return its title, with the preset if its values are a preset's."""
        fields = {name: getattr(self.strategy, name) for name in self.strategy.__struct_fields__}
        presets = self.strategy.presets.items()
        preset = next((name for name, values in presets if values.items() <= fields.items()), "")
        return f"{self.strategy.title}: {preset}" if preset else self.strategy.title


def strategy_results(
    case: Case, progress: Progress = no_progress, figure_of: Callable[[Slots], float] | None = None
) -> tuple[StrategyResult, ...]:
    """Return the result of each declared strategy that fits the case, the best by `figure_of` (time if None) first.

    Raises Cancelled: when `progress` does.
    """
    results, declared = list[StrategyResult](), list(dict.fromkeys(strategies()))
    for k, strategy in enumerate(declared):
        try:
            part = subprogress(progress, k, k + 1, len(declared))
            mapping = strategy.build(case.job, case.network, case.allocation, progress=part)
        except SpecError:
            progress((k + 1) / len(declared))
            continue
        report = evaluate(replace(case, mapping=mapping))
        if not report.disconnected:
            figure = report.time if figure_of is None else figure_of(mapping.slots)
            times = report.throughput_gbs, report.time
            results.append(StrategyResult(strategy, *times, figure, float(report.load.sum())))
        progress((k + 1) / len(declared))
    return tuple(sorted(results, key=lambda result: result.figure))
