"""Forwarding tables of the switches of a fabric, as files hold them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import plural

NO_PORT = 255
"""Entry without a port: the switch drops packets for the LID."""
MAX_LID = 0xBFFF
"""The last unicast LID."""
SWITCH_ITSELF = 0
"""Port of the switch itself, for its own LID."""


@dataclass(frozen=True, eq=False)
class ForwardingTables:
    """The port at which each switch forwards packets, by their destination LID."""

    guids: NDArray[np.uint64]
    """(switches,) GUID of every switch, ascending."""
    names: tuple[str, ...]
    """Name of every switch in the file; empty texts where it gives none."""
    ports: NDArray[np.uint8]
    """(switches, LIDs) port by LID from 0; `NO_PORT` where the table has no port."""
    warnings: tuple[str, ...] = ()
    """Warnings on lines of the file that are skipped."""

    @property
    def summary(self) -> str:
        """Return the contents in words: ``tables of 8 switches with 180 entries``."""
        entries = int(np.count_nonzero(self.ports != NO_PORT))
        of_switches = f"tables of {plural(self.guids.size, 'switch')}"
        return f"{of_switches} with {plural(entries, 'entry')}"
