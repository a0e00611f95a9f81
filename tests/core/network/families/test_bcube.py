"""BCube: nodes that differ in exactly one digit share a switch of its level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import BCube
from core.spec import SpecError


@given(st.integers(2, 4), st.integers(0, 2))
def test_nodes_at_a_switch_differ_in_one_digit(ports, levels):
    network = BCube(ports=ports, levels=levels).build()
    for level in range(levels + 1):
        links = network.link_class(f"L{level}").links
        up = network.src[links] < network.nodes
        node, switch = network.src[links][up], network.dst[links][up]
        assert sorted(node.tolist()) == list(range(network.nodes))
        for number in np.unique(switch):
            assert network.label(int(number)).startswith(f"L{level} switch ")
            at = np.sort(node[switch == number])
            assert at.size == ports
            assert (np.diff(at) == ports**level).all()
            assert at[0] // ports**level % ports == 0
    half = network.cuts[0]
    top = network.link_class(f"L{levels}").links
    low = (network.src[top] < half.nodes) & (network.dst[top] >= network.nodes)
    assert half.leaving == {f"L{levels}": int(low.sum())}


def test_sizes():
    assert BCube(ports=8, levels=1).summary() == "64 nodes with 2 ports, 16 switches with 8"
    assert BCube(levels=1).sized(1000).ports == 32
    (spec,) = BCube().of_degree(1000, 8)
    assert (spec.ports, spec.levels) == (8, 2)
    with pytest.raises(SpecError, match="must be at most 10,000,000"):
        BCube(ports=1024, levels=2).build()
