"""Nodes in the colours of the groups of their tasks, as by kinds of parallelism, and the legend of these colours."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from app.style.colour import category_colours
from app.views.drawing import VEIL, translucent
from app.views.legend import FONT_PX
from app.views.machine.closed_nodes import MAX_CELLS
from app.views.machine.picture import Picture

MARK_PX, GAP_PX, ROW_PX = 9, 5, 15
EDGE_PX = 8
"""Distance of the legend from the top and the right of the picture."""
MAX_SHARE = 0.6
"""Maximum fraction of the picture's height for the legend."""


def paint_node_groups(picture: Picture) -> None:
    """Cover the cells of nodes with the colours of the groups of their tasks, side by side for several tasks."""
    groups, case = picture.state.groups, picture.state.evaluation.case
    if groups is None or picture.nodes_in_sight.size > MAX_CELLS:
        return
    per_node = case.network.slots_per_node
    node, core = np.divmod(case.mapping.slots, np.int32(per_node))
    tasks = np.flatnonzero(np.isin(node, picture.nodes_in_sight))
    left, top, width, height = picture.cells[node[tasks]].T
    rects = np.column_stack([left + core[tasks] * width / per_node, top, width / per_node, height])
    painter, colours = picture.painter, category_colours(groups.count, picture.theme.dark)
    painter.save()
    painter.setRenderHint(painter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    order = np.argsort(groups.group[tasks], kind="stable")
    present, first = np.unique(groups.group[tasks][order], return_index=True)
    for group, some in zip(present.tolist(), np.split(rects[order], first[1:]), strict=True):
        painter.setBrush(QColor(*colours[group].tolist()))
        painter.drawRects([QRectF(*rect) for rect in some.tolist()])
    painter.restore()


def groups_rect(picture: Picture) -> QRectF:
    """Return the rectangle of the legend of groups at the top right; empty if nodes have the colours of loads."""
    name, lines = _name_rect(picture), _lines_rect(picture)
    return name.united(lines)


def paint_groups_legend(picture: Picture) -> None:
    """Write the name of the groups, and their numbers next to their colours."""
    groups, painter, theme = picture.state.groups, picture.painter, picture.theme
    if groups is None:
        return
    painter.save()
    name, area = _name_rect(picture), _lines_rect(picture)
    metrics, colours = picture.use_font(FONT_PX), category_colours(groups.count, theme.dark)
    for rect in (name, area):
        painter.fillRect(rect, translucent(theme.panel, VEIL))
    painter.setPen(QColor(theme.dim))
    painter.drawText(QPointF(name.left() + GAP_PX, name.center().y() + metrics.capHeight() / 2), groups.name)
    painter.setPen(QColor(theme.text))
    for row, line in enumerate(_lines(picture)):
        middle, left = area.top() + (row + 0.5) * ROW_PX, area.left() + GAP_PX
        indent = MARK_PX + GAP_PX if line.isdigit() else 0
        painter.drawText(QPointF(left + indent, middle + metrics.capHeight() / 2), line)
        if indent:
            painter.fillRect(QRectF(left, middle - MARK_PX / 2, MARK_PX, MARK_PX), QColor(*colours[row].tolist()))
    painter.restore()


def _name_rect(picture: Picture) -> QRectF:
    name = picture.state.groups.name if picture.state.groups is not None else ""
    return _at_right(picture, [name], max(picture.head.bottom(), EDGE_PX)) if name else QRectF()


def _lines_rect(picture: Picture) -> QRectF:
    lines = _lines(picture)
    return _at_right(picture, lines, _name_rect(picture).bottom(), MARK_PX + GAP_PX) if lines else QRectF()


def _at_right(picture: Picture, lines: list[str], top: float, indent: float = 0.0) -> QRectF:
    metrics = picture.use_font(FONT_PX)
    width = max(metrics.horizontalAdvance(line) + (indent if line.isdigit() else 0) for line in lines) + 2 * GAP_PX
    return QRectF(picture.size[0] - width - EDGE_PX, top, width, ROW_PX * len(lines))


def _lines(picture: Picture) -> list[str]:
    """Return the numbers of groups, as many as there is room for."""
    groups = picture.state.groups
    count = groups.count if groups is not None else 0
    most = max(int(MAX_SHARE * picture.size[1] / ROW_PX) - 1, 1)
    if count <= most:
        return [str(group) for group in range(count)]
    return [*map(str, range(most - 1)), f"+{count - most + 1:,}"]
