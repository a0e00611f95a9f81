"""Standard input and output of the command line: ``-``, outputs that are full or closed, and signals."""

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Self, TextIO

from app.cli.escaping import OutputError, unescaped
from core.files.atomic import STANDARD, check_place, is_named_file, reason_of, shown
from core.spec import SpecError
from core.text import guess, known_names

BAD_INPUT = 2
"""The exit status for refused input."""


class Terminated(KeyboardInterrupt):
    """Raised by SIGTERM, which ends the program as Ctrl-C does."""


class Parser(argparse.ArgumentParser):
    """A parser with one-line errors, which also fails if its help or version cannot be printed."""

    def _print_message(self, message: str, file: Any = None) -> None:
        # The help or the version; argparse ignores errors in printing them.
        check_output()
        print(message, end="", file=file)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # For an unknown name, argparse lists all names and suggests none.
        if action.choices is not None and value not in action.choices:
            hint = known_names(str(value), [str(choice) for choice in action.choices])
            raise argparse.ArgumentError(action, f"{shown(str(value))!r} is not known; {hint}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but refuse excess arguments here, where the command's own options are known."""
        parsed, unknown = super().parse_known_args(args, namespace)
        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), None)
        if option is not None:
            self.error(f"unknown option {shown(option)!r}; {guess(option, self._option_string_actions)}")
        if unknown:
            self.error(f"unexpected argument {shown(unknown[0])!r}")
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        """Print the error in one line, and exit."""
        separator = "" if message.endswith(" ") else "; "
        complain(f"{message}{separator}see {self.prog} --help", self.prog)
        raise SystemExit(BAD_INPUT)


def complain(error: Exception | str, name: str = "fabriscope") -> None:
    """Print one line on standard error, if it is open."""
    if sys.stderr is not None:  # print(file=None) would print on standard output
        with suppress(OSError):
            print(f"{name}: {error}", file=sys.stderr)


def write_all_characters() -> None:
    """Print UTF-8 into files and pipes; on a terminal, characters unknown to its encoding become ``?``."""
    for stream in map(unescaped, (sys.stdout, sys.stderr)):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


@contextmanager
def printed() -> Iterator[None]:
    """Flush standard output at the end of the block.

    Raises BrokenPipeError: if its reader has closed it. Raises SpecError: if it cannot be written, and for other errors
    of the operating system, naming what failed.
    """
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _give_up(sys.stdout)
        raise
    except OutputError as error:
        _give_up(sys.stdout)
        reason, advice = reason_of(error)
        raise SpecError("standard output", f"cannot be written: {reason}; {advice}") from error
    except OSError as error:
        raise _system_error(error) from error


def _system_error(error: OSError) -> SpecError:
    if error.filename is not None:
        return SpecError("file", f"{shown(str(error.filename))} cannot be used: {reason_of(error)[0]}")
    try:
        os.getcwd()
    except OSError:
        return SpecError("current folder", "no longer exists; change to another folder")
    return SpecError("system", shown(error.strerror or str(error)))


def _give_up(stream: TextIO) -> None:
    # Otherwise Python flushes again while it shuts down, and prints an error.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def check_output() -> None:
    """Refuse a closed standard output.

    Raises SpecError: if it is closed.
    """
    if sys.stdout is None:
        raise SpecError("standard output", f"is closed; redirect it to {os.devnull} to discard it")


@contextmanager
def separate_output(options: argparse.Namespace, option: str, *endings: str) -> Iterator[None]:
    """Print a command's text on standard error, or with -q not at all, if `option` writes to standard output.

    `endings` are the valid endings of the file.

    Raises SpecError: if --json writes to standard output too, or the file cannot be written.
    """
    path = getattr(options, option)
    if path != STANDARD:
        if path is not None:
            check_place(path, f"--{option}", endings)
        yield
        return
    if options.json:
        raise SpecError(f"--{option}", "- and --json both write to standard output; give a file name or omit one")
    quiet = sys.stderr is None or getattr(options, "quiet", False)
    with redirect_stdout(io.StringIO() if quiet else sys.stderr):
        yield


def print_written(path: Path | None, options: argparse.Namespace) -> None:
    """Print where a file was written, unless it is a pipe or a device, or --json is given."""
    if path is not None and is_named_file(path) and not getattr(options, "json", False):
        print(f"written: {path}")


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM end the program as Ctrl-C does: quietly, and without partly written files."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Interrupts:
    """Raises KeyboardInterrupt at Ctrl-C and remembers it, since libraries may turn it into other errors.

    For example, an import interrupted while Qt's binding loads fails with an AttributeError.
    """

    def __init__(self) -> None:
        self.received = False

    def __enter__(self) -> Self:
        """Begin to receive Ctrl-C, unless the shell makes the program ignore it."""
        main_thread = threading.current_thread() is threading.main_thread()
        if main_thread and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._raise)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Raise KeyboardInterrupt instead of an error that followed it."""
        if self.received and isinstance(error, Exception):
            raise KeyboardInterrupt from error

    def _raise(self, number: int, frame: FrameType | None) -> NoReturn:
        self.received = True
        if _loads_qt(frame):
            os._exit(128 + number)
        raise KeyboardInterrupt


def _loads_qt(frame: FrameType | None) -> bool:
    # An exception during this import would make Qt's binding abort the process.
    while frame is not None:
        code = frame.f_code
        loaded = str(frame.f_locals.get("name")) if code.co_name == "_find_and_load" else code.co_filename
        if loaded.startswith(("PySide6", "shiboken", "signature_bootstrap")):
            return True
        frame = frame.f_back
    return False


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated


@contextmanager
def signals_held() -> Iterator[Callable[[], None]]:
    """Hold back SIGINT and SIGTERM until the yielded function is called, since painting cannot be interrupted.

    That function raises KeyboardInterrupt or Terminated if a signal has arrived.
    """
    received: list[int] = []

    def answer() -> None:
        if received:
            raise KeyboardInterrupt if received[0] == signal.SIGINT else Terminated

    if threading.current_thread() is not threading.main_thread():
        yield answer  # only the main thread receives signals
        return
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, lambda number, frame: received.append(number)) for number in numbers]
    try:
        yield answer
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
