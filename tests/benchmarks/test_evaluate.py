"""Full evaluations that must stay fast: the limits are of a quiet machine of two cores, and all have room to spare."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.job import AllToAll, Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, RowOrColumn, Sequential
from core.network import Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from tests.core.compare import assert_same_loads, from_core, from_percs
from tests.oracle import percs
from tests.oracle.loads import percs_loads
from tests.oracle.percs import Machine

ROOT = Path(__file__).resolve().parents[2]
LARGEST = Percs(supernodes=512, d_links=1)


@pytest.fixture
def say(capsys):
    """Print past the capture: these lines are what the benchmarks are run for."""

    def line(text):
        with capsys.disabled():
            print(f"\n    {text}")

    return line


def median_of(benchmark, case, rounds=5):
    """The median of a full evaluation, the kernels compiled before."""
    benchmark.pedantic(evaluate, args=(case,), rounds=rounds, warmup_rounds=1)
    return benchmark.stats.stats.median


def test_halo_indirect_against_the_path_by_path_oracle(benchmark, say):
    case = Scenario(Percs(32, 4), Halo(64, 64), Blocks(8, 16), PercsIndirect()).build()
    ours = median_of(benchmark, case, rounds=20)
    flows = [
        (percs.node(int(u)), percs.node(int(v)), float(volume))
        for block in case.node_flows(case.job.phases[0])
        for u, v, volume in zip(*block, strict=True)
    ]
    start = time.perf_counter()
    expected = percs_loads(Machine(32, 4, indirect=True), flows)
    theirs = time.perf_counter() - start
    ratio = f"{ours * 1e3:.2f} ms; the oracle on all {len(flows):,} flows: {theirs:.1f} s; ratio {theirs / ours:,.0f}"
    say(f"(32,4) halo indirect: {ratio}")
    assert_same_loads(from_core(case.network, evaluate(case).load), from_percs(expected), relative=1e-9)
    assert theirs / ours >= 300


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        ("(512,1) halo direct", 0.3, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect())),
        ("(512,1) halo indirect", 1.0, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsIndirect())),
        ("(512,1) transpose 256 x 256", 3.0, Scenario(LARGEST, Transpose(256, 256), RowOrColumn(), PercsDirect())),
        (
            "torus 16^3 all-to-all, dimension order",
            0.5,
            Scenario(Torus(dims=(16, 16, 16)), AllToAll(4096), Sequential(), DimensionOrder()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_full_evaluation(benchmark, say, name, limit, scenario):
    median = median_of(benchmark, scenario.build())
    say(f"{name}: median {median:.3f} s (limit {limit} s)")
    assert median < limit


@pytest.mark.parametrize("model", ["uniform", "hop-local"])
def test_adaptive_all_to_all_is_reported(benchmark, say, model):
    case = Scenario(Torus(dims=(16, 16, 16)), AllToAll(4096), Sequential(), Adaptive(model=model)).build()
    median = median_of(benchmark, case, rounds=2)
    say(f"torus 16^3 all-to-all, adaptive {model}: median {median:.2f} s")
    assert median < 20


PEAK = """
import resource, sys
from pathlib import Path
from core.job import Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import RowOrColumn
from core.network import Percs
from core.routing import PercsDirect

evaluate(Scenario(Percs(512, 1), Transpose(256, 256), RowOrColumn(), PercsDirect()).build())
status = Path("/proc/self/status")
if status.exists():  # of this process alone; ru_maxrss begins with its parent's
    high = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    print(int(high.split()[1]) * 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def test_peak_memory_of_the_largest_transpose(benchmark, say):
    def peak():
        return int(subprocess.run([sys.executable, "-c", PEAK], cwd=ROOT, capture_output=True, check=True).stdout)

    used = benchmark.pedantic(peak, rounds=1)
    say(f"(512,1) transpose 256 x 256: peak {used / 1e6:.0f} MB of the whole process (limit 1000 MB)")
    assert used < 1e9
