"""Computing the loads of all links; medians. (32,4) means 32 supernodes of PERCS with 4 D-links per pair."""

import pytest

from core.job import AllToAll, Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, RowOrColumn, Sequential
from core.network import Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from tests.benchmarks.timing import digits, faster, medians, seconds_text
from tests.core.compare import assert_same_loads, from_core, from_percs
from tests.oracle.loads import percs_loads
from tests.oracle.percs import Machine

LARGEST = Percs(supernodes=512, d_links=1)


def warm(case):
    """Compile the kernels of a case, and return it."""
    evaluate(case)
    return case


def test_halo_indirect_against_the_path_by_path_oracle(record):
    case = warm(Scenario(Percs(32, 4), Halo(64, 64), Blocks(8, 16), PercsIndirect()).build())
    small = Machine(32, 4, indirect=True)
    flows = [
        (small.node(int(u)), small.node(int(v)), float(volume))
        for block in case.node_flows(case.job.phases[0])
        for u, v, volume in zip(*block, strict=True)
    ]
    oracle_seconds, ours = medians(5, lambda: percs_loads(small, flows), lambda: evaluate(case))
    oracle = f"{faster(oracle_seconds, ours)} than an oracle that follows each of the {len(flows):,} flows path by path"
    record("Halo indirect (32,4), loads of all links", seconds_text(ours), oracle)
    expected = percs_loads(small, flows)
    assert_same_loads(from_core(case.network, evaluate(case).load), from_percs(small, expected), relative=1e-9)
    assert oracle_seconds / ours >= 300


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        (
            "Halo direct (512,1): 65,536 tasks, 769,536 links",
            0.3,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect()),
        ),
        ("Halo indirect (512,1)", 1.0, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsIndirect())),
        (
            "transpose 256 × 256 (512,1): 33.5 million flows",
            3.0,
            Scenario(LARGEST, Transpose(256, 256), RowOrColumn(), PercsDirect()),
        ),
        (
            "all-to-all on a torus 16 × 16 × 16, dimension order: 16.8 million flows",
            0.5,
            Scenario(Torus(dims=(16, 16, 16)), AllToAll(4096), Sequential(), DimensionOrder()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_full_evaluation(record, name, limit, scenario):
    case = warm(scenario.build())
    (median,) = medians(5, lambda: evaluate(case))
    record(name, seconds_text(median))
    assert median < limit


@pytest.mark.parametrize("model", ["uniform", "hop-local"])
def test_adaptive_all_to_all(record, model):
    torus, job = Torus(dims=(16, 16, 16)), AllToAll(4096)
    plain, case = (
        warm(Scenario(torus, job, Sequential(), routing).build())
        for routing in (DimensionOrder(), Adaptive(model=model))
    )
    median, in_order = medians(2, lambda: evaluate(case), lambda: evaluate(plain))
    baseline = f"{digits(median / in_order)}× the time of dimension order"
    record(f"all-to-all on a torus 16 × 16 × 16, adaptive, {model}", seconds_text(median), baseline)
    assert median < 20
