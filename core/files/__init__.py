"""Scenario files, and formats to import and export."""

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
