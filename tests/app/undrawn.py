"""Windows that draw nothing for a while, which takes most of the time where many sizes are gone through."""

from contextlib import contextmanager


@contextmanager
def undrawn(window):
    """Let a window lay out all that it shows and draw none of it: where it lies is known before that."""
    window.setUpdatesEnabled(False)
    try:
        yield window
    finally:
        window.setUpdatesEnabled(True)
