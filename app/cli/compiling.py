"""A line on standard error about the compilation of kernels, once it has taken a second."""

import sys
import time
from threading import Timer

from app.cli.escaping import unescaped
from app.cli.progress_line import CLEAR, SHOW_AFTER
from core.kernels import compile_events
from core.text import escaped


class CompilingNotice:
    """Prints notices about compilation to standard error, each notice once."""

    def __init__(self) -> None:
        self._printed: set[str] = set()
        self._spent = self._begun = 0.0
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Print the notice once compilation has taken `SHOW_AFTER` seconds in total."""
        self._begun = time.monotonic()
        self._timer = Timer(max(SHOW_AFTER - self._spent, 0.0), self._print, [f"{compile_events.COMPILING} …"])
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Add the time since `begin` to the total."""
        self._spent += time.monotonic() - self._begun
        if self._timer is not None:
            self._timer.cancel()

    def no_cache_folder(self, reason: str) -> None:
        """Print why every start is slow."""
        self._print(f"compiled code cannot be stored, so every start is slow: {reason}")

    def _print(self, line: str) -> None:
        if line not in self._printed and sys.stderr is not None:
            self._printed.add(line)
            # On a terminal, the progress line may be on the same line.
            clear = CLEAR if sys.stderr.isatty() else ""
            unescaped(sys.stderr).write(f"{clear}fabriscope: {escaped(line)}\n")
            sys.stderr.flush()


notice = CompilingNotice()
