"""HyperX: links by the rule, shifts, sizes and refusals."""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import HyperX
from core.spec import SpecError

DIMS = [dims for count in (1, 2, 3) for dims in product(range(1, 5), repeat=count) if max(dims) > 1]


def specs(nodes_per_switch):
    """Networks of one to three dimensions, each number equally likely: a strategy."""

    @cache
    def of(count):
        parallel = st.integers(1, 2) | st.tuples(*[st.integers(1, 3)] * count)
        dims = st.sampled_from([dims for dims in DIMS if len(dims) == count])
        return st.builds(HyperX, dims=dims, parallel=parallel, nodes_per_switch=nodes_per_switch)

    return st.integers(1, 3).flatmap(of)


@given(specs(st.integers(1, 3)))
def test_switches_along_a_line_are_linked_by_the_cables_of_their_dimension(spec):
    network = spec.build()
    first = spec.nodes if spec.hosted else 0
    place = [np.unravel_index(switch, spec.dims) for switch in range(spec.switches)]
    expected = Counter()
    for u, a in enumerate(place):
        for v, b in enumerate(place):
            apart = [d for d in range(len(spec.dims)) if a[d] != b[d]]
            if len(apart) == 1:
                expected["XYZ"[apart[0]], first + u, first + v] = spec.cables[apart[0]]
    if spec.hosted:
        for node in range(spec.nodes):
            switch = spec.nodes + node // spec.nodes_per_switch
            expected["host", node, switch] = expected["host", switch, node] = 1
    name = [network.classes[c].name for c in network.class_of]
    assert Counter(zip(name, network.src.tolist(), network.dst.tolist(), strict=True)) == expected


@given(specs(st.just(1)))
def test_shifts_of_all_switches_keep_the_orbits_of_links(spec):
    network = spec.build()
    links = list(zip(network.src.tolist(), network.dst.tolist(), network.alike.tolist(), strict=True))
    assert Counter(network.alike.tolist()) == dict.fromkeys(set(network.alike.tolist()), spec.switches)
    node = np.arange(spec.switches).reshape(spec.dims)
    for d in range(len(spec.dims)):
        moved = np.roll(node, 1, axis=d).ravel()
        assert Counter((moved[u], moved[v], alike) for u, v, alike in links) == Counter(links)


def test_sizes():
    assert HyperX(dims=(8, 8), nodes_per_switch=8).summary() == "512 nodes, 8 × 8 switches with 22 ports"
    assert HyperX(dims=(4, 4)).summary() == "4 × 4 switches of degree 6"
    assert HyperX(dims=(8, 8), nodes_per_switch=8).sized(4096).nodes == pytest.approx(4096, rel=0.1)
    assert HyperX(dims=(8, 8), nodes_per_switch=8).of_degree(1, 22)[0].dims == (8, 8)
    assert HyperX(dims=(8, 8)).of_degree(1, 7) == ()


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"dims": (1, 1)}, "network.dims", "single switch"),
        (
            {"dims": (2, 2, 2), "parallel": (1, 2)},
            "network.parallel",
            "has 2 values for 3 dimensions; give one for all, or one per dimension",
        ),
        ({"dims": (4096, 4096)}, "network.dims", "must be at most 10,000,000"),
    ],
)
def test_impossible_networks_are_refused(fields, field, words):
    with pytest.raises(SpecError, match=words) as refusal:
        HyperX(**fields).build()
    assert refusal.value.field == field
