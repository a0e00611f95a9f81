"""How long the program takes to start, cold and warm; each time a new process, and beside it what is only imported.

CPU seconds, the best of some: what else the machine does does not count.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRESETS = sorted((ROOT / "resources" / "presets").glob("*.fabriscope.json"))
SMALL = ROOT / "resources" / "presets" / "torus-16x16-transpose.fabriscope.json"
DRAGONFLY = ROOT / "resources" / "presets" / "dragonfly-1056-nodes.fabriscope.json"
COLD_EVALUATION, COLD_SEARCH = 5.0, 25.0
"""CPU seconds that compiling everything may take; a search compiles in two processes, one after the other."""


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


def test_warm(tmp_path):
    evaluation, metrics = command("evaluate", SMALL), command("metrics", SMALL)
    for arguments in (evaluation, metrics):
        seconds(arguments, tmp_path)
    seconds(["-c", "import numpy, numba"], tmp_path)
    numpy = seconds(["-c", "import numpy"], tmp_path, 5)
    numba = seconds(["-c", "import numba"], tmp_path, 5)
    print(f"\nimport numpy {numpy:.3f} s, import numba {numba:.3f} s of CPU")
    found = {}
    for name, arguments in {"--help": command("--help"), "evaluate": evaluation, "metrics": metrics}.items():
        found[name] = seconds(arguments, tmp_path, 5)
        print(f"{name}, warm: {found[name]:.3f} s, {found[name] / numpy:.2f} times import numpy")
    assert found["--help"] < numpy
    # Nothing but numpy and what runs compiled code is loaded, for the one as for the other.
    assert found["metrics"] < 1.25 * found["evaluate"]


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name.partition(".")[0])
def test_cold_evaluation(path, tmp_path):
    cold, warm = (seconds(command("evaluate", path), tmp_path) for _ in range(2))
    print(f"\n{path.name.partition('.')[0]}: evaluate cold {cold:.2f} s, warm {warm:.2f} s of CPU")
    assert cold - warm < COLD_EVALUATION


def test_cold_search(tmp_path):
    search = command("optimise", DRAGONFLY, "--steps", "1000", "--workers", "1")
    cold, warm = (seconds(search, tmp_path) for _ in range(2))
    print(f"\ndragonfly: optimise cold {cold:.2f} s, warm {warm:.2f} s of CPU")
    assert cold < COLD_SEARCH
