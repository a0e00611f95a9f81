"""Loads, throughput and bottleneck of a scenario, searches for better mappings, and figures of networks and routes.

    import fabriscope

    result = fabriscope.evaluate("my.fabriscope.json")
    print(result.throughput_gbs, result.bottleneck, result.bound_gbs)
    better = fabriscope.optimise("my.fabriscope.json", seconds=10)
    print(fabriscope.evaluate(better.scenario).throughput_gbs)
    print(fabriscope.metrics("torus:dims=8x8x8").diameter)

Results are immutable structs with the fields that the commands of the same names print as JSON.
Invalid input raises `SpecError`, a ValueError that names the field and the valid values. Nothing is printed.
"""

from app.cli.api import (
    Evaluation,
    MeasuredFigures,
    Measures,
    Optimised,
    RouteFigures,
    SpecError,
    evaluate,
    measured,
    metrics,
    optimise,
    routes,
)

__all__ = [
    "Evaluation",
    "MeasuredFigures",
    "Measures",
    "Optimised",
    "RouteFigures",
    "SpecError",
    "evaluate",
    "measured",
    "metrics",
    "optimise",
    "routes",
]
