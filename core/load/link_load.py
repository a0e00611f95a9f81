"""Constant background load of single links, of unknown origin: see `core.load.neighbours`."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.faults import LinkFault, Named
from core.network.network import Network
from core.spec import SpecError, declare

UNKNOWN = "unknown background"
"""The name of this load among jobs."""
MAX_LOAD = 1e15
Loads = NDArray[np.float64]


class LinkLoad(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A link, in one direction, with its constant background load."""

    src: Annotated[Named, declare("From", "number or name of the vertex that the link leaves, perhaps with its port")]
    dst: Annotated[Named, declare("To", "number or name of the vertex that the link enters, perhaps with its port")]
    load: Annotated[
        float, declare("Load", "load while the job sends all its volume once, in units or in GB", gt=0, le=MAX_LOAD)
    ]
    parallel: Annotated[int, declare("Parallel link", "index among the links between these vertices", ge=0)] = 0

    @classmethod
    def of(cls, network: Network, link: int, load: float) -> "LinkLoad":
        """Return the load of a link, given by the numbers of its ends."""
        return cls(int(network.src[link]), int(network.dst[link]), load, network.parallel(link))

    def link(self, network: Network) -> int:
        """Return the number of the link.

        Raises SpecError: naming the field, if there is no such link.
        """
        return LinkFault(self.src, self.dst, self.parallel).link(network)


def loads_of_links(network: Network, background: Sequence[LinkLoad]) -> Loads:
    """Return the background load of every link, ``(links,)``; of size 0 without any.

    Raises SpecError: naming the entry with an unknown link.
    """
    if not background:
        return np.zeros(0)
    if network.aggregation > 1:
        words = f"does not support aggregated networks, such as this one with {network.real_links:,} links"
        raise SpecError("background", f"{words}; remove the background loads, or choose a smaller network")
    loads = np.zeros(network.links)
    for number, entry in enumerate(background):
        try:
            loads[entry.link(network)] += entry.load
        except SpecError as error:
            raise SpecError(f"background[{number}].{error.field}", error.message) from error
    return loads


def fitting_loads(network: Network, background: Sequence[LinkLoad]) -> tuple[LinkLoad, ...]:
    """Return the loads whose links exist in the network."""
    return tuple(entry for entry in background if network.aggregation == 1 and _fits(network, entry))


def _fits(network: Network, entry: LinkLoad) -> bool:
    try:
        entry.link(network)
    except SpecError:
        return False
    return True
