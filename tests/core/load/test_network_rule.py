"""Another network keeps job, mapping and routing where they fit; remedies fit and are named after their changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo
from core.load.compatibility import fitted, routing_error
from core.load.fit_changes import fit_changes, in_words
from core.load.remedies import larger_networks, remedies
from core.load.scenario import Scenario
from core.mapping import Explicit, FromFile, ModColour, Sequential
from core.mapping.carried import carried, kept_tasks
from core.mapping.mapping import Mapping, check_injection
from core.network import Edges, Hypercube, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect
from core.spec import SpecError
from tests.core.strategies import jobs, networks

DRAWN = Scenario(
    Percs(32), Halo(64, 64), Explicit(np.random.default_rng(1).permutation(4096).astype(np.int32)), PercsDirect()
)
"""A job that fills its machine, four tasks per node, mapped by hand."""


def fitted_or_none(wanted, drawn):
    """Return the fitted scenario, or None for a job of one size, or nodes that are not joined."""
    if wanted.job.resized(1) != wanted.job and joined(wanted.network):
        return fitted(wanted, drawn)
    try:
        return fitted(wanted, drawn)
    except SpecError:
        return None


def joined(spec):
    """Return whether paths lead to all nodes."""
    return routing_error(Minimal(), spec.build()) is None


TRACED = Flows(src=(0, 299), dst=(1, 0), volume=(1.0, 1.0))


@settings(max_examples=60, deadline=None)
@given(networks, networks, jobs, st.integers(0, 99))
def test_choices_that_fit_another_network_stay(before, after, job, seed):
    old_network, built = before.build(), job.build()
    assume(built.tasks <= old_network.slots)
    slots = np.random.default_rng(seed).permutation(old_network.slots)[: built.tasks].astype(np.int32)
    drawn, wanted = Mapping(slots, old_network.slots_per_node), Scenario(after, job, Explicit(slots), DimensionOrder())
    scenario = fitted_or_none(wanted, drawn)
    if scenario is None:
        return
    case = scenario.build()
    check_injection(case.mapping.slots, case.network.slots)
    assert scenario.network == after
    if built.tasks <= case.network.slots:
        assert scenario.job == job
    kept = kept_tasks(built, case.job)
    placed = kept >= 0
    node, core = np.divmod(drawn.slots[kept[placed]], drawn.slots_per_node)
    has_slot = (node < case.network.nodes) & (core < case.network.slots_per_node)
    now = case.mapping.slots[placed][has_slot]
    assert np.array_equal(now, (node * case.network.slots_per_node + core)[has_slot])
    crowded = np.bincount(node, minlength=case.network.nodes)[: case.network.nodes] <= case.network.slots_per_node
    stays = (node < case.network.nodes) & crowded[np.minimum(node, case.network.nodes - 1)]
    assert np.array_equal(case.mapping.nodes[placed][stays], node[stays])
    again = fitted(replace(wanted, network=before), drawn)
    assert (again.job, again.mapping) == (wanted.job, wanted.mapping)
    for remedy in larger_networks(wanted, drawn):
        assert remedy.scenario.build().job.tasks == built.tasks
        assert type(remedy.scenario.network) is type(after)


def test_tasks_keep_their_place_in_a_resized_grid():
    kept = kept_tasks(Halo(4, 4).build(), Halo(2, 6).build())
    assert kept.tolist() == [0, 1, 2, 3, -1, -1, 4, 5, 6, 7, -1, -1]
    flows = Flows(src=(0, 5), dst=(5, 0), volume=(1, 1)).build()
    assert kept_tasks(flows, Halo(2, 4).build()).tolist() == [0, 1, 2, 3, 4, 5, -1, -1]


def test_a_task_without_its_core_takes_a_free_core_of_its_node_first():
    network = Torus((3,), slots_per_node=2).build()
    former = Mapping(np.array([3, 2, 9, 0], np.int32), 4)  # nodes 0, 0, 2 and 0, on cores 3, 2, 1 and 0
    slots = carried(former, np.arange(4, dtype=np.int32), network, None)
    assert slots.tolist() == [2, 1, 5, 0]


def test_a_reduced_job_and_its_mapping_are_described():
    drawn, wanted = DRAWN.build().mapping, replace(DRAWN, network=Torus((32, 32)))
    case = fitted(wanted, drawn).build()
    assert case.scenario.job == Halo(32, 32)
    words = in_words(fit_changes(wanted, drawn, case))
    assert words.startswith("Job reduced to 32 × 32 tasks to fit 1,024 nodes; mapping kept for ")
    stayed = int(words.partition("kept for ")[2].split()[0])
    former = drawn.nodes.reshape(64, 64)[:32, :32].ravel()
    assert stayed == np.count_nonzero(former == case.mapping.nodes) > 300
    assert words.endswith(f"{1024 - stayed} moved to free nodes; routing changed from Direct to Dimension order.")
    assert [remedy.title for remedy in larger_networks(wanted, drawn)] == [
        "Use 4 tasks per node", "Grow to 64 × 64 nodes",
    ]  # fmt: skip
    for remedy in larger_networks(wanted, drawn):
        assert remedy.scenario.job == DRAWN.job
        assert remedy.note.lower().endswith("routing changed from direct to dimension order.")


def test_a_mapping_drawn_for_as_many_cores_is_the_same_on_another_network():
    drawn, wanted = DRAWN.build().mapping, replace(DRAWN, network=Hypercube(10, slots_per_node=4))
    assert fitted(wanted, drawn).mapping == DRAWN.mapping


def test_ranks_of_a_file_that_does_not_fit_keep_their_nodes():
    wanted = Scenario(Torus((4, 4)), Halo(2, 2), FromFile(file="gone.txt"), DimensionOrder())
    drawn = Mapping(np.array([8, 9, 3, 1], np.int32), 1)
    scenario = fitted(wanted, drawn)
    assert scenario.mapping == Explicit((8, 9, 3, 1))
    assert fitted(wanted).mapping == Sequential()


def test_strategies_that_do_not_fit_are_named():
    wanted = replace(DRAWN, network=Torus((16, 16, 4), slots_per_node=4), mapping=ModColour())
    case = fitted(wanted).build()
    assert in_words(fit_changes(wanted, None, case)) == (
        "Mapping changed from Mod-colour to Sequential; routing changed from Direct to Dimension order."
    )


@pytest.mark.parametrize(
    ("scenario", "titles"),
    [
        (
            replace(DRAWN, job=Halo(128, 64)),
            ["Use 64 × 64 tasks", "Use 8 tasks per node", "Grow to 2,048 nodes"],
        ),
        (
            Scenario(Torus((8, 8)), TRACED, Sequential(), DimensionOrder()),
            ["Use 5 tasks per node", "Grow to 15 × 20 nodes"],
        ),
        (replace(DRAWN, routing=DimensionOrder()), ["Use the routing Direct"]),
        (replace(DRAWN, job=AllToAll(512)), ["Keep the mapping of 512 tasks"]),
        (
            replace(DRAWN, job=AllToAll(512), mapping=Explicit(np.arange(256, dtype=np.int32))),
            ["Place 256 tasks on free nodes"],
        ),
        (replace(DRAWN, job=Flows()), []),
        (replace(DRAWN, job=Flows(file="gone.csv")), []),
        (replace(DRAWN, network=Edges()), []),
        (replace(DRAWN, mapping=FromFile()), ["Use the mapping Sequential"]),
    ],
    ids=["halo", "flows", "routing", "fewer tasks", "more tasks", "no job", "no job file", "no network", "no mapping"],
)  # fmt: skip
def test_remedies_are_named_after_what_they_do(scenario, titles):
    offered = remedies(scenario, None)
    assert [remedy.title for remedy in offered] == titles
    for remedy in offered:
        remedy.scenario.build()
