"""The traffic view: the volume between blocks of tasks as a matrix, and its hop counts."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.pointing import Item, flow_item, tasks_of_flow
from app.session.session import Session
from app.style.colour import lookup_table
from app.views.drawing import SMALL, TextRun, at_least, blend, frame_pen, scaled_font
from app.views.heatmaps.heatmap_view import EDGE, HeatmapView
from app.views.heatmaps.matrix_axes import (
    APART,
    NO_AXES,
    MatrixAxes,
    Tick,
    axes_of,
    draw_axes,
    draw_key,
    key_ticks,
    key_width,
)
from app.widgets.combo_box import ComboBox
from app.wording.names import flow_name
from app.wording.numbers import percent, significant
from core.load.scenario import Case
from core.load.traffic_matrix import ORDERS, Order, Reach, TrafficMatrix, heaviest_pair, reach, traffic_matrix
from core.spec import Progress, SpecError, no_progress
from core.text import plural, plural_noun

NO_TRAFFIC = "no traffic"
HEADING = "9.99 hops on average "
"""The widest heading of the chart of hops."""
DECADES = 4
"""Powers of ten from the palest colour to the hottest."""
QUICK_FLOWS = 1 << 17
"""Maximum number of flows that are added up at once; more are added up in the background."""
SIDE_PX = 170
"""Minimum width of the chart of hops next to the matrix."""
BAR_GAP = 0.25
MAX_NAMED = 3
KEY_LINES = 4
"""Minimum height of the key of colours, in lines of type."""
MIN_MARK = 5
"""Minimum size of a frame around a cell."""
COMBO_PX = 118


class TrafficResult(NamedTuple):
    """The traffic of a case."""

    case: Case
    matrix: TrafficMatrix
    far: Reach | None
    """Volume by hops; None if there are too many pairs of nodes."""
    by: Order


def traffic_of(case: Case, by: Order, progress: Progress = no_progress) -> TrafficResult:
    """Return the traffic of a case."""
    matrix = traffic_matrix(case, by, progress=progress)
    try:
        far = reach(case, progress)
    except SpecError:
        far = None
    return TrafficResult(case, matrix, far, by)


class TrafficView(HeatmapView):
    """The volume from each block of tasks to each other block, with the volume by hops next to it."""

    id = "traffic"
    content = ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TIME

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._late = False
        """Whether computing the traffic on screen takes longer than a moment."""
        self._runner = Runner(
            "traffic", self._on_found, progressed=self._on_late, sync=session.sync, prompt=True, parent=session
        )
        self._pairs = Runner("heaviest pair", self._on_pair_found, sync=session.sync, parent=session)
        self._traffic: TrafficResult | None = None
        self._axes = NO_AXES
        self._key: list[Tick] = []
        """Figures of the key of colours; none if there is no room for it."""
        self._key_area = QRectF()
        self._asked: tuple[Case, Order] | None = None
        self._side = QRectF()
        self.pointed: tuple[int, int] | None = None
        """Row and column of the cell in the readout."""
        self.order = ComboBox()
        self.order.setParent(self)
        self.order.addItems([f"by {name}" for name in ORDERS])
        self.order.setAccessibleName("Order of the tasks")
        self.order.setToolTip("Order of rows and columns: by rank, by node, or by group of the machine")
        self.order.activated.connect(self._on_order_activated)
        self.surface.moved.connect(self._on_moved)
        self.surface.left.connect(partial(self._point_at, None))

    @property
    def outdated(self) -> bool:
        """Return whether the traffic shown is of an earlier state, or in another order."""
        return super().outdated or (self._late and self._traffic is not None)

    @property
    def traffic(self) -> TrafficResult | None:
        """Return the traffic shown."""
        return self._traffic

    def obstacle(self) -> str:
        """Compute the traffic, at once or in the background; return a message until it is known."""
        case, by = self.state.shown.case, ORDERS[self.order.currentIndex()]
        if self._asked != (case, by):
            self._asked = (case, by)
            if sum(run.phase.tasks * run.phase.fan_out for run in case.job.runs) <= QUICK_FLOWS:
                self._runner.cancel()
                self._set_late(False)
                self._traffic = traffic_of(case, by)
            else:
                self._runner.request(partial(traffic_of, case, by))
        return "" if self._traffic is not None else "Adding up the flows …"

    def load(self, changes: ChangeSet) -> None:
        """Fill the matrix, by the logarithm of the volume."""
        assert self._traffic is not None
        volume = self._traffic.matrix.volume
        most = float(volume.max(initial=0.0))
        with np.errstate(divide="ignore"):
            value = 1 + np.log10(volume / most if most else volume) / DECADES
        self.heat.set_values(np.clip(value, 0.02, 1.0), volume > 0)

    def subtitle(self) -> str:
        """Return the meaning of colours."""
        traffic = self._traffic
        if traffic is None or not traffic.matrix.volume.any():
            return NO_TRAFFIC
        size = int(np.diff(traffic.matrix.first).max())
        each = "ranks" if size == 1 else f"blocks of {size:,} ranks"
        most = traffic.case.job.measure.suited_amount(float(traffic.matrix.volume.max()))
        return f"volume between {each}, max {most}, log scale"

    def shows_loads(self) -> bool:
        """Return False: colours are volumes."""
        return False

    def item_at(self, where: QPointF) -> Item | None:
        """Return the flow of a cell of two tasks, or the task of a row; blocks of several tasks are not items."""
        cell = self.heat.cell_at(where)
        if cell is None or self._traffic is None:
            return None
        sources, destinations = map(self._traffic.matrix.tasks, cell)
        if sources.size > 1:
            return None
        if destinations.size == 1 and self._traffic.matrix.flows[cell]:
            return flow_item(int(sources[0]), int(destinations[0]))
        return Item("task", int(sources[0]))

    def readout(self) -> tuple[TextRun, ...]:
        """Describe the hovered cell, else the shares of volume by locality."""
        if self._traffic is None:
            return ()
        if self.pointed is not None:
            return (TextRun(self._cell_text(self._traffic, *self.pointed), self.theme.text),)
        return (TextRun(_shares(self._traffic.far), self.theme.dim),)

    def draw_over(self, painter: QPainter) -> None:
        """Draw frames of selected tasks, the hovered cell, and the chart of hops."""
        traffic = self._traffic
        if traffic is None:
            return
        draw_axes(painter, self.heat, self._axes, self._metrics(), self.theme)
        if self._key:
            draw_key(painter, self._key_area, self._colours(), self._key, self._metrics(), self.theme)
        self._draw_marked(painter, traffic)
        self._draw_causes(painter, traffic)
        if self.pointed is not None:
            painter.setPen(frame_pen(blend(self.theme.panel, self.theme.text, 0.8), self.theme.scale))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.heat.cell_rect(*self.pointed).adjusted(-1, -1, 1, 1))
        if traffic.far is not None and self._side.width() >= self.theme.px(SIDE_PX):
            self._draw_hops(painter, traffic.far, traffic.case)

    def _arrange(self, size: QSizeF) -> None:
        super()._arrange(size)
        line, top = self._metrics().height() + 4, self._head_height() if self.for_file else 0.0
        area = QRectF(EDGE, EDGE / 2 + top, size.width() - 2 * EDGE, size.height() - EDGE - line - top)
        side = min(area.height(), area.width() * 0.6 if area.width() > 2 * self.theme.px(SIDE_PX) else area.width())
        self._axes = self._axes_within(side)
        left, above = self._axes.room
        self.heat.place(QRectF(area.left() + left, area.top() + above, side - left, area.height() - above))
        right = self._place_key(area.right()) + 2 * EDGE
        self._side = QRectF(right, area.top(), area.right() - right, area.height())
        self._line = QRectF(area.left(), area.bottom() + 2, area.width(), line)
        combo, least = self.theme.px(COMBO_PX), self.theme.px(SIDE_PX)
        self.order.setVisible(self._side.width() >= least)
        high = self.order.sizeHint().height()
        self.order.setGeometry(int(self._side.right()) - combo, int(area.top()), combo, high)
        self.order.raise_()
        head = QFontMetricsF(scaled_font(self.font(), SMALL)).horizontalAdvance(HEADING)
        if not self.for_file and self._side.width() < combo + head:
            self._side.setTop(self._side.top() + high)

    def _axes_within(self, side: float) -> MatrixAxes:
        traffic = self._traffic
        if traffic is None:
            return NO_AXES
        return axes_of(traffic.case, traffic.matrix, traffic.by, side, self._metrics(), self.theme)

    def _place_key(self, end: float) -> float:
        """Place the key of colours right of the matrix if it takes no room from the chart; return the end of both."""
        rect, metrics, traffic = self.heat.rect, self._metrics(), self._traffic
        most = 0.0 if traffic is None else float(traffic.matrix.volume.max(initial=0.0))
        self._key = []
        if traffic is None or not most or rect.height() < KEY_LINES * metrics.height():
            return rect.right()
        ticks = key_ticks(most, DECADES, traffic.case.job.measure, APART * metrics.height() / max(rect.height(), 1.0))
        width = key_width(ticks, metrics, self.theme)
        left = end - rect.right() - 2 * EDGE  # room for the chart of hops
        if left < EDGE + width or left - EDGE - width < self.theme.px(SIDE_PX) <= left:
            return rect.right()
        self._key = ticks
        self._key_area = QRectF(rect.right() + EDGE, rect.top(), width, rect.height())
        return self._key_area.right()

    def _colours(self) -> NDArray[np.uint8]:
        return lookup_table(self.state.shading.map, self.theme.dark)

    def _draw_marked(self, painter: QPainter, traffic: TrafficResult) -> None:
        marked = self.state.marked
        if not marked.size or marked.max() >= traffic.matrix.cell_of.size:
            return
        accent, rect = QColor(self.theme.accent), self.heat.rect
        for cell in np.unique(traffic.matrix.cell_of[marked]).tolist():
            row, col = self.heat.cell_rect(cell, 0), self.heat.cell_rect(0, cell)
            painter.fillRect(QRectF(rect.left() - 4, row.top(), 3, max(row.height(), 1)), accent)
            painter.fillRect(QRectF(col.left(), rect.top() - 4, max(col.width(), 1), 3), accent)

    def _draw_causes(self, painter: QPainter, traffic: TrafficResult) -> None:
        # The cells of the pairs of tasks that load the selected link, or of the selected flow.
        explained, selection = self.state.explained, self.state.selection
        if explained is not None:
            pairs = explained.tasks.src, explained.tasks.dst
        elif selection is not None and selection.kind == "flow":
            source, destination = tasks_of_flow(selection)
            pairs = np.array([source]), np.array([destination])
        else:
            return
        if max(end.max(initial=0) for end in pairs) >= traffic.matrix.cell_of.size:
            return
        painter.setPen(frame_pen(self.theme.accent, self.theme.scale))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ends = (traffic.matrix.cell_of[end] for end in pairs)
        for row, col in {*zip(*(end.tolist() for end in ends), strict=True)}:
            painter.drawRect(at_least(self.heat.cell_rect(row, col).adjusted(-1, -1, 1, 1), MIN_MARK))

    def _draw_hops(self, painter: QPainter, far: Reach, case: Case) -> None:
        metrics = QFontMetricsF(scaled_font(self.font(), SMALL))
        room, volume = self._side, far.volume
        mean = f"{significant(far.mean_hops, 3)} hops on average"
        painter.setPen(QColor(self.theme.text))
        painter.drawText(QPointF(room.left(), room.top() + metrics.ascent()), "Volume by hops")
        painter.setPen(QColor(self.theme.dim))
        painter.drawText(QPointF(room.left(), room.top() + metrics.ascent() + metrics.height()), mean)
        plot = room.adjusted(0, 3.4 * metrics.height(), 0, -metrics.height() - 4)
        if plot.height() < 20 or not volume:
            return
        width, top = plot.width() / max(far.hops.size, 4), float(far.hops.max())
        for hops, amount in enumerate(far.hops.tolist()):
            left, height = plot.left() + hops * width, plot.height() * amount / top
            bar = QRectF(left + width * BAR_GAP / 2, plot.bottom() - height, width * (1 - BAR_GAP), height)
            painter.fillRect(bar, blend(self.theme.panel, self.theme.accent, 0.75))
            self._under(painter, metrics, str(hops), left, width, plot.bottom() + metrics.ascent() + 2)
            if amount:
                self._under(painter, metrics, percent(amount / volume), left, width, bar.top() - 3)
        painter.setPen(QColor(self.theme.border))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())

    def _under(self, painter: QPainter, metrics: QFontMetricsF, text: str, left: float, width: float, y: float) -> None:
        # If there is room for it.
        long = metrics.horizontalAdvance(text)
        if long <= width + 2:
            painter.setPen(QColor(self.theme.dim))
            painter.drawText(QPointF(left + (width - long) / 2, y), text)

    def _cell_text(self, traffic: TrafficResult, row: int, col: int) -> str:
        matrix = traffic.matrix
        ends = " → ".join(_block(matrix, cell, traffic.by) for cell in (row, col))
        flows = int(matrix.flows[row, col])
        if not flows:
            return f"{ends}: {NO_TRAFFIC}"
        volume = traffic.case.job.measure.suited_amount(float(matrix.volume[row, col]))
        text = f"{ends}: {volume} in {plural(flows, 'flow')}"
        if matrix.tasks(row).size == matrix.tasks(col).size == 1:
            return text
        chosen = self.state.selection
        if chosen is not None and chosen.kind == "flow":
            source, destination = tasks_of_flow(chosen)
            if (matrix.cell_of[source], matrix.cell_of[destination]) == (row, col):
                return f"{text} · largest flow selected, {flow_name(source, destination)}"
        return f"{text} · click to select the largest flow"

    def _on_moved(self, where: QPointF) -> None:
        self._point_at(None if self.obstructed else self.heat.cell_at(where))

    def _point_at(self, cell: tuple[int, int] | None) -> None:
        if cell != self.pointed:
            self.pointed = cell
            self.surface.update()

    def _on_pointer_pressed(self, where: QPointF) -> None:
        """Select the tasks of the two blocks, in all views, and the largest flow between them."""
        cell = None if self.obstructed else self.heat.cell_at(where)
        self._pairs.cancel()
        if cell is None or self._traffic is None:
            self.session.mark(())
            return
        sources, destinations = map(self._traffic.matrix.tasks, cell)
        self.session.mark(np.concatenate([sources, destinations]))
        case = self._traffic.case
        if self._traffic.matrix.flows[cell]:
            self._pairs.request(lambda progress: heaviest_pair(case, sources, destinations))

    def _on_pair_found(self, pair: tuple[int, int] | None) -> None:
        if pair is not None:
            self.session.select(flow_item(*pair))

    def _on_order_activated(self) -> None:
        self.refresh(ChangeSet.LOADS)

    def _on_found(self, traffic: TrafficResult) -> None:
        if self._asked == (traffic.case, traffic.by):
            self._traffic = traffic
            self._set_late(False)
            self.refresh(ChangeSet.LOADS)

    def _on_late(self, fraction: float) -> None:
        self._set_late(True)

    def _set_late(self, late: bool) -> None:
        self._late = late
        self.cover.follow()


def _block(matrix: TrafficMatrix, cell: int, by: Order) -> str:
    tasks = matrix.tasks(cell)
    if tasks.size == 1:
        return f"rank {int(tasks[0]):,}"
    if by == "rank":
        return f"ranks {int(tasks[0]):,} to {int(tasks[-1]):,}"
    some = ", ".join(f"{task:,}" for task in tasks[:MAX_NAMED].tolist())
    return f"ranks {some}{' …' if tasks.size > MAX_NAMED else ''}"


def _shares(far: Reach | None) -> str:
    if far is None:
        return "too many pairs of nodes to list the volume by distance"
    if not far.volume:
        return NO_TRAFFIC
    parts = [f"{plural_noun(name)} {percent(part / far.volume)}" for name, part in far.within]
    return f"within {' · '.join(parts)} · beyond {percent(far.beyond / far.volume)}"
