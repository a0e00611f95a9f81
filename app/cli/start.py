"""The program's entry point: Ctrl-C ends it quietly at any moment, even while it is being imported."""

import os
import signal
from types import FrameType

STATUS = 128 + signal.SIGINT
"""Exit status after Ctrl-C."""


def main() -> int:
    """Run the program; return its exit status."""
    _end_at_once()
    try:
        from app.cli.main import main as run

        return run()
    finally:
        _end_at_once()


def _end_at_once() -> None:
    # Nothing is being written. A shell lets programs in the background ignore Ctrl-C.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(STATUS)
