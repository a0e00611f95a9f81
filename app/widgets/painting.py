"""Painters for paint events: always ended, and an error is reported once instead of at every repaint."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

AnyPainter = TypeVar("AnyPainter", bound=QPainter)
FAILED = "_paint_failed"
"""Name of the attribute that marks a widget whose last paint event failed."""


@contextmanager
def painting(widget: QWidget, painter: AnyPainter) -> Iterator[AnyPainter]:
    """Yield a painter that is on a widget, and end it whatever happens.

    A painter that is not ended blocks all later paint events of the window. An error goes to `sys.excepthook`; as long
    as repainting fails, it is not reported again.
    """
    try:
        yield painter
        setattr(widget, FAILED, False)
    except Exception as error:
        if not getattr(widget, FAILED, False):
            setattr(widget, FAILED, True)
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        painter.end()


@contextmanager
def painter_on(widget: QWidget, *, smooth: bool = False) -> Iterator[QPainter]:
    """Yield a painter for the paint event of a widget (`painting`); `smooth` antialiases curves."""
    with painting(widget, QPainter(widget)) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
        yield painter
