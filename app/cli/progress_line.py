"""Progress on standard error, as a line on the terminal or as JSON lines, and a prompt reaction to Ctrl-C.

A separate thread writes the line, even while a kernel runs. The thread also receives Ctrl-C and SIGTERM, since Python
handles signals only between bytecode instructions. If a kernel prevents that, the thread ends the program.
"""

import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread, current_thread, main_thread
from typing import Self, TextIO

from app.cli.escaping import unescaped
from core.text import escaped

SHOW_AFTER = 1.0
"""Time after which the line appears."""
POLL_SECONDS = 0.2
"""Polling interval."""
GRACE_SECONDS = 0.4
"""Time for Python to handle a signal itself and clean up."""
MIN_DONE = 0.02
"""Minimum fraction done for an estimate of the remaining time."""
CLEAR = "\r\x1b[K"
BAR = 24
"""Width of the bar in characters."""


def bar(done: float) -> str:
    """Return a progress bar for the fraction done."""
    full = int(BAR * done)
    return f"{'█' * full}{'░' * (BAR - full)}"


def write_line(terminal: TextIO, text: str) -> None:
    """Replace the current line of a terminal; an empty text clears it."""
    with suppress(OSError):
        line = escaped(text)[: shutil.get_terminal_size().columns - 1]
        unescaped(terminal).write(f"{CLEAR}{line}")
        terminal.flush()


class ProgressLine:
    """The progress line, from the first stage of the work until its end, as a context manager.

    Parameters
    ----------
    quiet
        Show no line.
    verbose
        Print a line for each stage with its duration, even if the output is not a terminal.
    as_json
        Print JSON lines instead, even if the output is not a terminal: an object with the command, the stage, the
        seconds since the command began to work, the fraction done if it is known, and figures of searches and studies.
    """

    def __init__(
        self,
        command: str,
        terminal: TextIO | None = None,
        *,
        quiet: bool = False,
        verbose: bool = False,
        as_json: bool = False,
    ) -> None:
        self._command, self._stage, self._done, self._verbose = command, "", 0.0, verbose
        self._terminal = sys.stderr if terminal is None else terminal
        self._as_json = as_json and self._terminal is not None
        self._draws = not (quiet or as_json) and self._terminal is not None and self._terminal.isatty()
        self.shows = self._draws or self._as_json
        """Whether progress is shown."""
        self.grace = GRACE_SECONDS
        """Time for Python to handle a signal itself; longer where that may be delayed."""
        self._begun = self._entered = time.monotonic()
        self._working = self._shown = False
        self._over = Event()
        self._thread: Thread | None = None

    def stage(self, name: str) -> Callable[[float], None]:
        """Begin a stage of the work and return its progress function."""
        self._log_stage()
        self._stage, self._done, self._entered = name, 0.0, time.monotonic()
        if not self._working:
            self._working, self._begun = True, self._entered
        if self._as_json:
            self._record(name)
        return self._progress

    def later_stage(self, name: str) -> Callable[[float], None]:
        """Return the progress function of a stage that begins with the first progress, if there is any."""

        def progress(fraction: float) -> None:
            if self._stage != name:
                self.stage(name)
            self._progress(fraction)

        return progress

    def _progress(self, fraction: float) -> None:
        before, self._done = self._done, fraction
        if self._as_json and 0 <= fraction <= 1 and round(100 * before) != round(100 * fraction):
            self._record(self._stage, done=round(fraction, 2))

    def write(self, stage: str, text: str, **figures: float | str | None) -> None:
        """Show the progress of a stage as text, or as a JSON line with its figures, except missing figures."""
        if self._as_json:
            self._record(stage, **figures)
        elif self._draws:
            write_line(self._terminal, text)

    def erase(self) -> None:
        """Erase the text that `write` has shown."""
        if self._draws:
            write_line(self._terminal, "")

    def _record(self, stage: str, **figures: float | str | None) -> None:
        seconds = round(time.monotonic() - self._begun, 2)
        given = {name: figure for name, figure in figures.items() if figure is not None}
        with suppress(OSError):
            line = json.dumps({"command": self._command, "stage": stage, "seconds": seconds, **given})
            print(line, file=self._terminal, flush=True)

    def end(self) -> None:
        """Clear the line before other output."""
        self._log_stage()
        self._working = False
        self._clear()

    def _log_stage(self) -> None:
        if self._verbose and self._working and self._terminal is not None:
            self._clear()
            spent = time.monotonic() - self._entered
            print(f"{self._command}: {self._stage}, {spent:.2f} s", file=self._terminal)

    def __enter__(self) -> Self:
        """Start listening for signals; only in the main thread."""
        if current_thread() is main_thread():
            self._receiver, self._sender = socket.socketpair()
            for end in (self._receiver, self._sender):
                end.setblocking(False)
            self._before = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
            self._thread = Thread(target=self._watch, name="progress line", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop listening."""
        self._working = False
        self._over.set()
        if self._thread is not None:
            signal.set_wakeup_fd(self._before)
            with suppress(OSError):
                self._sender.send(b"\0")  # wakes the thread
            self._thread.join()
            self._receiver.close()
            self._sender.close()
        self._clear()

    def _watch(self) -> None:
        while not self._over.is_set():
            received, _, _ = select.select([self._receiver], [], [], POLL_SECONDS)
            if received:
                self._answer(self._receiver.recv(1)[0])
            if self._draws and self._working and time.monotonic() - self._begun >= SHOW_AFTER:
                self._shown = True
                drawn_bar = f"  {bar(self._done)}" if MIN_DONE <= self._done <= 1 else ""
                write_line(self._terminal, f"{self.words()}{drawn_bar}")

    def _answer(self, number: int) -> None:
        if (
            self._working
            and number in (signal.SIGINT, signal.SIGTERM)
            and not self._over.wait(self.grace)
            and self._working
        ):
            self._clear()
            os._exit(128 + number)

    def words(self) -> str:
        """Return the line without its bar: ``evaluate: loads, 43 %, about 12 s left``."""
        spent, done = time.monotonic() - self._entered, self._done
        if not MIN_DONE <= done <= 1:
            return f"{self._command}: {self._stage}, {spent:.0f} s"
        return f"{self._command}: {self._stage}, {100 * done:.0f} %, about {spent * (1 / done - 1):.0f} s left"

    def _clear(self) -> None:
        if self._shown:
            self._shown = False
            write_line(self._terminal, "")
