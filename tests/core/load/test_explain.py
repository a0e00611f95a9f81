"""A link's load by role, by group pair and by task pair; each time the parts sum to the load."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo, Transpose, job
from core.load import explain as explaining
from core.load.explain import BETWEEN, GLOBAL, INSIDE, LOCAL, by_way, explain
from core.mapping import Random, Sequential
from core.network import Dragonfly, HyperX, Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect, PercsIndirect, Valiant
from core.spec import Cancelled
from tests.core.load.cases import report_of
from tests.core.strategies import fitting, jobs, lattice_routings, lattice_specs, percs_routings, percs_specs

choices = st.tuples(percs_specs(), percs_routings) | st.tuples(lattice_specs(), lattice_routings)


@st.composite
def explained(draw):
    network, routing = draw(choices)
    slots = network.build().slots
    job = fitting(draw, jobs, lambda job: job.build().tasks <= slots)
    report = report_of(network, job, routing, Random(draw(st.integers(0, 99))))
    used = np.flatnonzero(report.load).tolist()
    return report, draw(st.sampled_from(used or [0]))


@given(explained())
def test_parts_sum_to_the_load(case):
    report, link = case
    explanation = explain(report, link)
    assert explanation.link == link
    assert explanation.load == report.load[link]
    for total in (sum(explanation.roles.values()), explanation.groups.total, explanation.tasks.total):
        assert total == pytest.approx(explanation.load, rel=1e-12, abs=1e-300)


@given(explained())
def test_parts_are_those_of_the_routes(case):
    report, link = case
    network, router, node = report.case.network, report.case.router, report.case.mapping.nodes
    group = network.levels[0].group if network.levels else np.arange(network.nodes)
    roles, groups, tasks = {}, {}, {}
    blocks = [block for phase in report.case.job.phases for _, block in phase.blocks()]
    for block in blocks:
        for src, dst, volume in zip(*(array.tolist() for array in block), strict=True):
            route = router.route(int(node[src]), int(node[dst]))
            for hop in np.flatnonzero(route.links == link):
                share = float(route.shares[hop] * volume)
                pair = int(group[node[src]]), int(group[node[dst]])
                for parts, key in ((roles, router.roles[route.roles[hop]]), (groups, pair), (tasks, (src, dst))):
                    parts[key] = parts.get(key, 0.0) + share
    explanation = explain(report, link)
    assert explanation.roles == pytest.approx({role: load for role, load in roles.items() if load})
    assert as_dict(explanation.groups) == pytest.approx({pair: load for pair, load in groups.items() if load})
    assert as_dict(explanation.tasks) == pytest.approx({pair: load for pair, load in tasks.items() if load})


def as_dict(parts):
    pairs = list(zip(parts.src.tolist(), parts.dst.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, parts.load.tolist(), strict=True))


@pytest.mark.parametrize(
    ("network", "pattern", "routing"),
    [
        (Percs(8, 4), Transpose(32, 32), PercsIndirect()),
        (Percs(8, 4), Halo(32, 32), PercsDirect()),
        (Torus(dims=(6, 5, 4)), AllToAll(tasks=120), Adaptive()),
        (Mesh(dims=(9, 9)), AllToAll(tasks=81), DimensionOrder()),
    ],
)
def test_hottest_links_of_larger_machines(network, pattern, routing):
    report = report_of(network, pattern, routing, Random(5))
    for link in report.hottest(3).tolist():
        explanation = explain(report, link)
        for total in (sum(explanation.roles.values()), explanation.groups.total, explanation.tasks.total):
            assert total == pytest.approx(explanation.load, rel=1e-12)


def test_parts_come_largest_first():
    flows = Flows(tasks=4, src=(0, 0, 0, 1), dst=(1, 2, 3, 2), volume=(1e-20, 3e-20, 2e-20, 5e-21))
    report = report_of(Mesh(dims=(4,)), flows, DimensionOrder())
    explanation = explain(report, 0)
    assert list(zip(explanation.tasks.src.tolist(), explanation.tasks.dst.tolist(), strict=True)) == [
        (0, 2),
        (0, 3),
        (0, 1),
    ]
    assert explanation.tasks.load.tolist() == [3e-20, 2e-20, 1e-20]


def test_pairs_beyond_those_kept_are_summed(monkeypatch):
    report = report_of(Percs(4, 1), AllToAll(tasks=512), PercsIndirect(), Random(1))
    link = int(report.hottest(1)[0])
    everything = explain(report, link)
    monkeypatch.setattr(explaining, "KEPT_PAIRS", 50)
    monkeypatch.setattr(job, "BLOCK", 10_000)  # dropped again and again
    kept = explain(report, link)
    assert everything.tasks.others == 0
    assert kept.tasks.others > 0
    assert 50 <= kept.tasks.load.size <= 100
    assert kept.tasks.total == pytest.approx(everything.tasks.total, rel=1e-12)
    assert kept.groups.load == pytest.approx(everything.groups.load)


def test_an_idle_link_has_no_parts():
    report = report_of(Percs(2, 1), Flows(tasks=5, src=(0,), dst=(4,), volume=(1.0,)), PercsDirect())
    explanation = explain(report, report.load.size - 1)
    assert (explanation.load, explanation.roles, explanation.tasks.load.size, explanation.groups.load.size) == (
        0.0,
        {},
        0,
        0,
    )


def test_progress_is_reported_and_can_cancel():
    report = report_of(Percs(16, 1), AllToAll(tasks=2048), PercsDirect(), Random(2))
    seen = []
    explain(report, 0, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def stop(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        explain(report, 0, stop)


def test_local_links_of_a_dragonfly_carry_what_leaves_what_enters_and_what_passes():
    dragonfly, grid = Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2), HyperX(dims=(9, 8))
    own = (dragonfly, "local", LOCAL), (dragonfly, "global", GLOBAL), (grid, "Y", INSIDE), (grid, "X", BETWEEN)
    for (network, name, words), routing in product(own, (Minimal(spread="equal"), Valiant())):
        report = report_of(network, AllToAll(72), routing, Sequential())
        built = report.case.network
        link = built.link_class(name).links.start
        explanation = explain(report, link)
        ways = by_way(built, explanation)
        assert sum(ways.values()) == pytest.approx(explanation.load)
        group = built.group_of[:72]
        begin, end = built.group_of[built.src[link]], built.group_of[built.dst[link]]
        src, dst = np.divmod(np.arange(72 * 72), 72)
        part = report.router(0).crossing(link, src.astype(np.int32), dst.astype(np.int32)).sum(axis=0) / 72
        expected = [
            part[(group[src] == begin) & (group[dst] == end)].sum(),
            part[(group[src] == begin) & (group[dst] != end)].sum(),
            part[(group[src] != begin) & (group[dst] == end)].sum(),
            part[(group[src] != begin) & (group[dst] != end)].sum(),
        ]
        named = {
            word.format(level=built.levels[0].name): load for word, load in zip(words, expected, strict=True) if load
        }
        assert ways == pytest.approx(named)
    ring = report_of(Torus((4,)), AllToAll(4), Minimal(), Random(0))
    assert by_way(ring.case.network, explain(ring, 0)) == {}
