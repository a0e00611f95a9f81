"""Notifies listeners of compilation of kernels, and when compiled code cannot be stored."""

from typing import Protocol

COMPILING = "preparing for first use"
"""The message shown while kernels are compiled, once after an installation or update."""


class Listener(Protocol):
    """Receives notifications, in the compiling thread."""

    def begin(self) -> None:
        """Compilation of kernels has begun."""

    def end(self) -> None:
        """Compilation has ended."""

    def no_cache_folder(self, reason: str) -> None:
        """There is no folder to store compiled code, so every start compiles again."""


class _Events:
    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.depth = self.compiled = 0


_events = _Events()


def listen(listener: Listener) -> None:
    """Add a listener."""
    if listener not in _events.listeners:
        _events.listeners.append(listener)


def begin() -> None:
    """Notify that compilation of a kernel begins; kernels that it calls are compiled within it."""
    _events.depth += 1
    if _events.depth == 1:
        for listener in _events.listeners:
            listener.begin()


def end() -> None:
    """Notify that compilation of a kernel has ended."""
    _events.depth -= 1
    _events.compiled += 1
    if _events.depth == 0:
        for listener in _events.listeners:
            listener.end()


def compiled() -> int:
    """Return the number of kernels compiled since the program was started."""
    return _events.compiled


def no_cache_folder(reason: str) -> None:
    """Notify that there is no folder to store compiled code."""
    for listener in _events.listeners:
        listener.no_cache_folder(reason)
