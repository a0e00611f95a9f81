"""Settings of animations, and whether the desktop asks for reduced motion."""

from PySide6.QtWidgets import QApplication, QStyle

FRAME_MS = 16
"""Milliseconds between two frames of an animation."""


def moves() -> bool:
    """Return whether animations are allowed.

    Qt reports the desktop's setting as the duration of widget animations: 0 for reduced motion.
    """
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QApplication.style().styleHint(hint) > 0
