"""Dimension order on HyperX: hop by hop by the rule, and consistent in all its forms."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import HyperX, LinkFault
from core.routing import DimensionOrder, Minimal
from tests.core.strategies import node_flows

specs = (
    st.lists(st.integers(1, 4), min_size=1, max_size=3)
    .filter(lambda dims: max(dims) > 1)
    .flatmap(
        lambda dims: st.builds(
            HyperX,
            dims=st.just(tuple(dims)),
            parallel=st.tuples(*[st.integers(1, 3)] * len(dims)),
            nodes_per_switch=st.integers(1, 3),
        )
    )
)


def walked(network, u, v):
    """The shares of a unit on links: dimension by dimension, split over the cables of two switches."""
    spec, load = network.spec, np.zeros(network.links)
    if u == v:
        return load
    first = spec.nodes if spec.hosted else 0
    a, b = u // spec.nodes_per_switch, v // spec.nodes_per_switch
    path = [] if not spec.hosted else [u]
    place, end = list(np.unravel_index(a, spec.dims)), np.unravel_index(b, spec.dims)
    path.append(first + a)
    for d in range(len(spec.dims)):
        if place[d] != end[d]:
            place[d] = end[d]
            path.append(first + int(np.ravel_multi_index(tuple(place), spec.dims)))
    path += [v] if spec.hosted else []
    for x, y in pairwise(path):
        links = np.flatnonzero((network.src == x) & (network.dst == y))
        load[links] += 1 / links.size
    return load


@given(st.data(), specs)
def test_every_hop_follows_the_rule(data, spec):
    network = spec.build()
    router, flows = DimensionOrder().router(network), data.draw(node_flows(network))
    wanted = np.zeros(network.links)
    for u, v, volume in zip(*(array.tolist() for array in flows), strict=True):
        expected, route = walked(network, u, v), router.route(u, v)
        from_route = np.zeros(network.links)
        np.add.at(from_route, route.links, route.shares)
        np.testing.assert_allclose(from_route, expected, atol=1e-12)
        assert router.hops(np.array([u]), np.array([v]))[0] == pytest.approx(expected.sum())
        assert router.squares(np.array([u]), np.array([v]))[0] == pytest.approx((expected**2).sum())
        wanted += volume * expected
    np.testing.assert_allclose(router.loads([flows]), wanted, rtol=1e-9, atol=1e-9)
    for link in range(0, network.links, max(network.links // 4, 1)):
        crossed = router.crossing(link, flows.src, flows.dst) @ flows.volume
        assert crossed.sum() == pytest.approx(wanted[link])


def test_all_to_all_matches_minimal_and_a_failed_cable_disconnects():
    spec = HyperX(dims=(4, 3), parallel=(2, 1), nodes_per_switch=2)
    ordered, minimal = (
        evaluate(Scenario(spec, AllToAll(24), Sequential(), routing).build())
        for routing in (DimensionOrder(), Minimal(spread="equal"))
    )
    np.testing.assert_allclose(ordered.load, minimal.load)
    fault = LinkFault.of(spec.build(), 0, 0.0)
    cut = evaluate(Scenario(spec, AllToAll(24), Sequential(), DimensionOrder(), faults=(fault,)).build())
    assert cut.disconnected.count > 0
