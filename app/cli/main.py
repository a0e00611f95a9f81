"""The command line. Errors are one line on standard error, with exit status 2."""

import atexit
import gc
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from app import __version__
from app.cli import screen
from app.cli.commands import COMMANDS, declare_command, declare_verbosity
from app.cli.escaping import escaped_output
from app.cli.progress_line import ProgressLine
from app.cli.streams import (
    BAD_INPUT,
    Interrupts,
    Parser,
    Terminated,
    check_output,
    complain,
    ended_by_signals,
    printed,
    write_all_characters,
)
from core.spec import SpecError
from core.text import as_sentence

GC_THRESHOLD = 100_000
"""Allocations between two garbage collections: imports create half a million permanent objects."""
WINDOW = "window"


@escaped_output()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit status."""
    if arguments is None:
        write_all_characters()
    try:
        if arguments is not None:
            with printed():
                return _run(arguments, alone=False)
        with Interrupts(), printed():
            return _run(sys.argv[1:], alone=True)
    except SpecError as error:
        complain(error)
        return BAD_INPUT
    except MemoryError:
        complain(SpecError("memory", "not enough for this scenario; choose a smaller one"))
        return BAD_INPUT
    except BrokenPipeError:
        return 0  # the reader of the output, such as head, has closed it
    except Terminated:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _spare_collections() -> None:
    # Garbage collections at start and exit take a quarter of the time of a short command.
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)


def _run(arguments: Sequence[str], alone: bool) -> int:
    given = with_command(arguments)
    command = next((word for word in given if not word.startswith("-")), WINDOW)
    if alone and command != WINDOW:
        _spare_collections()
    options = parser_of(command).parse_args(given)
    from app.cli.compiling import notice
    from core.kernels import compile_events
    from core.kernels.numba_import import nothing_else_uses_numba

    quiet, verbose, progress = (getattr(options, name, False) for name in ("quiet", "verbose", "progress"))
    if not quiet:
        compile_events.listen(notice)
    if command not in (WINDOW, "render", "film"):
        check_output()
    if command == WINDOW:
        # Qt's event loop would delay Python's signal handlers; the window has its own.
        return int(options.run(options))
    nothing_else_uses_numba()
    with ended_by_signals(), ProgressLine(command, quiet=quiet, verbose=verbose, as_json=progress) as options.live:
        return int(options.run(options))


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the default command inserted: a file without a command opens in the window."""
    opens = bool(arguments) and arguments[0].endswith(".json")
    return [WINDOW, *arguments] if opens else list(arguments)


def parser_of(command: str | None) -> Parser:
    """Return the parser of the arguments, with the options of `command`, or of all commands if None."""
    parser = Parser(
        prog="fabriscope",
        description="Show which links of a supercomputer's network limit a parallel job. Without a command, "
        "open the window.",
    )
    parser.add_argument("--version", action="version", version=__version__, help="print the version and exit")
    declare_verbosity(parser)
    parser.set_defaults(run=screen.run, file=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    window = commands.add_parser(WINDOW, help="the window (default)")
    window.add_argument("file", type=Path, nargs="?", metavar="FILE", help="scenario file or preset to open")
    for name, description in COMMANDS.items():
        parser_of_command = commands.add_parser(name, help=description, description=as_sentence(description))
        if command in (name, None):
            # Options of other commands are not needed, and importing their modules takes time.
            declare_command(parser_of_command, name)
    return parser
