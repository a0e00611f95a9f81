"""Painters for paint events: always ended, and an error is reported once instead of at every repaint."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

AnyPainter = TypeVar("AnyPainter", bound=QPainter)
FAILED = "_paint_failed"
"""Name of the attribute that marks a widget or an item that failed to draw last time."""


@contextmanager
def reported_once(owner: object) -> Iterator[None]:
    """Report an error of drawing a widget or an item to `sys.excepthook`, but not again while drawing keeps failing."""
    try:
        yield
        setattr(owner, FAILED, False)
    except Exception as error:
        if not getattr(owner, FAILED, False):
            setattr(owner, FAILED, True)
            sys.excepthook(type(error), error, error.__traceback__)


@contextmanager
def painting(widget: QWidget, painter: AnyPainter) -> Iterator[AnyPainter]:
    """Yield a painter that is active on a widget, and always end it; an error is reported once.

    A painter that is not ended blocks all later paint events of the window.
    """
    try:
        with reported_once(widget):
            yield painter
    finally:
        painter.end()


@contextmanager
def painter_on(widget: QWidget, *, smooth: bool = False) -> Iterator[QPainter]:
    """Yield a painter for the paint event of a widget (`painting`); `smooth` antialiases curves."""
    with painting(widget, QPainter(widget)) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
        yield painter
