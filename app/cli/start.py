"""The entry point of the program, which Ctrl-C ends quietly at any moment, even during imports."""

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
    # Nothing is being written at this point. A shell makes background programs ignore Ctrl-C.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(STATUS)
