"""When a picture of a machine is done."""

from PySide6.QtCore import Qt, QTimer


def at_rest(view):
    """Whether a machine stands still and the content of its camera is drawn in full."""
    timers = view.findChildren(QTimer, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return not view.moving and not any(timer.isActive() for timer in timers)
