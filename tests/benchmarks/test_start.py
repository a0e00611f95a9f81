"""CPU seconds of a new process, cold and warm, compared with importing its libraries.

The best of several runs, so that other load on the machine does not count. Cold includes compiling the kernels. The
bytecode of libraries exists, as after an installation.
"""

import os
import resource

import pytest

from tests.benchmarks.timing import ROOT, run_to_the_end, seconds_text

PRESETS = sorted((ROOT / "resources" / "presets").glob("*.fabriscope.json"))
SMALL = ROOT / "resources" / "presets" / "torus-16x16-transpose.fabriscope.json"
DRAGONFLY = ROOT / "resources" / "presets" / "dragonfly-1056-nodes.fabriscope.json"
COMMANDS = {
    "--help": ("--help",),
    "evaluate torus-16x16-transpose": ("evaluate", SMALL),
    "metrics torus-16x16-transpose": ("metrics", SMALL),
}
COLD_EVALUATION, COLD_SEARCH = 16.0, 80.0
"""Limits of compiling as multiples of `import numba`; a search compiles in two processes, one after the other."""


@pytest.fixture(scope="module")
def bytecode(tmp_path_factory):
    """A folder with the bytecode of all loaded modules, as after an installation."""
    folder = tmp_path_factory.mktemp("bytecode")
    seconds(command("optimise", DRAGONFLY, "--steps", "1", "--workers", "1"), folder / "compiled", folder)
    return folder


def seconds(arguments, cache, bytecode, times=1):
    # The environment of tests may suppress bytecode.
    written = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    places = {"XDG_CACHE_HOME": str(cache), "PYTHONPYCACHEPREFIX": str(bytecode)}
    spent = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run_to_the_end(arguments, written | places)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def command(*arguments):
    return ["main.py", *map(str, arguments)]


def import_of(module):
    return ["-c", f"import {module}"]


def test_warm(record, tmp_path, bytecode):
    numpy, numba = import_of("numpy"), import_of("numba")
    ours = {name: command(*words) for name, words in COMMANDS.items()}
    for arguments in (numpy, numba, *ours.values()):
        seconds(arguments, tmp_path, bytecode)
    turns = [[seconds(arguments, tmp_path, bytecode) for arguments in (numpy, numba, *ours.values())] for _ in range(5)]
    numpy, numba, *spent = (min(column) for column in zip(*turns, strict=True))
    record("import numba", f"{seconds_text(numba)} of CPU", f"{numba / numpy:.2f}× `import numpy`")
    for name, spans in zip(ours, spent, strict=True):
        record(f"{name}, warm", f"{seconds_text(spans)} of CPU", f"{spans / numpy:.2f}× `import numpy`")
    in_help, evaluate, metrics = spent
    assert in_help < numpy
    # Both commands load only numpy and the runtime of compiled code.
    assert metrics < 1.25 * evaluate


def spent_on(command, *folders):
    """Return the seconds of a command, cold and warm, and of `import numba`."""
    cold, warm = (seconds(command, *folders) for _ in range(2))
    return cold, warm, seconds(import_of("numba"), *folders, times=3)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name.partition(".")[0])
def test_cold_evaluation(path, record, tmp_path, bytecode):
    cold, warm, numba = spent_on(command("evaluate", path), tmp_path, bytecode)
    record(
        f"evaluate {path.name.partition('.')[0]}, cold", f"{seconds_text(cold)} of CPU", f"warm {seconds_text(warm)}"
    )
    assert cold - warm < COLD_EVALUATION * numba


def test_cold_search(record, tmp_path, bytecode):
    search = command("optimise", DRAGONFLY, "--steps", "1000", "--workers", "1")
    cold, warm, numba = spent_on(search, tmp_path, bytecode)
    record(
        "optimise dragonfly-1056-nodes, 1,000 steps, cold", f"{seconds_text(cold)} of CPU", f"warm {seconds_text(warm)}"
    )
    assert cold < COLD_SEARCH * numba
