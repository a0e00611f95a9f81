"""What is seen of views."""

from PySide6.QtCore import QPoint, QPointF


def text_of(view):
    """What the line below a heatmap says."""
    return "".join(run.text for run in view.readout())


def colour_at(widget, where):
    at = where.toPoint() if isinstance(where, QPointF) else QPoint(*where)
    return widget.grab().toImage().pixelColor(at).name()
