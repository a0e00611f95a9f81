"""What changed in the state, as flags."""

import enum


class ChangeSet(enum.Flag):
    """What changed, so that a view does the least."""

    NONE = 0
    TOPOLOGY = enum.auto()
    """Another network: geometry must be rebuilt."""
    MAPPING = enum.auto()
    """Other tasks in the slots, or another job."""
    LOADS = enum.auto()
    """Other loads: colours only."""
    STYLE = enum.auto()
    """Theme, colour scale or filter."""
    SELECTION = enum.auto()
    HOVER = enum.auto()
    EXPLANATION = enum.auto()
    """Who causes the chosen link's load has become known."""
    STATUS = enum.auto()
    """Busy, or refused: `State.busy`, `State.error`."""
    FILE = enum.auto()
    """Path, note, snapshots or unsaved changes."""
    MARKED = enum.auto()
    """Other tasks are marked."""
    TOOL = enum.auto()
    """Pointer tool, brush, target, or whether a gesture is under way."""
    HISTORY = enum.auto()
    """Something was done, undone or done again."""
    COMPARISON = enum.auto()
    """Another state A to compare with, or another way to compare."""
    ADVICE = enum.auto()
    """What to move is being looked for, or was found."""
    SEARCH = enum.auto()
    """What the optimiser is asked for, does or has found."""
    TIME = enum.auto()
    """When the phases run has become known, or another moment is looked at."""
    TOUR = enum.auto()
    """Another tour, or another scene of it; or whether it is being presented."""
    ALL = (
        TOPOLOGY | MAPPING | LOADS | STYLE | SELECTION | HOVER | EXPLANATION | STATUS | FILE
        | MARKED | TOOL | HISTORY | COMPARISON | ADVICE | SEARCH | TIME | TOUR
    )  # fmt: skip


EVALUATION = ChangeSet.MAPPING | ChangeSet.LOADS | ChangeSet.FILE | ChangeSet.EXPLANATION | ChangeSet.STATUS
"""What changes with every evaluation of the same network that is shown."""
