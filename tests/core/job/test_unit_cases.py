"""Patterns compared with an independent reference: flows, volume and maximum loads, phase by phase."""

from fractions import Fraction as F

import numpy as np
import pytest

from core.job import FlowBlock, HaloNd, HotSpot, Pattern, Pencils, RandomTraffic, Training
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Complete, Torus
from core.routing import DimensionOrder, Minimal

SMALL = Training(tensor=2, data=2, pipeline=2, layers=4, hidden=8, sequence=4, micro_batches=2)
EXPERTS = Training(
    tensor=1,
    data=4,
    pipeline=1,
    expert=2,
    layers=2,
    hidden=4,
    sequence=2,
    micro_batches=3,
    experts=4,
    top_k=2,
    moe_layers=2,
)
GB = 10**9
CASES = [
    (HaloNd(dims=(8,)), "", 16, 8, F(1, 2), None),
    (HaloNd(dims=(2, 3, 4)), "", 144, 24, None, F(1, 3)),
    (HaloNd(dims=(4, 4), stencil="box"), "", 128, 16, F(7, 4), F(1, 8)),
    (HaloNd(dims=(3, 3, 3), stencil="box", side=4), "", 702, 27, None, F(2, 19)),
    (HaloNd(dims=(3, 4, 5), periodic=False), "", 266, F(133, 3), None, F(1, 6)),
    (Pencils(2, 4), "rows", 24, 6, F(1), F(1, 4)),
    (Pencils(2, 4), "columns", 8, 4, F(1), F(1, 2)),
    (Pattern("bit-complement", 8), "", 8, 8, F(2), None),
    (Pattern("bit-reversal", 8), "", 4, 4, F(2), None),
    (Pattern("butterfly", 8), "", 4, 4, F(2), None),
    (Pattern("shuffle", 8), "", 6, 6, F(2), None),
    (Pattern("tornado", 8), "", 8, 8, F(3), None),
    (Pattern("neighbour", 8), "", 8, 8, F(1), None),
    (Pattern("neighbour", dims=(3, 4)), "", 12, 12, F(4), None),
    (Pattern("shift", 12, shift=4), "", 12, 12, F(4), None),
    (RandomTraffic(8, 2, seed=0), "", 13, F(13, 2), F(2), None),
    (HotSpot(8), "", 7, 7, F(7, 2), F(1)),
    (HotSpot(8, share=0.25), "", 56, 7, F(13, 8), F(11, 32)),
    (SMALL, "tensor", 8, F(8192, GB), F(1024, GB), F(1024, GB)),
    (SMALL, "pipeline", 8, F(1024, GB), F(256, GB), F(128, GB)),
    (SMALL, "data", 8, F(27904, GB), F(6976, GB), F(3488, GB)),
    (EXPERTS, "data", 4, F(5376, GB), F(1344, GB), F(1344, GB)),
    (EXPERTS, "all-to-all", 4, F(1536, GB), F(384, GB), F(384, GB)),
    (EXPERTS, "expert-data", 4, F(9472, GB), F(2368, GB), F(2368, GB)),
]


def greatest(network, job, index):
    report = evaluate(Scenario(network, job, Sequential(), Minimal(spread="equal")).build())
    return float(report.phases[index].max())


@pytest.mark.parametrize(("spec", "name", "flows", "volume", "ring", "complete"), CASES)
def test_flows_volumes_and_largest_loads_match_the_unit_cases(spec, name, flows, volume, ring, complete):
    job = spec.build()
    index = next(k for k, phase in enumerate(job.phases) if phase.name == name)
    sent = FlowBlock.joined(block for _, block in job.phases[index].blocks())
    away = sent.src != sent.dst
    assert np.count_nonzero(away) == flows
    assert sent.volume[away].sum() == pytest.approx(float(volume), rel=1e-12)
    if ring is not None:
        assert greatest(Torus(dims=(job.tasks,)), spec, index) == pytest.approx(float(ring), rel=1e-12)
    if complete is not None:
        assert greatest(Complete(nodes=job.tasks), spec, index) == pytest.approx(float(complete), rel=1e-12)


TORUS = [
    (Pattern("tornado", dims=(4, 5)), 1, 2),
    (Pattern("neighbour", dims=(3, 4)), 1, 1),
    (Pattern("bit-transpose", 16), F(3, 2), F(3, 2)),
    (HaloNd(dims=(4, 4), stencil="box"), F(3, 8), F(3, 8)),
]


@pytest.mark.parametrize(("spec", "along_x", "along_y"), TORUS)
def test_loads_on_a_torus_match_the_unit_cases(spec, along_x, along_y):
    dims = getattr(spec, "dims", None) or (4, 4)
    report = evaluate(Scenario(Torus(dims=dims), spec, Sequential(), DimensionOrder()).build())
    assert [link_class.max_load for link_class in report.classes] == pytest.approx(
        [float(along_x), float(along_y)], rel=1e-12
    )


def test_volumes_of_a_step_of_gpt_3_match_the_unit_case():
    spec = Training(**Training.presets["GPT-3, 1,024 ranks"])
    sent = spec.sent()
    assert sent["tensor"] == 50_734_301_184
    assert sent["pipeline"] == 2 * 1_207_959_552
    assert sent["data"] == 10_086_042_624
    stages = [spec.parameters(stage) * spec.tensor for stage in range(spec.pipeline)]
    assert sum(stages) == 174_615_822_336
    assert spec.summary() == "1,024 tasks, each sends 50.73 GB tensor, 2.416 GB pipeline, 10.09 GB data"
