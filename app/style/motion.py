"""Whether the desktop asks for little motion."""

from PySide6.QtWidgets import QApplication, QStyle


def moves() -> bool:
    """Return whether things may move to where they go, or must be there at once.

    Qt passes on what desktops say as the time that animations of widgets take: none where motion is to be reduced.
    """
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QApplication.style().styleHint(hint) > 0
