"""Faults on the machine: dashed grey links with a cross or bar, crossed nodes, and their legend."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from app.style.theme import Theme
from app.views.drawing import draw_cross, draw_veil
from app.views.legend import FONT_PX, MARGIN_PX, above_legend
from app.views.machine.camera import Camera
from app.views.machine.geometry import Ids
from app.views.machine.picker import drawn_curves
from app.views.machine.picture import Floats, Picture, clear_of_names, paint_cells
from app.views.machine.scene import CurveBatch, MachineScene
from app.wording.shortened import shortened
from core.network.faults import Faults, NodeFault

MAX_MARKS = 300
"""Maximum number of faulty links marked one by one."""
MARK_PX = 4.5
"""Radius of a mark."""
STEP_PX = 17
"""Distance from a mark in the legend to the text on its right."""
DASH_PX = (5.0, 3.5)
MIN_CELL_PX = 5
"""Minimum width of a failed node."""


def faulty_batches(scene: MachineScene, camera: Camera, faults: Faults | None) -> tuple[CurveBatch, ...]:
    """Return the drawn curves of slow links, and of failed ones."""
    if faults is None:
        return ()
    both = (np.flatnonzero(faults.slowed), np.flatnonzero(faults.failed))
    return tuple(_sampled(drawn_curves(links, scene, camera)) for links in both if links.size)


def paint_faults(picture: Picture) -> None:
    """Draw faults above links and cells."""
    faults = picture.faults
    if faults is None:
        return
    picture.painter.save()
    for links, failed in ((np.flatnonzero(faults.slowed), False), (np.flatnonzero(faults.failed), True)):
        _paint_links(picture, links, faults, failed)
    _paint_nodes(picture, np.flatnonzero(faults.failed_nodes))
    picture.painter.restore()


def meaning_rect(picture: Picture) -> QRectF:
    """Return the rectangle of the marks' meaning above the legend; empty if there are no marks."""
    if not picture.meaning:
        return QRectF()
    metrics = picture.use_font(FONT_PX)
    width = metrics.horizontalAdvance(picture.meaning) + STEP_PX * len(_marks(picture)) + 2 * MARGIN_PX
    return above_legend(picture.size, width, metrics.height() + 8)


def _marks(picture: Picture) -> list[bool]:
    # For each explained mark, whether it is the mark of failed links.
    faults = picture.faults
    return [True] * faults.any_failed + [False] * faults.any_slowed if faults is not None else []


def paint_meaning(picture: Picture) -> None:
    """Write the meaning of the marks above the legend, if there are any."""
    painter, theme, area = picture.painter, picture.theme, meaning_rect(picture)
    if area.isEmpty():
        return
    painter.save()
    picture.use_font(FONT_PX)
    draw_veil(painter, area, theme)
    area.setLeft(area.left() + MARGIN_PX)
    for failed in _marks(picture):
        mark(painter, area.left() + MARK_PX + 1.5, area.center().y(), theme, failed)
        area.setLeft(area.left() + STEP_PX)
    painter.setPen(QColor(theme.text))
    text = shortened(picture.meaning, QFontMetricsF(painter.font()).horizontalAdvance, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
    painter.restore()


def mark(painter: QPainter, x: float, y: float, theme: Theme, failed: bool, reach: float = MARK_PX) -> None:
    """Draw a cross for failed or a bar for slow, on a disc, visible on any colour."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.dim), 1))
    painter.setBrush(QColor(theme.panel))
    painter.drawEllipse(QPointF(x, y), reach + 1.5, reach + 1.5)
    painter.setPen(QPen(QColor(theme.text), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    arm = reach * 0.6
    if failed:
        draw_cross(painter, QRectF(x - arm, y - arm, 2 * arm, 2 * arm))
    else:
        painter.drawLine(QLineF(x - arm - 0.5, y, x + arm + 0.5, y))


def _paint_links(picture: Picture, links: Ids, faults: Faults, failed: bool) -> None:
    """Draw faulty links; links that failed with their node have no mark, since the node has one."""
    links = picture.geometry.drawn_of(links)
    own = np.setdiff1d(links, _links_of_nodes(faults))
    if picture.geometry.boxed:
        ends = picture.geometry.ends
        links = np.union1d(own, links[np.isin(ends[0][links], picture.scene.open)])
    if not links.size:
        return
    batch = _sampled(drawn_curves(links, picture.scene, picture.camera))
    failed_entirely = _wholly(picture, batch, faults) if failed else np.zeros(batch.count, np.bool_)
    # Idle links are not drawn otherwise, so the mark would be isolated.
    _paint_dashes(picture, batch.only(failed_entirely | (batch.heat == 0)))
    if batch.kind == "link" and not picture.solid:
        # Cells are above links.
        network = picture.geometry.network
        paint_cells(picture, np.union1d(network.src[batch.index], network.dst[batch.index]).astype(np.intp))
    marked = batch.only(np.isin(batch.index, own)) if batch.kind == "link" else batch
    at = clear_of_names(picture, _of_cables(picture, marked))
    reach = MARK_PX if len(at) <= MAX_MARKS / 5 else MARK_PX * 0.7
    for x, y in at[((at > 0) & (at < picture.size)).all(axis=1)].tolist():
        mark(picture.painter, x, y, picture.theme, failed, reach)


def _paint_dashes(picture: Picture, batch: CurveBatch) -> None:
    painter, theme = picture.painter, picture.theme
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for path, width in zip(picture.paths(batch), batch.width.tolist(), strict=True):
        thick = min(max(width, 1.2), 2.5)
        painter.strokePath(path, QPen(QColor(theme.panel), width + 1.5))
        pen = QPen(QColor(theme.dim), thick, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([px / thick for px in DASH_PX])
        painter.strokePath(path, pen)


def _of_cables(picture: Picture, batch: CurveBatch) -> Floats:
    """Return the curves to mark, shape ``(n, 3, 3)``: one for both directions of a cable, in between.

    Both stubs of a wrap-around cable are marked.
    """
    if batch.kind == "bundle" or not batch.count:
        return np.asarray(batch.curves, np.float64)
    network = picture.geometry.network
    src, dst = network.src[batch.index], network.dst[batch.index]
    ends = np.linalg.norm(batch.curves[:, 2] - picture.geometry.layout.positions[dst], axis=1)
    stub = ends > np.linalg.norm(batch.curves[:, 2] - batch.curves[:, 0], axis=1)
    key = np.stack([np.minimum(src, dst), np.maximum(src, dst), np.where(stub, batch.index, -1)])
    cable, count = np.unique(key, axis=1, return_inverse=True, return_counts=True)[1:]
    curves = np.zeros((count.size, 3, 3))
    np.add.at(curves, cable.ravel(), np.where((src > dst)[:, None, None], batch.curves[:, ::-1], batch.curves))
    return curves / count[:, None, None]


def _links_of_nodes(faults: Faults) -> Ids:
    taken = [links for fault, links in zip(faults.declared, faults.taken, strict=True) if isinstance(fault, NodeFault)]
    return np.unique(np.concatenate(taken)) if taken else np.zeros(0, np.intp)


def _sampled(batch: CurveBatch) -> CurveBatch:
    chosen = np.zeros(batch.count, np.bool_)
    chosen[np.unique(np.linspace(0, batch.count - 1, min(MAX_MARKS, batch.count)).astype(int))] = True
    return batch.only(chosen)


def _wholly(picture: Picture, batch: CurveBatch, faults: Faults) -> NDArray[np.bool_]:
    """Return which curves have failed completely: links, and bundles whose links have all failed."""
    geometry = picture.geometry
    if batch.kind == "link":
        return np.ones(batch.count, np.bool_)
    pairs = [divmod(index, geometry.groups) for index in batch.index.tolist()]
    return np.array([faults.failed[geometry.links_joining(a, b)].all() for a, b in pairs], np.bool_)


def _paint_nodes(picture: Picture, nodes: Ids) -> None:
    painter, theme = picture.painter, picture.theme
    nodes = nodes[picture.seen(picture.cells[nodes])]
    for node, (left, top, width, height) in zip(nodes.tolist(), picture.cells[nodes].tolist(), strict=True):
        more = max(MIN_CELL_PX - width, 0) / 2
        area = QRectF(left, top, width, height).adjusted(-more, -more, more, more)
        painter.setBrush(QColor(theme.field))
        painter.setPen(QPen(QColor(theme.text), 1.5 if width >= 10 else 1))
        # Switches are round, so the arms of their crosses are shorter.
        switch = node >= picture.geometry.network.nodes
        radius = min(area.width(), area.height()) / 2 if switch else 0.0
        painter.drawRoundedRect(area, radius, radius)
        inner = area.adjusted(*(side * radius * 0.3 for side in (1, 1, -1, -1)))
        draw_cross(painter, inner)
