"""How long the program takes to start, cold and warm; each time a new process, and beside it what is only imported.

CPU seconds, the best of some: what else the machine does does not count. Cold means that kernels are compiled; the
bytecode of libraries is there, as after an installation.
"""

import os
import resource

import pytest

from tests.benchmarks.timing import ROOT, run_to_the_end, told

PRESETS = sorted((ROOT / "resources" / "presets").glob("*.fabriscope.json"))
SMALL = ROOT / "resources" / "presets" / "torus-16x16-transpose.fabriscope.json"
DRAGONFLY = ROOT / "resources" / "presets" / "dragonfly-1056-nodes.fabriscope.json"
COMMANDS = {
    "--help": ("--help",),
    "evaluate torus-16x16-transpose": ("evaluate", SMALL),
    "metrics torus-16x16-transpose": ("metrics", SMALL),
}
COLD_EVALUATION, COLD_SEARCH = 16.0, 80.0
"""How many times `import numba` compiling everything may take; a search compiles in two processes, one by one."""


@pytest.fixture(scope="module")
def bytecode(tmp_path_factory):
    """A folder with the bytecode of all that the program loads, as its user has it once it is installed."""
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
    record("import numba", f"{told(numba)} of CPU", f"{numba / numpy:.2f} times `import numpy`")
    for name, spans in zip(ours, spent, strict=True):
        record(f"{name}, warm", f"{told(spans)} of CPU", f"{spans / numpy:.2f} times `import numpy`")
    in_help, evaluate, metrics = spent
    assert in_help < numpy
    # Nothing but numpy and what runs compiled code is loaded, for the one as for the other.
    assert metrics < 1.25 * evaluate


def spent_on(command, *folders):
    """Return the seconds of a cold command, of a warm one, and of what it is compared with."""
    cold, warm = (seconds(command, *folders) for _ in range(2))
    return cold, warm, seconds(import_of("numba"), *folders, times=3)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name.partition(".")[0])
def test_cold_evaluation(path, record, tmp_path, bytecode):
    cold, warm, numba = spent_on(command("evaluate", path), tmp_path, bytecode)
    record(f"evaluate {path.name.partition('.')[0]}, cold", f"{told(cold)} of CPU", f"warm {told(warm)}")
    assert cold - warm < COLD_EVALUATION * numba


def test_cold_search(record, tmp_path, bytecode):
    search = command("optimise", DRAGONFLY, "--steps", "1000", "--workers", "1")
    cold, warm, numba = spent_on(search, tmp_path, bytecode)
    record("optimise dragonfly-1056-nodes, 1,000 steps, cold", f"{told(cold)} of CPU", f"warm {told(warm)}")
    assert cold < COLD_SEARCH * numba
