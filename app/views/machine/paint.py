"""Draws a machine by QPainter only: for pictures, and without OpenGL."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from app.model.comparison_text import throughputs, what_differs
from app.model.parts import MachinePart
from app.model.scenes import Seen
from app.model.state import State
from app.views.drawing import draw_veil, fitting
from app.views.legend import legend_font, legend_frame, legend_rect, paint_legend
from app.views.machine.camera import Camera, Size, fitting_camera
from app.views.machine.focus import camera_onto, camera_seen
from app.views.machine.geometry import MachineGeometry, shading_of
from app.views.machine.legends import paint_legends_above
from app.views.machine.overlay import paint_overlay
from app.views.machine.picker import EVEN
from app.views.machine.picture import Picture, paint_scene
from app.views.machine.scene import compose
from app.wording.names import only_text
from app.wording.numbers import MINUS, throughput_text

MARGINS = (34, 28, 34, 86)
"""Margins on the left, at the top, on the right and at the bottom, where the legend is."""
LETTER_PX, MAX_NAME_PX, NAME_SHARE = 8, 64, 1 / 8
"""Estimated width of a letter, and largest width of names left and right of a picture without boxes.

The last is relative to the width of the picture: in a narrow picture names without room are omitted.
"""
EDGE = 12
HEAD = 54
"""Additional pixels at the top of a picture for its heading."""


def fit(
    geometry: MachineGeometry, size: Size, head: int = 0, part: MachinePart | None = None, seen: Seen | None = None
) -> Camera:
    """Return the camera that shows the entire machine, a part of it, or a scene's view, below `head` pixels.

    Raises SpecError: if the machine has no such part.
    """
    left, top, right, bottom = MARGINS
    if not geometry.boxed:
        letters = len(geometry.network.label(geometry.network.nodes - 1)) + 1
        name = min(LETTER_PX * letters, MAX_NAME_PX, round(NAME_SHARE * size[0]))
        texts = max((LETTER_PX * len(caption.text) for caption in geometry.layout.captions), default=0)
        left, right = max(left, name, texts), max(right, name)
    margins = (left, top + head, right, bottom)
    home = fitting_camera(*geometry.bounds, geometry.layout.solid, size, margins)
    if seen is not None:
        return camera_seen(seen, geometry, home, size, margins) or home
    return home if part is None else camera_onto(part, geometry, home, size, margins)


def paint_machine(
    painter: QPainter,
    area: QRectF,
    state: State,
    view: tuple[MachineGeometry, Camera, Size] | None = None,
    part: MachinePart | None = None,
) -> None:
    """Draw the machine of a state into a rectangle of any paint device.

    `view` is the geometry, camera and canvas size of a window; without it everything is shown, or `part`.
    """
    painter.save()
    painter.setClipRect(area)
    painter.translate(area.topLeft())
    zoom = state.style.theme.scale
    painter.scale(zoom, zoom)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(legend_font(painter.font()))
    size = (area.width() / zoom, area.height() / zoom)
    geometry = MachineGeometry(state.evaluation.case.network, state.shown_class) if view is None else view[0]
    camera = fit(geometry, size, HEAD, part) if view is None else view[1].resized(view[2], size)
    shading = shading_of(geometry, state, state.reference_utilisation)
    scene = compose(geometry, shading, camera, size, state.style.hottest_percent)
    lines = _verdict(state, part.name if part is not None else "", EVEN if shading.even else "")
    head = _head(painter, size[0], lines)
    picture = Picture(painter, scene, camera, size, state, head)
    paint_scene(picture)
    paint_overlay(picture, part.item if part is not None else None)
    paint_legends_above(picture)
    draw_veil(painter, legend_frame(size), state.style.theme)
    paint_legend(painter, legend_rect(size), state)
    _write_head(picture, lines)
    painter.restore()


def _verdict(state: State, part: str, more: str) -> tuple[str, str]:
    """Return the two lines of the heading: throughput and bottleneck, and the four choices.

    The name of a part comes first, `more` last.
    """
    report = state.report
    scenario, only = report.case.scenario, list(filter(None, [only_text(state.shown_class)]))
    if state.differing and state.same_links_pair is not None:
        differs = " · ".join([what_differs(*state.same_links_pair), *only])
        return f"B {MINUS} A: {throughputs(*state.same_links_pair)[0]}", differs
    letter = "" if state.compared_pair is None else "A: " if state.comparison.swapped else "B: "
    figure = "" if report.throughput_gbs is None else f"{throughput_text(report)}, "
    choices = (scenario.network, scenario.job, scenario.mapping, scenario.routing)
    titles = " · ".join([*state.cursor_words, *(choice.title for choice in choices), *only, *filter(None, [more])])
    return letter + figure + report.verdict, f"{part} in {titles}" if part else titles


def _head_fonts(painter: QPainter) -> tuple[QFont, QFont]:
    plain, bold = painter.font(), painter.font()
    bold.setPixelSize(round(plain.pixelSize() * 1.35))
    bold.setBold(True)
    return bold, plain


def _head(painter: QPainter, width: float, lines: tuple[str, str]) -> QRectF:
    """Return the rectangle of the two lines of the heading."""
    both = zip(_head_fonts(painter), lines, strict=True)
    wide = max(QFontMetricsF(font).horizontalAdvance(text) for font, text in both)
    return QRectF(EDGE - 6, 4, min(wide, width - 2 * EDGE) + 12, HEAD - 10)


def _write_head(picture: Picture, lines: tuple[str, str]) -> None:
    painter, theme = picture.painter, picture.theme
    draw_veil(painter, picture.head, theme)
    looks = zip(_head_fonts(painter), (theme.text, theme.dim), (24, 44), strict=True)
    for text, (font, colour, baseline) in zip(lines, looks, strict=True):
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(QPointF(EDGE, baseline), fitting([text], picture.size[0] - 2 * EDGE, QFontMetricsF(font)))
