"""Threads that never keep the program from ending.

When the program ends, Python waits for the threads of a `ThreadPoolExecutor`, forever if a thread hangs. For example,
opening a file on an unresponsive network drive cannot be interrupted.
"""

import os
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

END_SECONDS = 2.0
"""Maximum wait for a thread to end."""
MORE_SECONDS = 0.2
"""Maximum wait if another thread already hangs."""
_hanging: set["Worker"] = set()


class Worker(Thread):
    """A thread that makes calls in sequence and starts with the first call."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._calls: SimpleQueue[tuple[Future[None], Callable[[], Any]] | None] = SimpleQueue()
        self._started_once = False

    def submit(self, call: Callable[[], Any]) -> "Future[None]":
        """Submit a call, made after all previous calls; it can be cancelled until it begins."""
        future: Future[None] = Future()
        self._calls.put((future, call))
        if not self._started_once:
            self._started_once = True
            self.start()
        return future

    def run(self) -> None:
        """Make the calls."""
        while (item := self._calls.get()) is not None:
            future, call = item
            if future.set_running_or_notify_cancel():
                try:
                    call()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(None)
            # An idle thread must keep nothing alive.
            del item, future, call

    def dismiss(self) -> None:
        """Let the thread end after its calls."""
        self._calls.put(None)

    def end(self, seconds: float | None = None) -> None:
        """Let the thread end after its calls, and wait at most `seconds` for it (default: `END_SECONDS`)."""
        self.dismiss()
        if self._started_once:
            self.join(MORE_SECONDS if any_hangs() else END_SECONDS if seconds is None else seconds)
        if self.is_alive():
            _hanging.add(self)


def any_hangs() -> bool:
    """Return whether any thread that should have ended still runs."""
    return any(worker.is_alive() for worker in _hanging)


def leave(status: int) -> int:
    """Return the exit status of the program; if a thread hangs, end the process at once instead."""
    if any_hangs():
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)
    return status
