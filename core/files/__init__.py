"""Scenario files, and formats to import and export."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.files.links import write_links
    from core.files.scenario_file import (
        SUFFIX,
        decode,
        decode_network,
        encode,
        read_network,
        read_scenario,
        write_scenario,
    )
    from core.files.steps import write_steps

__all__ = [
    "SUFFIX", "decode", "decode_network", "encode", "read_network", "read_scenario", "write_links", "write_scenario",
    "write_steps",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    # Loaded on demand: `core.files.atomic` and the help of the command line need none of it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = {"write_links": "links", "write_steps": "steps"}.get(name, "scenario_file")
    return getattr(import_module(f"core.files.{module}"), name)
