"""Loads as integers: the unit of which all loads of a group's links are multiples, and the limits for a given time."""

from dataclasses import dataclass
from math import gcd, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.stencil import Stencil
from core.network.linked_groups import LinkedGroups

MOST_QUANTA = 256
"""Multiples of the smallest load up to which the times of links are targets of a search."""
MOST_LOAD = 1 << 24
"""Limit beyond which no load gets."""
ROUNDING = 1e-9


class Limits(NamedTuple):
    """Largest loads of links in a drawer and of other links in a group, and messages from a group to another."""

    near: int
    far: int
    between: int


@dataclass(frozen=True)
class Units:
    """Loads of a message of weight 1 on the links of a group, in multiples of ``volume / full``."""

    groups: LinkedGroups
    volume: float
    """Volume of the message."""
    full: int
    """Load of a link that alone carries the message."""

    @classmethod
    def of(cls, stencil: Stencil, groups: LinkedGroups) -> "Units":
        """Return the units for a stencil: the coarsest in which all loads are integers."""
        links = groups.gates.shape[2]
        return cls(groups, stencil.part, lcm(links, groups.drawer) if groups.striped else links)

    @property
    def links(self) -> int:
        """Return the number of links between two groups."""
        return int(self.groups.gates.shape[2])

    @property
    def leg(self) -> int:
        """Return the load of the link between a place and each of its gates."""
        return self.full // self.links

    @property
    def stripe(self) -> int:
        """Return the load of each link that shares traffic in a group, 0 without sharing."""
        return self.full // self.groups.drawer if self.groups.striped else 0

    @property
    def hop(self) -> int:
        """Return the load of the link between two places for a message between them, 0 with sharing."""
        return 0 if self.groups.striped else self.full

    def limits(self, time: float) -> Limits:
        """Return the limits at which no link takes longer than `time`."""
        groups = self.groups
        unit, between = self.volume / self.full, self.volume / self.links
        of = (groups.near_gbs / unit, groups.far_gbs / unit, groups.between_gbs / between)
        return Limits(*(int(min(max(time * rate * (1 + ROUNDING), 1), MOST_LOAD)) for rate in of))

    def time(self, loads: Limits) -> float:
        """Return the time of the busiest link, given the largest loads."""
        groups = self.groups
        near, far = loads.near / groups.near_gbs, loads.far / groups.far_gbs
        between = loads.between * self.full / self.links / groups.between_gbs
        return float(max(near, far, between) * self.volume / self.full)

    def times(self, weight: int) -> NDArray[np.float64]:
        """Return the times at which a limit rises, of links between groups or between drawers, ascending.

        Parameters
        ----------
        weight
            Total weight of the messages of a group.
        """
        between = [self.time(Limits(0, 0, count)) for count in range(1, weight + 1)]
        quantum = gcd(self.leg, self.stripe, self.hop)
        inside = [self.time(Limits(0, quantum * count, 0)) for count in range(1, MOST_QUANTA + 1)]
        return np.unique(np.round([*between, *inside], 12))
