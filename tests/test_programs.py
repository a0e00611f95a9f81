"""A forked program (tests/programs.py) behaves like a started one."""

import os
import signal
import subprocess
import sys

import pytest

from tests import programs

REPORTS = """
import os, sys
print(__name__, sys.argv, os.getcwd(), os.environ["VARIABLE"], sys.stdin.read(), sys.dont_write_bytecode)
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.name, stream.encoding, stream.errors, stream.line_buffering, stream.write_through, file=sys.stderr)
"""
ENDS = {
    "by itself": "print('done')",
    "with a status": "print('done'); raise SystemExit(3)",
    "with a message": "raise SystemExit('message')",
    "by an error": "print('done'); 1 / 0",
    "by a signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "with an exit handler": "import atexit; atexit.register(print, 'last'); print('first')",
}


def both(arguments, environment=None, **options):
    """The exit status and output of a program, forked and started."""
    environment = {**os.environ, "VARIABLE": "value", **(environment or {})}
    forked = programs.run([], arguments, env=environment, **options)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = subprocess.run([sys.executable, *arguments], env=environment, text=True, check=False, **pipes | options)
    return [(done.returncode, done.stdout or "", done.stderr or "") for done in (forked, started)]


@pytest.mark.parametrize("environment", [{}, {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}], ids=str)
@pytest.mark.parametrize("given", [["script.py"], ["-c", REPORTS], ["-m", "script"]], ids=lambda given: given[0])
def test_it_receives_the_same(given, environment, tmp_path):
    (tmp_path / "script.py").write_text(REPORTS)
    forked, started = both([*given, "x"], environment, cwd=tmp_path, input="in")
    assert forked == started
    assert "value in" in forked[1]


@pytest.mark.parametrize("code", ENDS.values(), ids=ENDS)
def test_it_ends_the_same(code):
    (*forked, forked_error), (*started, started_error) = both(["-c", code])
    assert forked == started
    assert forked_error.splitlines()[-1:] == started_error.splitlines()[-1:]


def test_a_running_program_can_be_read_written_to_and_stopped():
    code = "import os; print(os.getpgrp(), flush=True); print(input(), flush=True); input()"
    with programs.Program([], ["-c", code], start_new_session=True) as program:
        assert int(program.stdout.readline()) == program.pid != os.getpgrp()
        program.stdin.write("text\n")
        program.stdin.flush()
        assert program.stdout.readline() == "text\n"
        assert program.poll() is None
        os.killpg(program.pid, signal.SIGTERM)
        assert program.communicate() == ["", ""]
    assert program.poll() == -signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.killpg(program.pid, 0)


def test_a_full_output_gives_the_same_error():
    with open("/dev/full", "w") as full:
        forked, started = both(["-c", "print('lost')"], stdout=full)
    assert forked[0] == started[0] != 0
    assert forked[2].splitlines()[-1] == started[2].splitlines()[-1] == "OSError: [Errno 28] No space left on device"


def test_a_closed_output_is_none_and_other_descriptors_keep_their_numbers():
    reads, writes = os.pipe()
    code = f"import os, sys; os.write({writes}, str(sys.stdout).encode())"
    assert programs.run([], ["-c", code], stdout=None, pass_fds=[writes]).returncode == 0
    os.close(writes)
    with open(reads, "rb") as reader:
        assert reader.read() == b"None"


def test_files_are_limited_in_size(tmp_path):
    out = tmp_path / "out"
    done = programs.run([], ["-c", f"open({str(out)!r}, 'wb', 0).write(bytes(100))"], largest_file=10)
    assert (done.returncode, out.stat().st_size) == (0, 10)


def test_requested_modules_are_loaded():
    assert programs.run(["wave"], ["-c", "import sys; print('wave' in sys.modules)"]).stdout == "True\n"
