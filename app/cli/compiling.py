"""What the command line says of compiling: one line on standard error, once it has taken a second."""

import sys
import time
from threading import Timer

from app.cli.progress_line import CLEAR, SHOW_AFTER
from core.kernels import compile_events


class CompilingNotice:
    """Says on standard error, once each, what is worth it."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._spent = self._begun = 0.0
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Say so once compiling has taken its time, all kernels together."""
        self._begun = time.monotonic()
        self._timer = Timer(max(SHOW_AFTER - self._spent, 0.0), self._say, [compile_events.COMPILING])
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Count the time."""
        self._spent += time.monotonic() - self._begun
        if self._timer is not None:
            self._timer.cancel()

    def no_cache_folder(self, reason: str) -> None:
        """Say why every start is slow."""
        self._say(f"compiled code can be kept nowhere, so every start compiles it anew: {reason}")

    def _say(self, line: str) -> None:
        if line not in self._said and sys.stderr is not None:
            self._said.add(line)
            # A terminal may show how far the work is, on the same line.
            sys.stderr.write(f"{CLEAR if sys.stderr.isatty() else ''}fabriscope: {line}\n")
            sys.stderr.flush()


notice = CompilingNotice()
