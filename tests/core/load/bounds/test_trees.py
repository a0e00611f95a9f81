"""Bounds of imported fat trees: theorems, also with missing cables, and as strong as the bounds of the family."""

import pytest

from core.job import AllToAll
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges, Xgft
from core.routing import DModK, Minimal
from tests.core.load.bounds.test_bounds import jobs_for
from tests.core.load.search import best_time, placements, unit_loads

EQUAL = Minimal(spread="equal")


def write(folder, spec, without=()):
    """Write the cables of a tree as an edge list, without some, in reversed order; hosts have names with n."""
    network = spec.build()
    names = [f"{'n' if vertex < network.nodes else 's'}{vertex}" for vertex in range(network.vertices)]
    cables = [cable for cable in reversed(range(network.links // 2)) if cable not in without]
    lines = [f"{names[network.src[2 * cable]]} {names[network.dst[2 * cable]]}" for cable in cables]
    (folder / "net.txt").write_text("\n".join(lines))
    return Edges(file="net.txt", hosts="/^n/")


@pytest.mark.parametrize("routing", [EQUAL, DModK()], ids=["equal", "d-mod-k"])
@pytest.mark.parametrize(
    ("spec", "without"),
    [
        (Xgft(down=(2, 3), up=(1, 2)), ()),
        (Xgft(down=(2, 3), up=(1, 2)), (6,)),
        (Xgft(down=(2, 3), up=(1, 3)), (7, 12)),
        (Xgft(down=(3, 2), up=(1, 1), parallel=(1, 2)), (7,)),
        (Xgft(down=(2, 3), up=(2, 1)), (2,)),
        (Xgft(down=(2, 3), up=(1, 2)), (0,)),
    ],
)
def test_no_placement_beats_a_bound(tmp_path, spec, without, routing):
    edges = write(tmp_path, spec, without)
    network = edges.build(tmp_path)
    assert network.tree is not None
    ways, units = {}, unit_loads(routing.router(network))
    reached = []
    for job in jobs_for(network.nodes):
        case = Scenario(edges, job, Sequential(), routing, folder=tmp_path).build()
        tasks = case.job.tasks
        if tasks not in ways:
            ways[tasks] = placements(tasks, network.nodes, 1)
        best = best_time(case.job, case.router, units, ways[tasks])
        times = [bound.time for bound in bounds(case)]
        assert max(times, default=0.0) <= best * (1 + 1e-9), job
        reached.append(max(times, default=0.0) / best if best else 0.0)
    assert max(reached) == pytest.approx(1)


@pytest.mark.parametrize("spec", [Xgft(down=(8, 8, 4), up=(1, 8, 4)), Xgft(down=(4, 6), up=(1, 2), parallel=(1, 2))])
def test_bounds_equal_the_bounds_of_the_family(tmp_path, spec):
    job = AllToAll(tasks=spec.nodes)
    own = bounds(Scenario(spec, job, Sequential(), EQUAL).build())
    imported = bounds(Scenario(write(tmp_path, spec), job, Sequential(), EQUAL, folder=tmp_path).build())
    assert imported[0].time == pytest.approx(own[0].time)
    assert imported[0].reason == own[0].reason


def test_the_bound_of_a_tapered_tree_is_reached(tmp_path):
    spec = Xgft(down=(8, 8, 4), up=(1, 8, 4))
    case = Scenario(write(tmp_path, spec), AllToAll(tasks=256), Sequential(), DModK(), folder=tmp_path).build()
    # 64 nodes of a pod send 192 / 256 of a unit each over 32 links of 12.5 GB/s.
    assert bounds(case)[0].time == pytest.approx(64 * 192 / 256 / 32 / 12.5)
    assert evaluate(case).time == pytest.approx(bounds(case)[0].time)
