"""The task grid of the job: the place of each task, or how hot the links at its node are."""

from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.model.changes import ChangeSet
from app.model.comparison_text import compared
from app.model.flow_text import flow_ends
from app.model.measured_text import counters_text
from app.model.places import places_of_tasks, target_at
from app.model.pointing import NO_HIT, Hit, Item, exists, groups_of, tasks_of_flow, vertices_of
from app.session.session import Session
from app.style.colour import category_colours
from app.style.theme import Theme
from app.views.drawing import CENTRE, TextRun, blend, frame_pen, ink, lines_path, scaled_font
from app.views.heatmaps.heatmap_view import EDGE, HeatmapView
from app.views.heatmaps.regions import Lines, Places, label_places, outline, separators
from app.views.heatmaps.task_grid_marks import GridMarks, Place
from app.views.reduce import strongest_at_ends
from app.widgets.combo_box import ComboBox
from app.widgets.labels import WholePartsLabel, with_role
from app.wording.names import member_label, vertex_names
from app.wording.numbers import load_percent
from core.job.job import Job, Tasks
from core.load.scenario import Case
from core.mapping.mapping import Mapping
from core.mapping.targets import Target, target_count
from core.network.network import Network
from core.text import plural

Mask = NDArray[np.bool_]
Value = TypeVar("Value", bound=np.generic)

NODE, LOAD = "node", "hottest link"
"""Colourings of tasks besides the levels of the network."""
LABEL_PX = (16, 13)
"""Minimum width and height of a region with a name, if that fits."""
LABEL_SIZES = (0.85, 0.7, 0.6, 0.5)
"""Sizes of names relative to other type; smaller ones are tried if large type does not fit."""
MAX_LABELS = 600
APART_PX = 5
"""Minimum mean extent of regions that are separated by lines."""
MAX_CELLS = 1 << 18
"""Cells beyond which regions are too small for lines and names on any screen."""
MAX_LIVE = 1 << 14
"""Cells beyond which names are placed only after a gesture, since it takes too long for every move."""
SENDER, RECEIVER = 1, 2
"""Colours of `Theme.roles` for tasks that cause a link's load."""


class JobGridView(HeatmapView):
    """Shows every task of the job at its cell in the grid."""

    id = "job"
    pans: ClassVar[bool] = False
    arrow_keys: ClassVar[bool] = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._colouring = ComboBox()
        self._colouring.setToolTip("Quantity that the colours of the tasks show")
        self._colouring.currentIndexChanged.connect(self._on_colouring_changed)
        label = with_role(WholePartsLabel("Colour by"), "dim")
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # the choice has priority
        label.setBuddy(self._colouring)
        row = QHBoxLayout()
        row.setContentsMargins(EDGE + 4, 0, EDGE, 2)
        row.setSpacing(8)
        row.addWidget(label, 1)
        row.addWidget(self._colouring)
        self.body.insertLayout(0, row)
        self.surface.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.surface.setAccessibleName("Task grid")
        self.event_widget: QWidget = self.surface
        """The widget that gets the pointer's events."""
        self.marks = GridMarks(self.heat)
        self._marked: tuple[Job, Tasks] | None = None
        self._block = ""
        """Size of the selected tasks, if they are a block."""
        self._chosen = ""
        """The colouring chosen by the user, even if the network has no such level."""
        self._default_colouring: tuple[Network, Job, str] | None = None
        """The default colouring, and for which network and job."""
        self._drawn: tuple[Job, Mapping, str] | None = None
        self._node = np.zeros(0, np.int32)
        self.regions: tuple[Lines, Places] | None = None
        self._count = 0
        """Number of categories."""
        self._late = False
        """Whether the names are from before a gesture, as far as they are still valid."""
        self._places: Places | None = None

    @property
    def colouring(self) -> str:
        """Return the colouring: the name of a level, `NODE` or `LOAD`."""
        return self._colouring.currentText()

    def hit_at(self, at: QPointF) -> Hit:
        """Return the hit at a point of the event widget; it has a place even outside the grid."""
        if self.heat.rect.isEmpty():
            return NO_HIT
        (width, height), corner = self.heat.cell, self.heat.rect.topLeft()
        place = (at.y() - corner.y()) / height, (at.x() - corner.x()) / width
        item = self.item_at(at)
        if item is None:
            return Hit(place=place)
        return Hit(item, int(self._node[item.index]), item.index, place)

    def cell_hit(self, row: int, col: int) -> Hit:
        """Return the hit of a cell of the grid, for tools without a pointer."""
        place, task = (row + 0.5, col + 0.5), row * self.case.job.shape[1] + col
        if task >= self.case.job.tasks:
            return Hit(place=place)
        return Hit(Item("task", task), int(self._node[task]), task, place)

    def show_band(self, band: tuple[Place, Place] | None) -> None:
        """Show the rubber band between two places of the grid, or none."""
        if band != self.marks.band:
            self.marks.band = band
            self.surface.update()

    def show_pointer(self, place: Place | None) -> None:
        """Show the brush around a place of the grid, or none."""
        if place != self.marks.pointer:
            self.marks.pointer = place
            if self.state.edit.tool == "paint":
                self.surface.update()

    def show_cursor(self, cell: tuple[int, int] | None) -> None:
        """Show the keyboard's cursor in a cell, or none."""
        self.marks.cursor = cell
        self.surface.update()

    def chosen_tasks(self) -> Tasks:
        """Return the tasks that cause the load of the selected link, or that are on the selected item, ascending."""
        self.catch_up()
        explained = self.state.explained
        if explained is not None:
            return np.union1d(explained.tasks.src, explained.tasks.dst).astype(np.int32)
        return np.flatnonzero(self.tasks_of(self.state.selection)).astype(np.int32)

    @property
    def immediate(self) -> bool:
        """Return True while the grid itself is edited."""
        return self.surface.underMouse() or self.hasFocus()

    def refresh(self, changes: ChangeSet) -> None:
        """Update colours or marks, as the changes require."""
        if self._late and not self.state.edit.gesture:
            # The gesture has ended: now names can be placed.
            self._drawn, changes = None, changes | ChangeSet.MAPPING
        case, marked = self.case, self.state.marked
        if self._marked is None or self._marked[0] is not case.job or self._marked[1] is not marked:
            self._marked = case.job, marked
            self.marks.set_marked(on_grid(mask_of(marked, case.job), case.job, False))
            self._block = block_text(marked, case.job)
        super().refresh(changes)
        if ChangeSet.MARKED in changes:
            self._set_subtitle(self.subtitle())

    def set_colouring(self, name: str) -> None:
        """Choose the colouring."""
        self._colouring.setCurrentText(name)

    def shows_loads(self) -> bool:
        """Return whether colours mean loads."""
        return self.colouring == LOAD

    def load(self, changes: ChangeSet) -> None:
        """Colour the tasks."""
        case, network = self.case, self.case.network
        self._offer(case)
        drawn = (case.job, case.mapping, self.colouring)
        if drawn != self._drawn:
            self._drawn, self.regions = drawn, None
            self._node = case.mapping.nodes
        elif ChangeSet.STYLE not in changes and self.colouring != LOAD:
            return
        if self.colouring == LOAD:
            hottest = on_grid(strongest_at_ends(network, self.state.link_values)[self._node], case.job, np.nan)
            self.gap_alpha = 255
            shading = self.state.shading
            middle = 0.5 if shading.signed else 0.0
            placed = np.isfinite(hottest)
            self.heat.set_values(shading.coordinate(hottest), placed, shading.exceeds(hottest), middle)
            self.mark_bottlenecks(hottest)
        else:
            group, self._count = self._categories(case)
            self.gap_alpha = 60
            grid = on_grid(group, case.job, -1)
            self.heat.set_categories(grid, category_colours(self._count, self.theme.dark))
            if self.regions is None and grid.size <= MAX_CELLS:
                self.regions = separators(grid), self._places_on(grid)

    def subtitle(self) -> str:
        """Return the size of the grid and the meaning of colours, or the number of selected tasks if there are any."""
        case = self.case
        marked = self.state.marked.size
        if marked:
            return f"{self._block or f'{marked:,}'} of {case.job.tasks:,} selected"
        grid = case.job.grid
        tasks = f"{grid[0]:,} × {grid[1]:,} tasks" if grid is not None else plural(case.job.tasks, "task")
        return f"{tasks}, coloured by {self.colouring}"

    def item_at(self, where: QPointF) -> Item | None:
        """Return the task at a point."""
        cell = self.heat.cell_at(where)
        if cell is None:
            return None
        task = cell[0] * self.case.job.shape[1] + cell[1]
        return Item("task", task) if task < self.case.job.tasks else None

    def tasks_of(self, item: Item | None) -> Mask:
        """Return which tasks are on the selected item, shape ``(tasks,)``."""
        case, network = self.case, self.case.network
        tasks = np.zeros(case.job.tasks, np.bool_)
        if item is None or not exists(item, case):
            return tasks
        if item.kind in ("task", "flow"):
            tasks[[item.index] if item.kind == "task" else [*tasks_of_flow(item)]] = True
        elif item.kind in ("group", "bundle") and network.levels:
            tasks |= np.isin(network.levels[0].group[self._node], groups_of(item, case))
        else:
            tasks |= np.isin(self._node, [end for end in _ends(item, case) if end < network.nodes])
        return tasks

    def readout(self) -> tuple[TextRun, ...]:
        """Describe the hovered item; else the causes of the selected link's load, or the selection; else the grid."""
        case, network = self.case, self.case.network
        theme, hover, chosen = self.theme, self.state.hover, self.state.selection
        if (
            self.state.edit.tool == "paint"
            and self.state.edit.target is None
            and hover is not None
            and hover.kind == "task"
        ):
            target = target_at(self.cell_hit(*divmod(hover.index, case.job.shape[1])), self.state)
            if target is not None:
                return (TextRun(f"no target yet, so a stroke paints onto {target.name(network)}", theme.text),)
        if hover is not None and exists(hover, case) and self.marks.band is None:
            return (TextRun(self._describe(hover), theme.text),)
        marked = self.state.marked
        if marked.size:
            nodes = int(np.count_nonzero(np.bincount(self._node[marked])))
            return (TextRun(f"{plural(marked.size, 'task')} selected on {plural(nodes, 'node')}", theme.text),)
        if self.state.explained is not None:
            return (
                TextRun("caused by   ", theme.dim),
                TextRun("senders   ", theme.text, theme.roles[SENDER]),
                TextRun("receivers", theme.text, theme.roles[RECEIVER], dashed=True),
            )
        if chosen is not None and exists(chosen, case):
            return (TextRun(self._describe(chosen), theme.accent),)
        used = int(np.count_nonzero(np.bincount(self._node)))
        sit = plural(used, "node") if network.aggregation == 1 else f"{used:,} × {network.aggregation:,} nodes"
        return (TextRun(f"{plural(case.job.tasks, 'task')} on {sit}", theme.dim),)

    def draw_over(self, painter: QPainter) -> None:
        """Draw lines between regions and their names, and outlines of the hovered and selected items."""
        if self.regions is not None and self.colouring != LOAD:
            self._draw_separators(painter, self.regions[0])
            self._draw_names(painter, self.case.network, self.regions[1])
        chosen, hover, theme = self.state.selection, self.state.hover, self.theme
        if self.state.explained is not None:
            for role, tasks in ((SENDER, self.state.explained.tasks.src), (RECEIVER, self.state.explained.tasks.dst)):
                self._outline(painter, mask_of(tasks, self.case.job), theme.roles[role], dashed=role == RECEIVER)
        self.marks.draw_marked(painter, theme, hatched=self.shows_loads())
        if self.state.explained is None and chosen is not None:
            self._outline_item(painter, chosen, theme.accent)
        if hover is not None and hover != chosen:
            self._outline_item(painter, hover, blend(theme.panel, theme.text, 0.85))
        if not self.for_file:
            self._draw_tools(painter)

    def _draw_tools(self, painter: QPainter) -> None:
        edit, theme = self.state.edit, self.theme
        if edit.grabbed.size:
            self._outline(painter, mask_of(edit.grabbed, self.case.job), theme.accent)
        if edit.drop_target is not None:
            aimed = places_of_tasks(self.case, edit.drop_target.level) == edit.drop_target.index
            self._outline(painter, aimed, theme.accent, dashed=True)
        self.marks.draw_band(painter, theme)
        if edit.tool == "paint":
            colour = None if edit.target is None else target_colour(edit.target, self.case.network, theme)
            self.marks.draw_brush(painter, theme, edit.brush, colour)
        if self.surface.hasFocus():
            self.marks.draw_cursor(painter, theme)

    def _outline_item(self, painter: QPainter, item: Item, colour: QColor | str) -> None:
        """Outline the tasks of an item; the receiver of a flow is dashed, as the receivers of a link's load are."""
        if item.kind == "flow" and exists(item, self.case):
            source, destination = tasks_of_flow(item)
            self._outline(painter, self.tasks_of(Item("task", source)), colour)
            self._outline(painter, self.tasks_of(Item("task", destination)), colour, dashed=True)
        else:
            self._outline(painter, self.tasks_of(item), colour)

    def _outline(self, painter: QPainter, mask: Mask, colour: QColor | str, *, dashed: bool = False) -> None:
        painter.setPen(frame_pen(colour, 2 * self.theme.scale, dashed=dashed))
        lines = outline(on_grid(mask, self.case.job, False))
        painter.drawPath(lines_path(lines, self.heat.rect, self.heat.cell))

    def _places_on(self, grid: NDArray[np.int32]) -> Places:
        places = self._places
        self._late = bool(self.state.edit.gesture) and grid.size > MAX_LIVE and places is not None
        self._places = places.holding(grid) if self._late and places is not None else label_places(grid)
        return self._places

    def _offer(self, case: Case) -> None:
        """Offer the levels of the network and the groups of the job; select the current colouring."""
        offered = [*(level.name for level in case.network.levels), NODE, LOAD, *_group_names(case.job)]
        groups = self.state.groups
        chosen = groups.name if groups is not None else self._chosen
        with QSignalBlocker(self._colouring):
            if offered != [self._colouring.itemText(index) for index in range(self._colouring.count())]:
                self._colouring.clear()
                self._colouring.addItems(offered)
            chosen = chosen if chosen in offered else self._default(case)
            self._colouring.setCurrentIndex(self._colouring.findText(chosen))

    def _default(self, case: Case) -> str:
        """Return the coarsest level at which tasks of the job are at different places at first, else the nodes."""
        if (
            self._default_colouring is None
            or self._default_colouring[0] is not case.network
            or self._default_colouring[1] is not case.job
        ):
            nodes = case.mapping.nodes
            differ = (level.name for level in case.network.levels if np.ptp(level.group[nodes]))
            self._default_colouring = case.network, case.job, next(differ, NODE)
        return self._default_colouring[2]

    def _on_colouring_changed(self, index: int) -> None:
        groups = self.colouring if self.colouring in _group_names(self.case.job) else ""
        # The machine shows groups too, but no other colouring.
        self._chosen = self._chosen if groups else self.colouring
        self.session.colour_by_groups(groups)
        if index >= 0:
            self.refresh(ChangeSet.MAPPING)

    def _categories(self, case: Case) -> tuple[Tasks, int]:
        # The group of each task, and the number of groups.
        if self.state.groups is not None:
            return self.state.groups.group, self.state.groups.count
        for level in case.network.levels:
            if level.name == self.colouring:
                return level.group[self._node], level.count
        return self._node, case.network.nodes

    def _draw_separators(self, painter: QPainter, lines: Lines) -> None:
        length = int((lines.x1 - lines.x0 + lines.y1 - lines.y0).sum())
        rows, cols = self.heat.shape
        if 2 * rows * cols / max(length, 1) * min(self.heat.cell) < APART_PX:
            return
        painter.setPen(frame_pen(self.theme.panel, 1))
        painter.drawPath(lines_path(lines, self.heat.rect, self.heat.cell, -0.5))

    def _draw_names(self, painter: QPainter, network: Network, places: Places) -> None:
        width, height = self.heat.cell
        room = np.stack([places.width * width, places.height * height], axis=1)
        named = np.flatnonzero((room >= LABEL_PX).all(axis=1))[:MAX_LABELS].tolist()
        names = {k: self._names(network, int(places.value[k])) for k in named}
        painter.setFont(self._fitting_font(painter, [(forms[-1], room[k]) for k, forms in names.items() if forms]))
        metrics, colours = QFontMetricsF(painter.font()), category_colours(self._count, self.theme.dark)
        for k, forms in names.items():
            for name in forms:
                if metrics.horizontalAdvance(name) <= room[k, 0] - 3:
                    x = self.heat.rect.left() + float(places.x[k]) * width
                    y = self.heat.rect.top() + float(places.y[k]) * height
                    painter.setPen(ink(QColor(*colours[int(places.value[k])].tolist())))
                    painter.drawText(QRectF(x - room[k, 0] / 2, y - 40, room[k, 0], 80), CENTRE, name)
                    break

    def _fitting_font(self, painter: QPainter, names: list[tuple[str, NDArray[np.float64]]]) -> QFont:
        """Return the largest font in which all names fit, else the usual one."""
        fonts = [
            scaled_font(painter.font(), factor, bold=True) for factor in LABEL_SIZES if factor * self.theme.scale >= 1
        ]
        usual = scaled_font(painter.font(), 1.0, bold=True)
        for font in [usual, *fonts]:
            metrics = QFontMetricsF(font)
            if all(metrics.horizontalAdvance(name) <= x - 3 and metrics.ascent() <= y for name, (x, y) in names):
                return font
        return usual

    def _names(self, network: Network, value: int) -> tuple[str, ...]:
        # Names of a region, longest first.
        if value < 0:
            return ()
        if self.state.groups is not None:
            return f"{self.state.groups.name} {value}", str(value)
        for k, level in enumerate(network.levels):
            if level.name == self.colouring:
                short = member_label(network, k, value)
                if k == 0 or level.names:
                    return (short,)
                outer = value * network.levels[k - 1].count // level.count
                return f"{member_label(network, k - 1, outer)} · {short}", short
        label = network.label(value)
        return label, label.rsplit(" ", 1)[-1]

    def _describe(self, item: Item) -> str:
        case, network = self.case, self.case.network
        if item.kind == "task":
            node = int(self._node[item.index])
            grid = case.job.grid
            where = f" ({item.index // grid[1]}, {item.index % grid[1]})" if grid is not None else ""
            groups = self.state.groups
            heat = f" · {self._hottest(network, node)}" if self.colouring == LOAD else ""
            heat += f" · {groups.name} {groups.group[item.index]}" if groups is not None else ""
            return f"task {item.index:,}{where} on {network.label(node)}{heat}"
        if item.kind == "flow":
            return flow_ends(item, case)
        tasks = plural(int(self.tasks_of(item).sum()), "task")
        if item.kind in ("group", "bundle") and network.levels:
            return " and ".join(network.group_name(group) for group in groups_of(item, case)) + f": {tasks}"
        ends = _ends(item, case)
        names = vertex_names(network, ends)
        return f"{names}: {tasks}" if any(end < network.nodes for end in ends) else names  # switches hold no tasks

    def _hottest(self, network: Network, node: int) -> str:
        shown = np.arange(network.links)[self.state.shown_links]
        at_node = shown[(network.src[shown] == node) | (network.dst[shown] == node)]
        both = compared(self.state, at_node)
        if both is not None:
            return f"hottest link {both.text}"
        if self.state.counters is not None:
            return counters_text(self.state, at_node)
        return f"hottest link {load_percent(float(self.state.utilisation[at_node].max(initial=0.0)))}"


def target_colour(target: Target, network: Network, theme: Theme) -> QColor:
    """Return the colour of a place in the grid."""
    return QColor(*category_colours(target_count(network, target.level), theme.dark)[target.index].tolist())


def block_text(tasks: Tasks, job: Job) -> str:
    """Return ``16 × 8`` for tasks that fill a block of the grid; else empty."""
    if tasks.size < 2:
        return ""
    rows, cols = (int(np.ptp(cells)) + 1 for cells in np.divmod(tasks, job.shape[1]))
    return f"{rows:,} × {cols:,}" if rows * cols == tasks.size else ""


def mask_of(tasks: NDArray[np.integer], job: Job) -> Mask:
    """Return the mask, shape ``(tasks,)``, of some tasks, of which some may not exist in this job."""
    mask = np.zeros(job.tasks, np.bool_)
    mask[tasks[tasks < job.tasks]] = True
    return mask


def on_grid(values: NDArray[Value], job: Job, padding: float) -> NDArray[Value]:
    """Return values of tasks, ``(tasks,)``, as the grid of the job, with `padding` beyond the last task."""
    rows, cols = job.shape
    grid = np.full(rows * cols, padding, values.dtype)
    grid[: job.tasks] = values
    return grid.reshape(rows, cols)


def _group_names(job: Job) -> list[str]:
    return [groups.name for groups in job.groups]


def _ends(item: Item, case: Case) -> tuple[int, ...]:
    # The groups of an item, or its nodes and switches; without levels a group is a node.
    return groups_of(item, case) if item.kind in ("group", "bundle") else vertices_of(item, case)
