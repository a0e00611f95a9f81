"""GPU servers with rails: their links, cuts of a unit, and paths through no GPU."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Rail
from core.routing import Minimal, Ugal, Valiant
from core.routing.flows import NodeFlows
from core.spec import SpecError

sizes = st.integers(1, 3)
rails = st.builds(
    Rail, units=sizes, servers=sizes, gpus=st.integers(2, 3), spines=st.integers(1, 2), parallel=st.integers(1, 2)
)


def cables(network, name):
    """The cables of a class, lower ends first."""
    links = network.link_class(name).links
    ends = np.stack([network.src[links], network.dst[links]], axis=1)
    return ends[ends[:, 0] < ends[:, 1]].tolist()


@given(rails)
def test_gpus_link_to_their_server_and_to_the_leaf_of_their_unit_and_rail(spec):
    network, servers = spec.build(), spec.units * spec.servers
    leaf = spec.nodes + servers
    gpus = [(u, s, g) for u in range(spec.units) for s in range(spec.servers) for g in range(spec.gpus)]
    assert [network.label(gpu) for gpu in range(network.nodes)] == [f"u{u} · s{s} · g{g}" for u, s, g in gpus]
    up = [[gpu, spec.nodes + u * spec.servers + s] for gpu, (u, s, _) in enumerate(gpus)]
    assert cables(network, "nvlink") == up
    assert cables(network, "rail") == [[gpu, leaf + u * spec.gpus + g] for gpu, (u, _, g) in enumerate(gpus)]
    spines = range(leaf + spec.leaves, network.vertices)
    every = [[switch, spine] for switch in range(leaf, leaf + spec.leaves) for spine in spines]
    assert cables(network, "spine") == [pair for pair in every for _ in range(spec.parallel)]
    assert [(level.name, level.count) for level in network.levels] == [("unit", spec.units), ("server", servers)]
    names = [network.label(v) for v in (spec.nodes, leaf, network.vertices - 1)]
    assert names == ["u0 · s0 · NVSwitch", "u0 · leaf 0", f"spine {spec.spines - 1}"]


@given(rails)
def test_cuts_count_the_links_that_leave_their_side(spec):
    network = spec.build()
    server = np.concatenate(
        [np.repeat(np.arange(spec.units * spec.servers), spec.gpus), np.arange(spec.units * spec.servers)]
    )
    unit = np.concatenate(
        [server // spec.servers, np.repeat(np.arange(spec.units), spec.gpus), np.full(spec.spines, spec.units)]
    )
    server = np.concatenate([server, np.full(network.vertices - server.size, spec.nodes)])
    sides = {
        "one server": server == 0,
        "half of the servers": server < spec.servers // 2,
        "one unit": unit == 0,
        "half of the units": unit < spec.units // 2,
    }
    for cut in network.cuts:
        inside = sides[cut.name]
        leaves = inside[network.src] & ~inside[network.dst]
        counts = {c.name: int(leaves[c.links].sum()) for c in network.classes}
        assert {name: count for name, count in counts.items() if count} == {k: v for k, v in cut.leaving.items() if v}
        assert cut.nodes == int(inside[: network.nodes].sum())
    if spec.units > 1:
        half = spec.units // 2 * spec.gpus * spec.spines * spec.parallel
        assert network.cuts[-1].leaving == {"spine": half}


@given(rails, st.data())
def test_without_relays_no_path_passes_a_gpu(spec, data):
    network = Rail(spec.units, spec.servers, spec.gpus, spec.spines, relays=False).build()
    router = Minimal(spread="equal").router(network)
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    links = router.route(u, v).links
    assert {int(end) for end in network.src[links] if end < network.nodes} <= {u}
    assert {int(end) for end in network.dst[links] if end < network.nodes} <= {v}


@given(rails, st.booleans())
def test_loads_of_all_gpus_follow_from_one_gpu_by_shifts(spec, relays):
    network = msgspec.structs.replace(spec, relays=relays).build()
    router = Minimal(spread="equal").router(network)
    src, dst = np.indices((network.nodes, network.nodes), np.int32).reshape(2, -1)
    all_sent = router.loads([NodeFlows(src, dst, np.ones(src.size))])
    first = src == 0
    one_sent = router.loads([NodeFlows(src[first], dst[first], np.ones(network.nodes))])
    np.testing.assert_allclose(network.shifted(one_sent), all_sent)


def test_the_superpod_matches_the_reference():
    spec = Rail(**Rail.presets["DGX SuperPOD"])
    network = spec.build()
    assert (spec.nodes, spec.leaves, spec.spines) == (1024, 32, 16)
    assert {c.name: (c.count // 2, c.gbs) for c in network.classes} == {
        "nvlink": (1024, 450),
        "rail": (1024, 50),
        "spine": (1024, 50),
    }


def test_impossible_clusters_and_routings_are_refused():
    with pytest.raises(SpecError, match=r"network\.spines: is 0; 2 units need spines to connect them"):
        Rail(units=2, spines=0).build()
    with pytest.raises(SpecError, match=r"network\.relays: is false; without spines, only GPUs connect the rails"):
        Rail(units=1, spines=0, relays=False).build()
    network = Rail(relays=False).build()
    for routing in (Valiant(), Ugal()):
        with pytest.raises(SpecError, match="nodes of this network do not; choose minimal or congestion-aware"):
            routing.router(network)


def test_sizes():
    assert Rail().summary() == "64 GPUs, 16 leaves, 4 spines, 64 cables between them"
    assert Rail().sized(1000).nodes == 992
    assert Rail().sized(20).nodes == 16
    assert Rail(units=1, spines=0).sized(100).servers == 12
