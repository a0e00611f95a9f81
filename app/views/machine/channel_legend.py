"""The legend of the colours of channels, in a line above the other legends."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF

from app.model.channels_shown import chosen_channel, drawn_channels
from app.views.drawing import VEIL, translucent
from app.views.legend import FONT_PX, LEGEND_AT, MARGIN_PX, above_legend
from app.views.machine.axes_key import axes_key_rect
from app.views.machine.channels import channel_colour
from app.views.machine.faults import meaning_rect
from app.views.machine.jobs import job_names_rect
from app.views.machine.picture import Picture
from app.views.machine.shape_legend import kinds_rect

MARK_PX, GAP_PX, ROW_PX, BESIDE_PX = 9, 5, 20, 8
MORE, NO_COLOUR = "…", -1
"""Entry for channels without room."""


def channel_entries(picture: Picture) -> list[tuple[str, int]]:
    """Return the texts of the legend, each with a channel in its colour: the channels of that colour, shortened."""
    channels, chosen, colours = drawn_channels(picture.state), chosen_channel(picture.state), len(picture.theme.roles)
    if channels is None:
        return []
    if chosen is not None:
        return [(channels.names[chosen], chosen)]
    more = len(channels.names) - colours
    numbers = [channels.number(channel) for channel in range(len(channels.names))]
    texts = [numbers[k] + (f", {numbers[k + colours]}" if k < more else "") for k in range(min(colours, len(numbers)))]
    entries = [(text + (", …" if k + colours < more else ""), k) for k, text in enumerate(texts)]
    metrics, room = picture.use_font(FONT_PX), picture.size[0] - 2 * LEGEND_AT[0] - 2 * GAP_PX
    room -= metrics.horizontalAdvance(_title(picture)) + metrics.horizontalAdvance(MORE)
    ends = np.cumsum([_width(text, metrics) for text, _ in entries])
    fitting = int(np.searchsorted(ends, room, side="right"))
    return entries if fitting == len(entries) else [*entries[:fitting], (MORE, NO_COLOUR)]


def _width(text: str, metrics: QFontMetricsF) -> float:
    return MARK_PX + 3 * GAP_PX + metrics.horizontalAdvance(text)


def _title(picture: Picture) -> str:
    channels = drawn_channels(picture.state)
    return "" if channels is None or chosen_channel(picture.state) is not None else f"{channels.parts.kind}s"


def channels_rect(picture: Picture) -> QRectF:
    """Return the rectangle of the line; empty if no channels are drawn.

    It is next to the shapes of vertices if there is room, so that it covers no part of the machine, else above.
    """
    entries, metrics = channel_entries(picture), picture.use_font(FONT_PX)
    if not entries:
        return QRectF()
    width = sum(_width(text, metrics) for text, _ in entries)
    width += metrics.horizontalAdvance(_title(picture)) + 2 * GAP_PX
    kinds = kinds_rect(picture)
    left = kinds.right() + BESIDE_PX
    if not kinds.isEmpty() and left + width <= picture.size[0]:
        return QRectF(left, kinds.top(), width, ROW_PX)
    below = meaning_rect(picture), kinds, job_names_rect(picture), axes_key_rect(picture)
    return above_legend(picture.size, width, ROW_PX, *below)


def paint_channel_names(picture: Picture) -> None:
    """Write the channels, each after its colour, if channels are drawn."""
    painter, theme, area = picture.painter, picture.theme, channels_rect(picture)
    if area.isEmpty():
        return
    painter.save()
    metrics, x = picture.use_font(FONT_PX), area.left() + MARGIN_PX
    baseline = area.center().y() + metrics.capHeight() / 2
    painter.fillRect(area, translucent(theme.panel, VEIL))
    painter.setPen(QColor(theme.dim))
    painter.drawText(QPointF(x, baseline), _title(picture))
    x += metrics.horizontalAdvance(_title(picture)) + (2 * GAP_PX if _title(picture) else 0)
    for text, channel in channel_entries(picture):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(channel_colour(theme, channel) if channel != NO_COLOUR else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(x, area.center().y() - 2, MARK_PX, 4), 2, 2)
        painter.setPen(QColor(theme.text))
        painter.drawText(QPointF(x + MARK_PX + GAP_PX, baseline), text)
        x += _width(text, metrics)
    painter.restore()
