"""Marks on fields with refused text."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolTip, QWidget

WRONG = "wrong"
"""Property of a field that is drawn in red."""


def mark_wrong(field: QWidget, wrong: bool) -> None:
    """Draw a field in red, or normally."""
    if bool(field.property(WRONG)) is not wrong:
        field.setProperty(WRONG, wrong)
        field.style().unpolish(field)
        field.style().polish(field)


def is_wrong(field: QWidget) -> bool:
    """Return whether a field is drawn in red."""
    return bool(field.property(WRONG))


def show_refusal(field: QWidget, message: str) -> None:
    """Mark a field that has no room for a message, and show the reason beneath it briefly; clear both if empty."""
    wrong = bool(message)
    if wrong or is_wrong(field):
        QToolTip.showText(field.mapToGlobal(QPoint(0, field.height())), message, field)
    mark_wrong(field, wrong)
