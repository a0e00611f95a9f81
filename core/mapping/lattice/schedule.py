"""The annealings of a trial, and how it treats edges of a task that leave its group by the same gates."""

from typing import NamedTuple

Heats = tuple[float, float]
"""First and last temperature."""


class LabelPhase(NamedTuple):
    """An annealing of labels: see `core.mapping.lattice.label_kernels.anneal_labels`."""

    steps: int
    """Steps per task of a group."""
    heats: Heats


class Phase(NamedTuple):
    """An annealing of places: see `core.mapping.lattice.place_kernels.anneal_places`."""

    steps: int
    """Steps per task of a group."""
    heats: Heats
    by_place: float
    relabelled: float


class Schedule(NamedTuple):
    """The annealings of a trial: labels, then places, then both."""

    labels: LabelPhase
    places: Phase
    joint: Phase


TASKS = Schedule(
    LabelPhase(16_000, (6.0, 0.2)), Phase(1_600, (0.15, 0.005), 0.12, 0.0), Phase(3_200, (0.1, 0.003), 0.12, 0.15)
)
BLOCKS = Schedule(
    LabelPhase(800, (60.0, 1.0)), Phase(2_400, (0.05, 0.003), 0.5, 0.0), Phase(2_400, (0.03, 0.002), 0.12, 0.05)
)
"""For labels of tasks, and for labels of blocks."""
BLOCK = 4
"""Side of the blocks whose tasks get one label, in half of the trials in which links carry several edges of a task."""
FEWEST_BLOCKS = 4
TILE = 2
"""Side of the tiles of a block whose tasks start at neighbouring places."""
REPEATS, CLOSE = 4, 1.1
"""How often the last phase is repeated while the time is less than this factor above the target."""
AT_ONCE = 50_000
"""Steps between calls of `progress`."""


class Collisions(NamedTuple):
    """The weight of pairs of edges of a task that leave its group by the same gates."""

    energy: float
    """Energy of each pair."""
    most: int
    """Number of pairs that are accepted."""


IGNORED = Collisions(0.0, 0)
CARRIED = Collisions(0.3, 1 << 31)
"""Any link inside a group can carry two edges, but not all edges of a task."""
NEAR_ONLY = Collisions(2.0, 4)
"""Only links in a drawer can, and all gates to a group lie in a drawer, where the task can be."""
FORBIDDEN = Collisions(4.0, 0)
"""No place suits the task."""
