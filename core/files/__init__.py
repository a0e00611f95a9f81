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

__all__ = [
    "SUFFIX", "decode", "decode_network", "encode", "read_network", "read_scenario", "write_links", "write_scenario",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    # Loaded when first asked for: `core.files.atomic` needs none of it, nor does the help of the command line.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("core.files.links" if name == "write_links" else "core.files.scenario_file"), name)
