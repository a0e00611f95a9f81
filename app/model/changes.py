"""Changes of the state, as flags."""

import enum


class ChangeSet(enum.Flag):
    """Changes of the state, so that views update only the parts concerned."""

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
    """Another top of the colour scale, held or in transition: colours only."""
    SELECTION = enum.auto()
    HOVER = enum.auto()
    EXPLANATION = enum.auto()
    """The causes of the selected link's load are known."""
    PATHS = enum.auto()
    """The known paths of the selected or hovered flow changed."""
    STATUS = enum.auto()
    """`State.computations` or `State.error` changed."""
    PROGRESS = enum.auto()
    """Only the fraction done of a computation changed: only widgets with a progress bar need a refresh."""
    FILE = enum.auto()
    """Path, note, snapshots, or whether there are unsaved changes."""
    MARKED = enum.auto()
    """Other tasks are selected."""
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
    ROUTES = enum.auto()
    """The analysis of the routing, the path between two nodes, or whether they are drawn."""
    ANALYSIS = enum.auto()
    """The fraction done of the analysis of the routing, or of failures."""
    CHANNELS = enum.auto()
    """The channels drawn on the machine, or their repeated links."""
    WHAT_IF = enum.auto()
    """The failures to evaluate, or the evaluated ones."""
    ALL = (
        TOPOLOGY | MAPPING | LOADS | STYLE | SCALE | SELECTION | HOVER | EXPLANATION | PATHS | STATUS | PROGRESS
        | FILE | MARKED | TOOL | HISTORY | COMPARISON | ADVICE | SEARCH | TIME | TOUR | PANELS | ROUTES
        | ANALYSIS | CHANNELS | WHAT_IF
    )  # fmt: skip


COLOURS = ChangeSet.TOPOLOGY | ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.SCALE
"""Changes that may change the colour of a link."""
EVALUATION = ChangeSet.MAPPING | ChangeSet.LOADS | ChangeSet.FILE | ChangeSet.EXPLANATION | ChangeSet.STATUS
"""Changes that every evaluation of the displayed network makes."""
