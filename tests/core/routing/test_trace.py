"""Loads of flows as integers: equal to the routes, exactly if shares are multiples, and without remainder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.routing.router import Router
from tests.core.strategies import routed


@st.composite
def whole_flows(draw, network, parts, most=8):
    """Flows between nodes, some with negative volume, in multiples of `parts`."""
    node = st.integers(0, network.nodes - 1)
    flows = draw(st.lists(st.tuples(node, node, st.integers(-(10**6), 10**6)), max_size=most))
    src, dst, volume = zip(*flows, strict=True) if flows else ((), (), ())
    return np.array(src, np.int32), np.array(dst, np.int32), np.array(volume, np.int64) * parts


def summed(network, traced):
    loads = np.zeros(network.links, np.int64)
    np.add.at(loads, traced.links, traced.volume)
    return loads


@given(st.data(), routed)
def test_traces_are_the_sum_of_routes(data, case):
    network, router, _ = case
    parts = router.parts or 1
    flows = data.draw(whole_flows(network, parts))
    ours = summed(network, router.trace(*flows))
    expected, hops = np.zeros(network.links), 0
    for u, v, volume in zip(*flows, strict=True):
        route = router.route(int(u), int(v))
        np.add.at(expected, route.links, route.shares * volume)
        hops += route.links.size
    if router.splits_exactly:
        np.testing.assert_array_equal(ours, np.rint(expected))
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-3)
    else:
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=hops + 1e-3)
    if router.splits_exactly:
        np.testing.assert_array_equal(ours, summed(network, Router.trace(router, *flows)))


@given(st.data(), routed)
def test_traced_loads_cancel_in_any_order_and_company(data, case):
    network, router, _ = case
    parts = router.parts or 1
    src, dst, volume = data.draw(whole_flows(network, parts))
    order = np.array(data.draw(st.permutations(range(src.size))), np.intp)
    for trace in (router.trace, lambda *flows: Router.trace(router, *flows)):
        loads = summed(network, trace(src, dst, volume))
        for some in np.array_split(order, 3):
            loads += summed(network, trace(src[some], dst[some], -volume[some]))
        assert not loads.any()


@given(st.data(), routed)
def test_shares_are_multiples_of_the_smallest_part(data, case):
    network, router, _ = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    if router.splits_exactly:
        shares = router.route(u, v).shares * router.parts
        assert shares == pytest.approx(np.rint(shares))


@given(st.data(), routed)
def test_the_number_of_updates_is_about_right(data, case):
    network, router, _ = case
    every = np.indices((network.nodes, network.nodes)).reshape(2, -1).astype(np.int32)
    parts = np.full(every.shape[1], router.parts or 1, np.int64)
    done = router.trace(*every, parts).links.size
    assert done <= 4 * router.updates(parts.size)
    assert Router.updates(router, 3) == 3 * router.route(0, network.nodes - 1).links.size
