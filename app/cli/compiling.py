"""A line on standard error about compiling kernels, once it has taken a second."""

import sys
import time
from threading import Timer

from app.cli.escaping import unescaped
from app.cli.progress_line import CLEAR, SHOW_AFTER
from core.kernels import compile_events
from core.text import escaped


class CompilingNotice:
    """Prints notices about compiling to standard error, each once."""

    def __init__(self) -> None:
        self._printed: set[str] = set()
        self._spent = self._begun = 0.0
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Print the notice once compiling has taken long enough in total."""
        self._begun = time.monotonic()
        self._timer = Timer(max(SHOW_AFTER - self._spent, 0.0), self._say, [f"{compile_events.COMPILING} …"])
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Add up the time."""
        self._spent += time.monotonic() - self._begun
        if self._timer is not None:
            self._timer.cancel()

    def no_cache_folder(self, reason: str) -> None:
        """Print why every start is slow."""
        self._say(f"compiled code can be kept nowhere, so every start compiles it anew: {reason}")

    def _say(self, line: str) -> None:
        if line not in self._printed and sys.stderr is not None:
            self._printed.add(line)
            # The progress line may be on the same line of a terminal.
            clear = CLEAR if sys.stderr.isatty() else ""
            unescaped(sys.stderr).write(f"{clear}fabriscope: {escaped(line)}\n")
            sys.stderr.flush()


notice = CompilingNotice()
