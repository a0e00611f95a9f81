"""For any chosen network, the other three choices are adapted to it, with no more changes than needed."""

import gc
from dataclasses import replace
from pathlib import Path
from weakref import ref

import pytest

from core.job import AllToAll, AnyJob, Flows, Halo, Permutation, Transpose
from core.job.job import MAX_TASKS, near_square
from core.load.compatibility import fitted, unroutable
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import AnyMapping, Blocks, Explicit, ModColour, Random, Sequential
from core.mapping.mapping import check_injection
from core.network import Circulant, Dragonfly, Edges, Mesh, Percs, Torus
from core.routing import (
    Adaptive,
    AnyRouting,
    CongestionAware,
    DimensionOrder,
    DModK,
    GroupMinimal,
    Minimal,
    PercsDirect,
    PercsIndirect,
    Ugal,
)
from core.spec import SpecError, fields_of, members

NETWORKS = (
    Percs(2),
    Percs(2, drawers=2, nodes_per_drawer=2),
    Torus((2, 2, 3)),
    Torus((3, 3)),
    Mesh((3, 3), slots_per_node=2),
    Torus((7,)),
)


def usual(union):
    """All families with default fields, without plans that take long."""
    quick = {CongestionAware: {"rounds": 1}, Ugal: {"rounds": 1}}
    return [
        family(**quick.get(family, {})) for family in members(union) if not any(f.required for f in fields_of(family))
    ]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.summary())
@pytest.mark.parametrize(
    "job",
    [job for job in usual(AnyJob) if not any(field.is_file for field in fields_of(type(job)))],
    ids=lambda job: job.tag(),
)
def test_any_choices_fit_any_network(network, job):
    pairs = [(mapping, PercsDirect()) for mapping in (*usual(AnyMapping), Explicit((0, 1, 2)))]
    pairs += [(Sequential(), routing) for routing in usual(AnyRouting)]
    # Many are equal.
    scenarios = dict.fromkeys(fitted(Scenario(network, job, mapping, routing)) for mapping, routing in pairs)
    case, evaluated = None, set()
    for scenario in scenarios:
        case = scenario.build(case)
        check_injection(case.mapping.slots, case.network.slots)
        # Each router is asked for loads once: the positions of tasks do not affect whether choices fit. A plan for a
        # large machine takes long, as do plans for many phases.
        quick = not case.router.plans or (case.network.nodes <= 64 and len(case.job.phases) <= 16)
        if quick and scenario.routing not in evaluated:
            evaluated.add(scenario.routing)
            assert evaluate(case).load.size == case.network.links
        assert scenario.network == network
        assert type(scenario.job) is type(job)


@pytest.mark.parametrize("spread", ["equal", "single"])
def test_group_minimal_becomes_minimal_with_the_same_spread_where_groups_are_not_joined(spread):
    scenario = Scenario(Circulant(9, (1, 2)), Halo(3, 3), Sequential(), GroupMinimal(spread=spread))
    assert fitted(scenario).routing == Minimal(spread=spread)
    back = fitted(replace(scenario, network=Dragonfly(), routing=DimensionOrder()))
    assert back.routing == GroupMinimal(), "the first scheme that routes a dragonfly"


def test_fitting_choices_stay():
    scenario = Scenario(Percs(32), Halo(32, 64), ModColour(), PercsIndirect("single-hop"), note="kept")
    assert fitted(scenario) == scenario


@pytest.mark.parametrize(
    ("slots", "grid"), [(4096, (64, 64)), (512, (16, 32)), (35, (5, 7)), (13, (1, 13)), (1, (1, 1))]
)
def test_grid_is_the_most_square(slots, grid):
    assert near_square(slots) == grid


def test_torus_takes_the_first_routing_a_smaller_grid_and_sequential():
    scenario = fitted(Scenario(Torus((8, 8, 8)), Halo(64, 64, False), ModColour(), PercsDirect()))
    assert scenario.routing == DimensionOrder()
    assert scenario.job == Halo(16, 32, False)
    assert scenario.mapping == Sequential()


def test_no_routing_without_its_file_is_chosen():
    fabric = Edges(file=str(Path(__file__).resolve().parents[2] / "data" / "infiniband" / "tree" / "ibnetdiscover.txt"))
    scenario = fitted(Scenario(fabric, Halo(), ModColour(), PercsDirect()))
    assert scenario.routing == Minimal(spread="equal")


def test_imported_networks_get_equal_shares_and_keep_schemes_that_route_them(tmp_path):
    (tmp_path / "net.txt").write_text("a s\nb s\nc t\nd t\ns r\nt r\ns q\nt q")
    edges = Edges(file="net.txt", hosts="a,b,c,d")
    for routing in (PercsDirect(), DimensionOrder(), Adaptive("hop-local")):
        scenario = fitted(Scenario(edges, Halo(2, 2), Sequential(), routing, folder=tmp_path))
        assert scenario.routing == Minimal(spread="equal")
    for routing in (DModK(), Minimal()):
        assert fitted(Scenario(edges, Halo(2, 2), Sequential(), routing, folder=tmp_path)).routing == routing


def test_routing_of_the_right_family_keeps_its_fields():
    scenario = fitted(Scenario(Torus((8, 8, 8)), Halo(), Random(3), Adaptive("hop-local")))
    assert scenario.routing == Adaptive("hop-local")
    assert scenario.mapping == Random(3)


def test_larger_network_leaves_the_job_as_it_is():
    job = Transpose(16, 16)
    assert fitted(Scenario(Percs(32), job, Sequential(), PercsDirect())).job == job


def test_blocks_that_do_not_divide_become_the_usual_blocks():
    assert fitted(Scenario(Percs(32), Halo(), Blocks(3, 16), PercsDirect())).mapping == Blocks()


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (AllToAll(512), AllToAll(256)),
        (Permutation(512, 9), Permutation(256, 9)),
        (Permutation(3, targets=(0, 1)), Permutation(256)),
        (Transpose(1 << 20, 1 << 20), Transpose(16, 16)),
    ],
    ids=lambda job: job.summary(),
)
def test_jobs_are_resized_to_the_slots(job, expected):
    assert fitted(Scenario(Percs(2), job, Sequential(), PercsDirect())).job == expected


def test_all_to_all_is_never_resized_beyond_the_limit_on_flows():
    assert AllToAll().resized(10**9).build().tasks == MAX_TASKS


def test_traced_flows_keep_their_size_and_are_refused():
    flows = Flows(src=(0, 299), dst=(1, 0), volume=(1.0, 1.0))
    scenario = Scenario(Percs(2), flows, Sequential(), PercsDirect())
    with pytest.raises(SpecError, match="300 tasks do not fit 256 slots"):
        fitted(scenario)


def test_a_network_that_cannot_be_built_is_refused():
    scenario = Scenario(Percs(4096, 32), Halo(), Sequential(), PercsDirect())
    with pytest.raises(SpecError) as caught:
        fitted(scenario)
    assert caught.value.field == "network.supernodes"


def test_a_resized_job_fills_one_component():
    rings = Scenario(Circulant(nodes=8, jumps=(2, 4)), AllToAll(tasks=100), Sequential(), Minimal())
    case = fitted(rings).build()
    assert case.job.tasks == 4
    assert not evaluate(case).disconnected
    assert fitted(replace(rings, allocation="0,1,3,5")).build().mapping.nodes.tolist() == [1, 3, 5]


def test_a_disconnected_network_keeps_the_job():
    scenario = Scenario(Circulant(nodes=8, jumps=(2, 4)), AllToAll(tasks=8), Sequential(), DimensionOrder())
    case = fitted(scenario).build()
    assert (case.job.tasks, case.scenario.routing) == (8, Minimal())
    assert evaluate(case).disconnected.count == 2 * 4 * 4


@pytest.mark.parametrize(
    ("field", "scenario"),
    [
        ("mapping", Scenario(Percs(2), Halo(), Sequential(), PercsDirect())),
        ("mapping.rows", Scenario(Percs(32), Halo(), Blocks(3, 16), PercsDirect())),
        ("routing.type", Scenario(Percs(32), Halo(), Sequential(), DimensionOrder())),
        ("job.rows", Scenario(Percs(32), Halo(1 << 20, 1 << 20), Sequential(), PercsDirect())),
    ],
)
def test_invalid_choices_are_replaced_by_valid_ones(field, scenario):
    with pytest.raises(SpecError) as caught:
        scenario.build()
    assert caught.value.field == field
    fitted(scenario).build()


def test_unroutable_schemes_are_cached_without_keeping_the_network_alive():
    network = Torus((4, 4)).build()
    first = unroutable(network)
    assert "percs-direct" in first
    assert "minimal" not in first
    assert all(isinstance(why, str) and why for why in first.values())
    assert unroutable(network) is first
    assert unroutable(Torus((4, 4)).build()) is not first
    gone = ref(network)
    del network
    gc.collect()
    assert gone() is None


def test_references_to_nodes_stay_only_if_the_network_has_them():
    torus = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())
    given_nodes = replace(torus, hosts="n[01-16]", allocation="n[01-04]", down=("n02",))
    sockets = fitted(replace(given_nodes, network=Torus((4, 4), slots_per_node=4), cores=2))
    assert (sockets.cores, fitted(replace(sockets, network=Torus((4, 4), slots_per_node=3))).cores) == (2, 0)
    kept = fitted(given_nodes)
    assert kept.job == Halo(1, 3)
    assert (kept.hosts, kept.allocation, kept.down) == ("n[01-16]", "n[01-04]", ("n02",))
    other = fitted(replace(given_nodes, network=Torus((3, 3))))
    assert (other.hosts, other.allocation, other.down) == (None, "", ())


def test_background_jobs_stay_only_if_there_is_room():
    beside = (
        Neighbour(job=Halo(2, 2), mapping=Random(), allocation="4-7"),
        Neighbour(job=Halo(1, 2), mapping=Random()),
    )
    grown = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder(), neighbours=beside)
    kept = fitted(grown)
    assert (kept.job, kept.neighbours) == (Halo(2, 5), beside)
    assert kept.build().mapping.nodes.tolist() == [0, 1, 2, 3, *range(8, 14)]
    assert fitted(replace(grown, network=Torus((2, 3)))).neighbours == ()
