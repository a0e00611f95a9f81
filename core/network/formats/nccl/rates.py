"""Bandwidths of the links in a server, GB/s in one direction."""

import re
from bisect import bisect_right

from core.network.formats.nccl.elements import Element

ENCODING = {2.5: 0.8, 5.0: 0.8, 8.0: 128 / 130, 16.0: 128 / 130, 32.0: 128 / 130, 64.0: 242 / 256}
"""Share of the transferred bits that are data, by the rate of a PCIe lane, GT/s."""
SPEED = re.compile(r"(\d{1,3}(?:\.\d)?) GT/s(?: PCIe)?", re.IGNORECASE)
ASSUMED_SPEED, ASSUMED_WIDTH = 8.0, 16
"""GT/s and lanes of a link for which the file has none, as in NCCL."""
ASSUMED_NET = 10_000
"""Mb/s of a network without a speed, as in NCCL."""
NVLINK = ((60, 20.0), (70, 25.0), (100, 50.0))
"""GB/s of an NVLink, from each compute capability on: P100; V100, A100 and H100; B200."""
XGMI = 50.0
NUMA = 10.0
"""GB/s of an xGMI link, and between two CPUs."""


def pcie_speed(pci: Element) -> float | None:
    """Return the rate of a lane of the link from a PCI device to its bridge, GT/s; None if unknown."""
    match = SPEED.fullmatch(pci.get("link_speed"))
    return float(match[1]) if match and float(match[1]) in ENCODING else None


def pcie_gbs(pci: Element) -> float:
    """Return the bandwidth of the link from a PCI device to its bridge.

    Raises SpecError: naming the line, if its number of lanes is invalid.
    """
    speed, lanes = pcie_speed(pci) or ASSUMED_SPEED, pci.number("link_width") or ASSUMED_WIDTH
    return lanes * speed * ENCODING[speed] / 8


def nvlink_gbs(sm: int) -> float:
    """Return the bandwidth of an NVLink of a GPU with a compute capability such as 90; of V100 for 0, unknown."""
    place = bisect_right(NVLINK, (sm or 70, float("inf")))
    return NVLINK[max(place - 1, 0)][1]
