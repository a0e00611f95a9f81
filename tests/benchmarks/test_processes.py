"""Processes of `evaluate`, including imports: peak memory and CPU seconds; medians of three."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

from core.files import write_scenario
from core.job import AllToAll, Transpose
from core.load.scenario import Scenario
from core.mapping import RowOrColumn, Sequential
from core.network import Circulant, Clex, Percs
from core.routing import ClexRouting, Minimal, PercsDirect
from tests.benchmarks.timing import digits, seconds_text

ROOT = Path(__file__).resolve().parents[2]
EVALUATE = "from app.cli.main import main; sys.exit(main())"
# Peak memory of this process alone; ru_maxrss starts from its parent's peak.
SPENT = """
import atexit, resource, sys, time
from pathlib import Path

def report():
    status = Path("/proc/self/status")
    if status.exists():
        most = int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    else:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(most, time.process_time(), file=sys.stderr)

atexit.register(report)
"""
DOUBLING = Circulant(nodes=4096, jumps=tuple(1 << k for k in range(12)))
SCENARIOS = {
    "transpose 256 × 256 on PERCS (512,1): 33.5 million flows": Scenario(
        Percs(512, 1), Transpose(256, 256), RowOrColumn(), PercsDirect()
    ),
    "all-to-all on 4,096 nodes of degree 23, one path": Scenario(DOUBLING, AllToAll(4096), Sequential(), Minimal()),
    "all-to-all on CLEX 64^3: 262,144 tasks, 50 million links folded into 528,384": Scenario(
        Clex(64, 3), AllToAll(64**3), Sequential(), ClexRouting()
    ),
}


def spent(code, *arguments):
    """Return the peak memory in bytes and the CPU seconds of a process."""
    command = [sys.executable, "-c", SPENT + code, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stderr.split()[-2:]]


# With bytecode, as for users; the environment of tests may suppress it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@pytest.mark.parametrize("name", SCENARIOS)
def test_whole_process(record, tmp_path, name):
    path = tmp_path / "case.fabriscope.json"
    write_scenario(path, SCENARIOS[name])
    runs = [spent(EVALUATE, "evaluate", path) + spent("import numpy") for _ in range(4)]
    del runs[0]  # it may have compiled kernels
    most, seconds, _, numpy = map(median, zip(*runs, strict=True))
    baseline = f"{digits(seconds / numpy)}× the CPU time of `import numpy`"
    record(name, f"{most / 1e6:.0f} MB, {seconds_text(seconds)} of CPU", baseline)
    assert most < 1e9
