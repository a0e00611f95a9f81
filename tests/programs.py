"""Programs in processes of their own that start at once: forked from one that has loaded what they need.

To start Python and to load numpy, numba and Qt takes longer than most of what tests let a process do. What it does from
there on, its streams and how it ends are those of any process.
"""

import atexit
import fcntl
import gc
import json
import os
import resource
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
ABOVE = 512
"""Descriptors from here on are used by no test."""


def run(loaded, arguments, *, input="", text=True, largest_file=None, pass_fds=(), **options):
    """Run a Python program as `subprocess.run` does, and return what that returns.

    Parameters
    ----------
    loaded
        The modules that it has loaded when it starts.
    arguments
        A script, or ``-c`` and code, and what it is given.
    largest_file
        The bytes that it may write into one file; None: any number.
    options
        `stdout` and `stderr` (files; without: what is written is returned; None: closed), `cwd` and `env`.
    """
    with ExitStack() as stack, tempfile.TemporaryFile() as stdin:
        stdin.write(input.encode())
        stdin.seek(0)
        descriptors = {number: number for number in pass_fds} | {0: stdin.fileno()}
        readers = {}
        for number, name in ((1, "stdout"), (2, "stderr")):
            if name not in options:
                reads, descriptors[number] = os.pipe()
                readers[number] = stack.enter_context(open(reads, "rb"))
            elif options[name] is not None:
                descriptors[number] = options[name] if isinstance(options[name], int) else options[name].fileno()
        request = {
            "arguments": list(map(str, arguments)),
            "cwd": str(options.get("cwd") or Path.cwd()),
            "env": dict(options.get("env") or os.environ),
            "largest_file": largest_file,
            "descriptors": list(descriptors),
        }
        nursery = _nursery(tuple(loaded))
        nursery.start(request, list(descriptors.values()))
        for number in readers:
            os.close(descriptors[number])
        written = _read(readers)
        told = [written.get(number, b"") for number in (1, 2)]
        return subprocess.CompletedProcess(
            request["arguments"], nursery.status(), *([part.decode() for part in told] if text else told)
        )


def _read(files):
    # All that is written to any of some pipes, by the numbers of the files.
    written = dict.fromkeys(files, b"")
    with selectors.DefaultSelector() as waiting:
        for number, file in files.items():
            waiting.register(file, selectors.EVENT_READ, number)
        while waiting.get_map():
            for ready, _ in waiting.select():
                part = os.read(ready.fd, 1 << 16)
                written[ready.data] += part
                if not part:
                    waiting.unregister(ready.fileobj)
    return written


class _Nursery:
    """The process that programs are forked from."""

    def __init__(self, loaded):
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno()), *loaded],
                cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
            )  # fmt: skip
        atexit.register(self.end)

    def end(self):
        self._line.close()
        self._process.wait()

    def start(self, request, descriptors):
        """Let a program begin."""
        socket.send_fds(self._line, [json.dumps(request).encode() + b"\n"], descriptors)

    def status(self):
        """Wait for its end and return its status."""
        answer = self._line.recv(100)
        assert answer, "the nursery has ended"
        return os.waitstatus_to_exitcode(int(answer))


@cache
def _nursery(loaded):
    return _Nursery(loaded)


def _next_program(line):
    """Fork a process for each request until there are no more; return, in that process alone, the request."""
    while True:
        text, descriptors, *_ = socket.recv_fds(line, 1 << 16, 16)
        while text and not text.endswith(b"\n"):
            text += line.recv(1 << 16)
        if not text:
            os._exit(0)
        child = os.fork()
        if not child:
            line.close()
            return json.loads(text), descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(os.waitpid(child, 0)[1]).encode())


def _become(request, descriptors):
    """Take on what a process has from whoever starts it."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    if request["largest_file"] is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["largest_file"],) * 2)
    above = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, ABOVE) for descriptor in descriptors]
    for number in (0, 1, 2, *descriptors):
        os.close(number)
    for descriptor, number in zip(above, request["descriptors"], strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = _stream(0, sys.stdin)
    sys.stdout = sys.__stdout__ = _stream(1, sys.stdout)
    sys.stderr = sys.__stderr__ = _stream(2, sys.stderr)


def _stream(number, like):
    # As Python opens it when it starts.
    try:
        os.fstat(number)
    except OSError:
        return None
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    mode, buffering = ("wb", 0 if unbuffered else -1) if number else ("rb", -1)
    binary = open(number, mode, buffering, closefd=False)  # noqa: SIM115
    getattr(binary, "raw", binary).name = like.name
    by_line = not unbuffered and (number == 2 or binary.isatty())
    return TextIOWrapper(binary, like.encoding, like.errors, line_buffering=by_line, write_through=unbuffered)


def _run(arguments):
    script, *_ = sys.argv = arguments
    if script != "-c":
        sys.path[0] = str(Path(script).parent)
        runpy.run_path(script, run_name="__main__")
        return
    sys.path[0] = ""
    code = sys.argv.pop(1)
    sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(sys.modules["__main__"]))


def _leave(ended):
    """End a program that has ended with a number: Python would copy what was loaded page by page, to take it apart."""
    if not (ended and isinstance(ended[0], int)):
        return
    with suppress(OSError):  # which Python tells
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(ended[0])


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    status = []
    atexit.register(_leave, status)  # before all others, and so called after them
    for name in sys.argv[2:]:
        import_module(name)
    gc.freeze()
    begun, inherited = _next_program(socket.socket(fileno=int(sys.argv[1])))
    _become(begun, inherited)
    try:
        _run(begun["arguments"])
        status.append(0)
    except SystemExit as end:
        status.append(end.code)
        raise
