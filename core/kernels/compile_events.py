"""Notifies listeners that kernels are compiled, and that compiled code can be kept nowhere."""

from typing import Protocol

COMPILING = "compiling, once after an update"


class Listener(Protocol):
    """Notified of compiling, in whichever thread it happens."""

    def begin(self) -> None:
        """Kernels are being compiled from now on."""

    def end(self) -> None:
        """They have been compiled."""

    def no_cache_folder(self, reason: str) -> None:
        """There is no place to keep them, so that every start compiles them anew."""


class _Events:
    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.depth = self.compiled = 0


_events = _Events()


def listen(listener: Listener) -> None:
    """Notify this one too from now on."""
    if listener not in _events.listeners:
        _events.listeners.append(listener)


def begin() -> None:
    """Notify that a kernel is about to be compiled; others that it calls are compiled meanwhile."""
    _events.depth += 1
    if _events.depth == 1:
        for listener in _events.listeners:
            listener.begin()


def end() -> None:
    """Notify that a kernel has been compiled."""
    _events.depth -= 1
    _events.compiled += 1
    if _events.depth == 0:
        for listener in _events.listeners:
            listener.end()


def compiled() -> int:
    """Return how many kernels have been compiled since the program was started."""
    return _events.compiled


def no_cache_folder(reason: str) -> None:
    """Notify that there is no place to keep what is compiled."""
    for listener in _events.listeners:
        listener.no_cache_folder(reason)
