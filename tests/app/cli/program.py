"""The program in a separate process that is forked after all imports (see tests/programs.py)."""

from pathlib import Path

from app.cli.main import COMMANDS
from core.kernels.compile_events import COMPILING
from tests import programs

MAIN = Path(__file__).parents[3] / "main.py"
LOADED = (
    "core.kernels.compiled", "app.session.session", "app.storage.pictures", "app.views.machine.paint", "numpy.ma",
    *(f"app.cli.{name}" for name in COMMANDS), "tests.app.cli.rehearsed",
)  # fmt: skip
OF_KERNELS = COMPILING, "compiled code cannot be stored"
"""Additional output of the first program that calls a kernel after a change."""


def start(*arguments, **options):
    """Start the program and return it while it runs."""
    return programs.Program(LOADED, [MAIN, *arguments], **options)


def run(*arguments, **options):
    """Run the program as a user does, and return its status and output without messages on kernels."""
    done = programs.run(LOADED, [MAIN, *arguments], **options)
    if isinstance(done.stderr, str):
        lines = done.stderr.splitlines(keepends=True)
        done.stderr = "".join(line for line in lines if not any(words in line for words in OF_KERNELS))
    return done
