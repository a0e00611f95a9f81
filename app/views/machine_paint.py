"""A machine drawn by QPainter alone: for pictures, and where there is no OpenGL."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.session import State
from app.views.legend import legend_font, legend_rect, paint_legend
from app.views.machine_camera import Camera, Size, fitted
from app.views.machine_marks import Picture, paint_scene
from app.views.machine_overlay import paint_overlay
from app.views.machine_scene import Heat, Plan, compose

MARGINS = (34, 28, 34, 86)
"""Pixels kept free on the left, at the top, on the right and at the bottom, where the legend stands."""


def fit(plan: Plan, size: Size) -> Camera:
    """Return the camera that shows the whole machine."""
    return fitted(*plan.bounds, plan.layout.solid, size, MARGINS)


def paint_machine(painter: QPainter, area: QRectF, state: State, view: tuple[Plan, Camera, Size] | None = None) -> None:
    """Draw the machine of a state into a rectangle of any paint device.

    `view` is what a window shows: the plan, the camera and the size of its canvas; without it all is shown.
    """
    painter.save()
    painter.setClipRect(area)
    painter.translate(area.topLeft())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(legend_font(painter.font()))
    size = (area.width(), area.height())
    if state.answer is None:
        paint_empty(painter, size, state)
    else:
        plan = Plan(state.answer.case.network) if view is None else view[0]
        camera = fit(plan, size) if view is None else view[1].resized(view[2], size)
        scene = compose(plan, Heat(plan, state.relative), camera, size, state.hottest_percent)
        picture = Picture(painter, scene, camera, size, state)
        paint_scene(picture)
        paint_overlay(picture)
        paint_legend(painter, legend_rect(size), state)
    painter.restore()


def paint_empty(painter: QPainter, size: Size, state: State) -> None:
    """Say why there is nothing to see yet."""
    painter.setPen(QColor(state.theme.dim))
    text = "Computing loads …" if state.error is None else str(state.error.message)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(QRectF(20, 0, size[0] - 40, size[1]), int(flags), text)
