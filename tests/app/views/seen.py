"""What is seen of views."""

from PySide6.QtCore import QPoint, QPointF


def text_of(view):
    """What the line below a heatmap says."""
    return "".join(run.text for run in view.readout())


def colours(widget):
    """Return what tells the colour of places: all of one picture, as each is drawn anew."""
    image = widget.grab().toImage()
    return lambda where: image.pixelColor(where.toPoint() if isinstance(where, QPointF) else QPoint(*where)).name()


def colour_at(widget, where):
    return colours(widget)(where)
