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

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.cli.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    # Loaded on demand: the command line starts here, and Ctrl-C has to end it during imports.
    from app.cli import api

    if name == "__all__":
        return api.__all__
    if name not in api.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
