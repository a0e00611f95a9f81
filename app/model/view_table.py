"""The table of all views, read by the window, its menus, `render --view` and the reference.

A view is a subclass of `app.views.view.View` with its id in this table. Modules are imported on first use.
"""

from dataclasses import dataclass
from typing import Literal

from app.model.priority import Priority

Slot = Literal["machine", "right", "below", "charts"]
"""The place in the window: the middle, right of it, below it, or a tab among the charts."""


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """A view of the window."""

    id: str
    """Name on the command line."""
    title: str
    slot: Slot
    priority: Priority
    widget: str
    """Module and class; `app.views.view.load` imports it."""
    shortcut: str = ""
    """Shortcut of the command that brings it to the front; empty for no such command."""
    coloured: bool = True
    """Whether it shows loads in the colour scale."""


VIEWS = (
    ViewSpec("machine", "Machine", "machine", Priority.POINTER, "app.views.machine.view:MachineView"),
    ViewSpec("job", "Job", "right", Priority.TASKS, "app.views.heatmaps.task_grid:JobGridView", coloured=False),
    ViewSpec("inner", "Inner links", "right", Priority.LINKS, "app.views.heatmaps.inner_matrix:InnerMatrixView"),
    ViewSpec("matrix", "Bundles", "below", Priority.BUNDLES, "app.views.heatmaps.bundle_matrix:BundleMatrixView"),
    ViewSpec("distribution", "Distribution", "charts", Priority.CHARTS,
             "app.views.charts.distribution:DistributionView"),
    ViewSpec("history", "History", "charts", Priority.CHARTS, "app.views.charts.history:HistoryView", "Ctrl+Alt+H",
             coloured=False),
    ViewSpec("timeline", "Timeline", "charts", Priority.CHARTS, "app.views.charts.timeline:TimelineView", "Ctrl+Alt+T",
             coloured=False),
    ViewSpec("traffic", "Traffic", "charts", Priority.CHARTS, "app.views.heatmaps.traffic:TrafficView", "Ctrl+Alt+R",
             coloured=False),
)  # fmt: skip
SPECS = {spec.id: spec for spec in VIEWS}
"""The views by id."""
