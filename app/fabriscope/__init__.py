"""Loads, throughput and bottleneck of parallel jobs on supercomputer networks, and searches for better mappings.

    import fabriscope

    scenario = fabriscope.Scenario("power775-smallest", mapping="random:seed=3")
    result = scenario.evaluate()
    print(result.throughput_gbs, result.bottleneck, result.bound_gbs)
    print(scenario.loads.utilisation.max())
    better = scenario.optimise(steps=10_000).scenario
    better.save("better.fabriscope.json")
    scenario.render().save("machine.png")

Results are immutable, with documented fields (``help(fabriscope.Evaluation)``) that the commands of the same names
print as JSON. Invalid input raises `Error`, a ValueError that names the field and the valid values. Nothing is printed.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    # Loaded on demand: the command line starts here, and Ctrl-C has to end it during imports. Tools that inspect every
    # module, such as PySide6's, ask for special names while the program itself is being imported.
    if name == "__all__" or not name.startswith("__"):
        from app import api

        if name == "__all__":
            return api.__all__
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
