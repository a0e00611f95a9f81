"""Processes for long work: each receives a task and a pipe, and ends with the process that started it.

On Linux they are forked from a server that has already imported the modules they need, which takes a third of the time.
The program itself cannot be forked, because it has threads and a window.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import current_process, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from core.spec import SpecError

START_METHOD = "forkserver" if sys.platform == "linux" else "spawn"
"""How `multiprocessing` starts a process."""
COMPILED = "core.kernels.compiled"
"""Loads numba, the slowest import of a process."""


@dataclass(eq=False)
class Worker:
    """A process and its pipe."""

    process: BaseProcess
    pipe: "Connection[Any, Any]"
    gone: bool = False
    """Whether it ended by itself or was killed from outside, for example for lack of memory."""


def start_process(work: "Callable[[Any, Connection[Any, Any]], None]", task: Any, name: str) -> Worker:
    """Start a process that receives a task and the other end of the worker's pipe, and ignores Ctrl-C.

    Raises SystemExit: in a process that is itself being started and runs the unguarded main part of its script again.
    """
    if getattr(current_process(), "_inheriting", False):
        raise SystemExit(1)
    context: Any = get_context(START_METHOD)
    ours, child_end = context.Pipe()
    process = context.Process(target=_without_signals, args=(work, task, child_end), daemon=True, name=name)
    with interrupts_blocked():
        start_server(work.__module__)
        process.start()
    child_end.close()
    return Worker(process, ours)


def end_processes(workers: Sequence[Worker]) -> None:
    """Kill processes, and wait for them to end."""
    for worker in workers:
        worker.process.kill()
    for worker in workers:
        worker.process.join()
        worker.process.close()
        worker.pipe.close()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM while child processes start: a terminal signals the whole group, also during imports."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Such processes start the resource tracker, which would unblock the signals.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_server(*modules: str) -> None:
    """Start the server that processes are forked from, with the modules they need, unless it is already running."""
    if START_METHOD != "forkserver":
        return
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload([COMPILED, *modules])
    with _environment(
        # Python searches the current folder first, which may hold modules of the same names.
        PYTHONPATH=os.pathsep.join(sys.path),
        PYTHONSAFEPATH="1",
        # The processes share the processors, so each has a single thread.
        OPENBLAS_NUM_THREADS="1",
    ):
        forkserver.ensure_running()


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _without_signals(
    work: "Callable[[Any, Connection[Any, Any]], None]", task: Any, pipe: "Connection[Any, Any]"
) -> None:
    # Only the main process handles Ctrl-C and SIGTERM; it then ends the other processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        work(task, pipe)
    except SpecError as error:
        pipe.send(error)
    except (EOFError, BrokenPipeError):
        # The main process is gone.
        return
