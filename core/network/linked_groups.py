"""Networks of groups that are all linked to each other: two levels of complete graphs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LinkedGroups:
    """Groups of places, a place being a node or the router of some nodes; all links between places are direct."""

    groups: int
    places: int
    """Places of a group, all linked to each other."""
    room: int
    """Tasks that a place can hold."""
    gates: Ints
    """(groups, groups, links) places of each group whose links lead to each other group."""
    drawer: int
    """Consecutive places whose links have `near_gbs`; all places of a group if it has one class of links."""
    near_gbs: float
    far_gbs: float
    """Bandwidth of links in a drawer, and of the other links in a group, GB/s."""
    between_gbs: float
    """Bandwidth of links between groups, GB/s."""
    striped: bool = False
    """Whether the default routing spreads traffic inside a group over the drawer of its source."""
    bucket: int = 0
    """Places of which the remainder of the other group's number selects a gate; 0 for other rules."""

    @property
    def slots(self) -> int:
        """Return the tasks that fit a group."""
        return self.places * self.room
