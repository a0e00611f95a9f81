"""The strategy: optimal colourings, determinism, progress, and refusals."""

import numpy as np
import pytest

from core.job import AllToAll, Halo, HaloNd
from core.load.bounds import bounds
from core.load.bounds.bound import gap
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import LatticeColouring, Sequential
from core.mapping.mapping import results_of
from core.network import Dragonfly, Percs, Torus
from core.routing import GroupMinimal, PercsDirect
from core.spec import Cancelled, SpecError


def report_of(network, job, mapping, routing):
    return evaluate(Scenario(network, job, mapping, routing).build())


def test_reaches_the_upper_bound_of_small_machines():
    report = report_of(Percs(16, 2), Halo(32, 64), LatticeColouring(effort=40, target=64, seed=3), PercsDirect())
    assert gap(bounds(report.case, report), report.time).closed


def test_same_seed_gives_the_same_mapping():
    network, job = Percs(8, 2, drawers=2, nodes_per_drawer=4).build(), Halo(16, 16).build()
    first = LatticeColouring(effort=3).build(job, network).slots
    results_of.cache_clear()
    assert (LatticeColouring(effort=3).build(job, network).slots == first).all()
    assert (LatticeColouring(effort=3, seed=1).build(job, network).slots != first).any()


def test_progress_rises_to_one_and_cancels():
    network, job, reported = Percs(8, 1, drawers=2, nodes_per_drawer=4).build(), Halo(16, 16).build(), []
    LatticeColouring(effort=3, seed=7).search(job, network, reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == 1
    assert len(reported) > 3

    def cancel(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        LatticeColouring(effort=3, seed=8).search(job, network, cancel)


def test_beats_sequential_on_a_dragonfly():
    network, job = Dragonfly(routers=8, global_links=2, groups=16, links_per_pair=1), HaloNd((8, 4, 4))
    coloured, sequential = (
        report_of(network, job, mapping, GroupMinimal()).time for mapping in (LatticeColouring(effort=3), Sequential())
    )
    assert coloured < sequential


@pytest.mark.parametrize(
    ("network", "job", "message"),
    [
        (Percs(16, 1), AllToAll(64), "needs a halo exchange"),
        (Torus((4, 4)), Halo(4, 4), "percs with several supernodes, or a dragonfly"),
        (Percs(16, 1), Halo(17, 19), "323 tasks cannot be divided evenly among up to 16 groups of 128"),
    ],
)
def test_other_cases_are_refused(network, job, message):
    with pytest.raises(SpecError, match=message):
        LatticeColouring(effort=1).build(job.build(), network.build())


@pytest.mark.parametrize("target", [1e-6, 0.01, 1e6])
def test_any_target_gives_a_mapping(target):
    network, job = Percs(4, 1, drawers=2, nodes_per_drawer=2, slots_per_node=2), Halo(4, 8)
    report = report_of(network, job, LatticeColouring(effort=60, target=target), PercsDirect())
    assert report.throughput_gbs > 0.01


def test_slots_are_an_injection_if_groups_are_not_full():
    slots = LatticeColouring(effort=8).build(Halo(16, 8).build(), Percs(4, 2).build()).slots
    assert np.unique(slots).size == 128
    assert np.unique(slots // 128).size == 4
