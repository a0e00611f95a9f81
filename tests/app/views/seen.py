"""Visible properties of views."""

from PySide6.QtCore import QPoint, QPointF


def text_of(view):
    """The line below a heatmap."""
    return "".join(run.text for run in view.readout())


def colours(widget):
    """Return a function from a point to its colour, all in one picture, since every grab redraws the widget."""
    image = widget.grab().toImage()
    return lambda where: image.pixelColor(where.toPoint() if isinstance(where, QPointF) else QPoint(*where)).name()


def colour_at(widget, where):
    return colours(widget)(where)
