"""Programs in separate processes that start quickly: forked from a process that has loaded their modules.

Starting Python and loading numpy, numba and Qt takes longer than the work of most tests. Apart from the start, these
programs, their streams and their exit are like any process.
"""

import atexit
import fcntl
import gc
import json
import os
import resource
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
ABOVE = 512
"""First descriptor that no test uses."""


def run(loaded, arguments, *, input="", **options):
    """Run a Python program, and return a result like `subprocess.run`.

    Parameters
    ----------
    loaded
        Modules that are loaded when the program starts.
    arguments
        A script, ``-c`` and code, or ``-m`` and a module, then their arguments.
    input
        Text for its standard input.
    options
        Options of `Program`.
    """
    with tempfile.TemporaryFile() as stdin:
        stdin.write(input.encode())
        stdin.seek(0)
        with Program(loaded, arguments, stdin=stdin, **options) as program:
            out, err = program.communicate()
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


class Program:
    """A running Python program: the part of `subprocess.Popen` that tests need.

    Parameters
    ----------
    loaded, arguments
        As for `run`.
    stdin
        A file, or `subprocess.PIPE`.
    text
        Whether its output is text instead of bytes.
    largest_file
        Maximum bytes that it may write into one file; None for no limit.
    start_new_session
        Whether it gets a separate process group.
    options
        `stdout` and `stderr` (files, or None for a closed stream; without them output is returned), `cwd` and `env`.
    """

    def __init__(
        self, loaded, arguments, *, stdin=subprocess.PIPE, text=True, largest_file=None, pass_fds=(),
        start_new_session=False, **options,
    ):  # fmt: skip
        self.args, self.returncode, self._text = list(map(str, arguments)), None, text
        self.stdin = self.stdout = self.stderr = None
        descriptors, given_away = {number: number for number in pass_fds}, []
        if stdin == subprocess.PIPE:
            descriptors[0], writes = os.pipe()
            given_away.append(descriptors[0])
            self.stdin = open(writes, "w" if text else "wb")  # noqa: SIM115
        else:
            descriptors[0] = stdin.fileno()
        for number, name in ((1, "stdout"), (2, "stderr")):
            if name not in options:
                reads, descriptors[number] = os.pipe()
                given_away.append(descriptors[number])
                setattr(self, name, open(reads, "r" if text else "rb"))  # noqa: SIM115
            elif options[name] is not None:
                descriptors[number] = options[name] if isinstance(options[name], int) else options[name].fileno()
        request = {
            "arguments": self.args,
            "cwd": str(options.get("cwd") or Path.cwd()),
            "env": dict(options.get("env") or os.environ),
            "largest_file": largest_file,
            "new_session": start_new_session,
            "descriptors": list(descriptors),
        }
        reads, report_fd = os.pipe()
        self._status = open(reads, "rb", 0)  # noqa: SIM115
        _nursery(tuple(loaded)).start(request, [*descriptors.values(), report_fd])
        for number in (*given_away, report_fd):
            os.close(number)
        self.pid = int(self._status.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for file in filter(None, (self.stdin, self.stdout, self.stderr)):
            file.close()
        self.wait()

    def poll(self):
        """Return the exit status, or None while the program runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self):
        """Wait for the end and return the exit status."""
        if self.returncode is None:
            with self._status:
                status = self._status.readline()
            assert status, "the nursery has ended"
            self.returncode = os.waitstatus_to_exitcode(int(status))
        return self.returncode

    def communicate(self):
        """Wait for the end and return the remaining output."""
        if self.stdin:
            self.stdin.close()
        files = [file for file in (self.stdout, self.stderr) if file]
        written = _read(files)
        for file in files:
            file.close()
        self.wait()
        output = [written.get(file, b"") for file in (self.stdout, self.stderr)]
        return [part.decode() for part in output] if self._text else output

    def send_signal(self, number):
        """Send a signal if the program still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self):
        """Kill the program."""
        self.send_signal(signal.SIGKILL)


def _read(files):
    # The output of several pipes, by file.
    written = dict.fromkeys(files, b"")
    with selectors.DefaultSelector() as waiting:
        for file in files:
            waiting.register(file, selectors.EVENT_READ)
        while waiting.get_map():
            for ready, _ in waiting.select():
                part = os.read(ready.fd, 1 << 16)
                written[ready.fileobj] += part
                if not part:
                    waiting.unregister(ready.fileobj)
    return written


class _Nursery:
    """The process from which programs are forked."""

    def __init__(self, loaded):
        self._line, child_end = socket.socketpair()
        with child_end:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(child_end.fileno()), *loaded],
                cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[child_end.fileno()],
            )  # fmt: skip
        atexit.register(self.end)

    def end(self):
        self._line.close()
        self._process.wait()

    def start(self, request, descriptors):
        """Start a program; the last descriptor receives its process ID and exit status."""
        socket.send_fds(self._line, [json.dumps(request).encode() + b"\n"], descriptors)


@cache
def _nursery(loaded):
    return _Nursery(loaded)


def _next_program(line):
    """Fork a process for each request, and return the request in the child; exit after the last request."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes)
    running = {}  # programs, and the descriptors for their exit status
    while True:
        ready, _, _ = select.select([line, woken], [], [])
        if woken in ready:
            os.read(woken, 1 << 16)
            _report_ended(running)
        if line not in ready:
            continue
        text, descriptors, *_ = socket.recv_fds(line, 1 << 16, 16)
        while text and not text.endswith(b"\n"):
            text += line.recv(1 << 16)
        if not text:
            os._exit(0)
        *descriptors, report_fd = descriptors
        child = os.fork()
        if not child:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            line.close()
            for descriptor in (woken, wakes, report_fd, *running.values()):
                os.close(descriptor)
            return json.loads(text), descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        running[child] = report_fd
        os.write(report_fd, b"%d\n" % child)


def _report_ended(running):
    for child in list(running):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            report_fd = running.pop(child)
            os.write(report_fd, b"%d\n" % status)
            os.close(report_fd)


def _become(request, descriptors):
    """Set the attributes that a process inherits from its parent."""
    if request["new_session"]:
        os.setsid()
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
    if script == "-m":
        del sys.argv[0]
        sys.path[0] = str(Path.cwd())
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        return
    if script != "-c":
        sys.path[0] = str(Path(script).parent)
        runpy.run_path(script, run_name="__main__")
        return
    sys.path[0] = ""
    code = sys.argv.pop(1)
    sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(sys.modules["__main__"]))


def _leave(ended):
    """Exit at once with an integer status; a normal exit would copy the pages of loaded modules to deallocate them."""
    if not (ended and isinstance(ended[0], int)):
        return
    with suppress(OSError):  # Python reports it
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(ended[0])


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    status = []
    atexit.register(_leave, status)  # registered first, called last
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
