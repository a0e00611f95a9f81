"""What changed in the state, as flags."""

import enum


class ChangeSet(enum.Flag):
    """What changed, so that a view updates only what it must."""

    NONE = 0
    TOPOLOGY = enum.auto()
    """Another network: geometry must be rebuilt."""
    MAPPING = enum.auto()
    """Other tasks in the slots, or another job."""
    LOADS = enum.auto()
    """Other loads: colours only."""
    STYLE = enum.auto()
    """Theme, colour scale or filter."""
    SCALE = enum.auto()
    """Another top of the colour scale, held during a gesture or on the way to the loads shown: colours only."""
    SELECTION = enum.auto()
    HOVER = enum.auto()
    EXPLANATION = enum.auto()
    """The causes of the selected link's load are known."""
    PATHS = enum.auto()
    """The paths of the selected or hovered flow are known, or no longer."""
    STATUS = enum.auto()
    """Something is being computed, or was refused: `State.computations`, `State.error`."""
    PROGRESS = enum.auto()
    """Only the fraction done of a computation has changed: only widgets with a progress bar need a refresh."""
    FILE = enum.auto()
    """Path, note, snapshots or unsaved changes."""
    MARKED = enum.auto()
    """Other tasks are marked."""
    TOOL = enum.auto()
    """Pointer tool, brush, target, or whether a gesture is under way."""
    HISTORY = enum.auto()
    """A step was done, undone or redone."""
    COMPARISON = enum.auto()
    """Another state A to compare with, or another kind of comparison."""
    ADVICE = enum.auto()
    """A search for swaps has begun or ended."""
    SEARCH = enum.auto()
    """Settings, progress or results of the optimiser."""
    TIME = enum.auto()
    """The timeline is known, or another step is shown."""
    TOUR = enum.auto()
    """Another tour, another scene, or presentation begun or ended."""
    PANELS = enum.auto()
    """Other panels of the window are visible."""
    ALL = (
        TOPOLOGY | MAPPING | LOADS | STYLE | SCALE | SELECTION | HOVER | EXPLANATION | PATHS | STATUS | PROGRESS
        | FILE | MARKED | TOOL | HISTORY | COMPARISON | ADVICE | SEARCH | TIME | TOUR | PANELS
    )  # fmt: skip


COLOURS = ChangeSet.TOPOLOGY | ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.SCALE
"""Changes that may change the colour of a link."""
EVALUATION = ChangeSet.MAPPING | ChangeSet.LOADS | ChangeSet.FILE | ChangeSet.EXPLANATION | ChangeSet.STATUS
"""Changes that every evaluation of the displayed network makes."""
