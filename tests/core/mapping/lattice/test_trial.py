"""Loads of one group against the load engine, and live loads against loads computed afresh."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Halo, HaloNd
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit
from core.mapping.explicit import SlotList
from core.mapping.lattice.label_kernels import start_labels
from core.mapping.lattice.numbering import numberings
from core.mapping.lattice.place_kernels import Loads, anneal_places, start_loads
from core.mapping.lattice.search import tasks_per_group
from core.mapping.lattice.sublattice import sublattices
from core.mapping.lattice.trial import Symmetry, Trial
from core.network import Dragonfly, Percs
from core.random_numbers import state_of
from core.routing import GroupMinimal, PercsDirect
from core.spec import no_progress


def trial_of(network, job, target, seed, lattice=None):
    stencil, groups = job.neighbourhood(), network.linked_groups()
    index = tasks_per_group(stencil, groups)
    every = list(sublattices(stencil.dims, index))
    lattice = lattice or every[seed % len(every)]
    symmetric = list(numberings(groups, lattice))
    return Trial(stencil, groups, Symmetry(lattice, symmetric[-1] if symmetric else None), target, state_of(seed))


def report_of(network, job, colouring):
    routing = PercsDirect() if isinstance(network, Percs) else GroupMinimal()
    return evaluate(Scenario(network, job, Explicit(SlotList(colouring.slots)), routing).build())


@pytest.mark.parametrize("d_links", [1, 2, 4, 8, 16])
def test_time_is_the_engines_and_supernodes_have_equal_loads(d_links):
    network, job = Percs(32, d_links), Halo(64, 64)
    (lattice,) = [lattice for lattice in sublattices((64, 64), 128) if lattice.basis == ((16, 4), (0, 8))]
    colouring = trial_of(network, job, 4.0, d_links, lattice).colouring(no_progress)
    report = report_of(network, job, colouring)
    assert colouring.time == pytest.approx(report.time, rel=1e-12)
    built = report.case.network
    for name in ("LL", "LR"):
        links = built.link_class(name).links
        by_supernode = np.sort(report.total_load[links].reshape(32, -1), axis=1)
        assert (by_supernode == by_supernode[0]).all()


@pytest.mark.parametrize(
    ("network", "job"),
    [
        (Percs(8, 2, drawers=2, nodes_per_drawer=4, slots_per_node=2), Halo(8, 16)),
        (Percs(4, 1, drawers=2, nodes_per_drawer=4), HaloNd((4, 4, 8))),
        (Percs(8, 8, drawers=2, nodes_per_drawer=4), HaloNd((16, 16), "box", side=3)),
        (Percs(6, 4, drawers=4, nodes_per_drawer=4, slots_per_node=1), Halo(6, 16)),
        (Dragonfly(routers=4, global_links=2, groups=9), Halo(6, 6)),
        (Dragonfly(routers=8, global_links=4, groups=16, nodes_per_router=2, links_per_pair=2), HaloNd((8, 8, 4))),
        (Dragonfly(routers=4, global_links=4, groups=8, arrangement="absolute", links_per_pair=2), HaloNd((2, 4, 4))),
    ],
)
def test_time_is_the_engines_on_other_machines(network, job):
    for seed in range(3):
        colouring = trial_of(network, job, 9.0, seed).colouring(no_progress)
        report = report_of(network, job, colouring)
        links = [c for c in report.case.network.classes if c.name != "host"]
        time = max(report.total_load[c.links].max() / c.gbs for c in links)
        assert colouring.time == pytest.approx(time, rel=1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), relabelled=st.sampled_from([0.0, 0.3, 1.0]), d_links=st.sampled_from([1, 4, 16]))
def test_live_loads_equal_loads_computed_afresh(seed, relabelled, d_links):
    trial = trial_of(Percs(8, d_links), HaloNd((8, 8, 16)), 0.2, seed)
    labels, at, loads = trial._start(), trial._places(), trial._loads()
    links, graph = trial._links(0), trial._graph
    start_loads(4, graph, labels.to, links, at, loads)
    anneal_places(4, graph, links, 0.2, relabelled, (0.3, 0.1), 300, trial.state, labels, at, loads)
    again, messages, to = Loads(*map(np.empty_like, loads)), labels.messages.copy(), labels.to.copy()
    start_labels(graph, labels)
    start_loads(4, graph, labels.to, links, at, again)
    assert (labels.messages == messages).all()
    assert (labels.to == to).all()
    assert all((now == before).all() for now, before in zip(again, loads, strict=True))
    assert (at.task[at.slot] == np.arange(at.slot.size)).all()
