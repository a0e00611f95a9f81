"""Rules for choosing nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mapping.allocation import nodes_named
from core.mapping.node_choice import CHOICES, nodes_text
from core.network import Percs, Torus
from core.network.hosts import named
from tests.core.strategies import networks


@pytest.mark.parametrize(
    ("choice", "nodes"),
    [
        ("compact", [0, 1, 2, 4, 5, 6]),
        ("scattered", [0, 1, 2, 32, 33, 34]),
        ("every k-th", [0, 11, 23, 33, 43, 53]),
    ],
)
def test_only_free_nodes_are_chosen(choice, nodes):
    free = np.delete(np.arange(64, dtype=np.int32), [3, 12, 13])
    assert CHOICES[choice](free, 6, Percs(2).build()).tolist() == nodes


def test_without_levels_scattered_nodes_are_far_apart():
    network = Torus((4, 4)).build()
    assert CHOICES["scattered"](np.arange(16, dtype=np.int32), 4, network).tolist() == [0, 4, 8, 12]


@given(networks, st.sampled_from(sorted(CHOICES)), st.data())
def test_the_requested_number_of_distinct_free_nodes_is_chosen(spec, choice, data):
    network = spec.build()
    some = data.draw(st.sets(st.integers(0, network.nodes - 1), min_size=1))
    free = np.array(sorted(some), np.int32)
    count = data.draw(st.integers(1, free.size))
    chosen = CHOICES[choice](free, count, network)
    assert np.unique(chosen).size == count
    assert np.isin(chosen, free).all()
    assert (np.diff(chosen) > 0).all()


@given(networks, st.booleans(), st.data())
def test_the_text_of_a_choice_lists_the_same_nodes_in_order(spec, by_name, data):
    network = spec.build()
    if by_name:
        network = (
            named(network, f"r[0-1]n[00-{(network.nodes + 1) // 2 - 1:02}]", None)
            if network.nodes % 2 == 0
            else network
        )
    order = data.draw(st.permutations(range(network.nodes)))[: data.draw(st.integers(1, network.nodes))]
    nodes = np.array(order, np.int32)
    np.testing.assert_array_equal(nodes_named("allocation", nodes_text(nodes, network), network), nodes)
