"""Fabriscope from Python: loads, throughput and bottleneck of a scenario, searches for better mappings, metrics.

    import fabriscope

    result = fabriscope.evaluate("my.fabriscope.json")
    print(result.throughput_gbs, result.bottleneck, result.bound_gbs)
    better = fabriscope.optimise("my.fabriscope.json", seconds=10)
    print(fabriscope.evaluate(better.scenario).throughput_gbs)
    print(fabriscope.metrics("torus:dims=8x8x8").diameter)

Results are frozen, with the names and figures of what the commands of the same names print as JSON. Bad input raises
`SpecError`, a ValueError that names the field and says what is right. Nothing is printed, and no window is needed.
"""

from app.cli.api import Evaluation, Measures, Optimised, SpecError, evaluate, metrics, optimise

__all__ = ["Evaluation", "Measures", "Optimised", "SpecError", "evaluate", "metrics", "optimise"]
