"""How long the program takes to start, cold and warm; each time a new process, and beside it what is only imported.

CPU seconds, the best of some: what else the machine does does not count.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.timing import told

ROOT = Path(__file__).resolve().parents[2]
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


def seconds(arguments, cache, times=1):
    # As its user has it: with bytecode, which the environment of tests may suppress.
    written = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    places = {"XDG_CACHE_HOME": str(cache), "PYTHONPYCACHEPREFIX": str(cache / "bytecode")}
    spent = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], cwd=ROOT, env=written | places, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def command(*arguments):
    return ["main.py", *map(str, arguments)]


def import_of(module):
    return ["-c", f"import {module}"]


def test_warm(record, tmp_path):
    numpy, numba = import_of("numpy"), import_of("numba")
    ours = {name: command(*words) for name, words in COMMANDS.items()}
    for arguments in (numpy, numba, *ours.values()):
        seconds(arguments, tmp_path)
    turns = [[seconds(arguments, tmp_path) for arguments in (numpy, numba, *ours.values())] for _ in range(5)]
    numpy, numba, *spent = (min(column) for column in zip(*turns, strict=True))
    record("import numba", f"{told(numba)} of CPU", f"{numba / numpy:.2f} times `import numpy`")
    for name, found in zip(ours, spent, strict=True):
        record(f"{name}, warm", f"{told(found)} of CPU", f"{found / numpy:.2f} times `import numpy`")
    in_help, evaluate, metrics = spent
    assert in_help < numpy
    # Nothing but numpy and what runs compiled code is loaded, for the one as for the other.
    assert metrics < 1.25 * evaluate


def spent_on(command, cache):
    """Return the seconds of a cold command, of a warm one, and of what it is compared with."""
    cold, warm = (seconds(command, cache) for _ in range(2))
    return cold, warm, seconds(import_of("numba"), cache, times=3)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name.partition(".")[0])
def test_cold_evaluation(path, record, tmp_path):
    cold, warm, numba = spent_on(command("evaluate", path), tmp_path)
    record(f"evaluate {path.name.partition('.')[0]}, cold", f"{told(cold)} of CPU", f"warm {told(warm)}")
    assert cold - warm < COLD_EVALUATION * numba


def test_cold_search(record, tmp_path):
    search = command("optimise", DRAGONFLY, "--steps", "1000", "--workers", "1")
    cold, warm, numba = spent_on(search, tmp_path)
    record("optimise dragonfly-1056-nodes, 1,000 steps, cold", f"{told(cold)} of CPU", f"warm {told(warm)}")
    assert cold < COLD_SEARCH * numba
