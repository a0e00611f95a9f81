"""Escapes control characters on standard output and error, so that no name in a file can control the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from core.text import escaped


class OutputError(OSError):
    """Standard output or error cannot be written to."""


class EscapingStream:
    """A stream whose texts are escaped; everything else is passed to the stream behind it.

    Raises OutputError: if it cannot be written to. Raises BrokenPipeError: if its reader has closed it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text; carriage returns, which hide preceding text in a line, are escaped as well."""
        with _output_errors():
            self.stream.write(escaped(text).replace("\r", "\\r"))
        return len(text)

    def flush(self) -> None:
        """Write buffered text."""
        with _output_errors():
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def _output_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.errno, error.strerror) from error


def unescaped(stream: TextIO) -> TextIO:
    """Return the stream for terminal control by the program itself, such as progress lines."""
    return stream.stream if isinstance(stream, EscapingStream) else stream


@contextmanager
def escaped_output() -> Iterator[None]:
    """Pass all output of the block through `EscapingStream`."""
    before = sys.stdout, sys.stderr
    streams: list[Any] = [stream and EscapingStream(stream) for stream in before]
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
