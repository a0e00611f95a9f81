"""The tree of peaks says what a scan would."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.load.max_tree import MaxTree
from core.network import Mesh, Percs

NETWORKS = (Mesh(dims=(2,)).build(), Mesh(dims=(7, 5)).build(), Percs(supernodes=9, d_links=2).build())


def scan(network, weights):
    return [weights[c.links].max(initial=0.0) for c in network.classes]


@given(st.sampled_from(NETWORKS), st.booleans(), st.integers(0, 1000))
def test_peaks_are_those_of_a_scan_while_loads_change(network, slowed, seed):
    rng = np.random.default_rng(seed)
    slow = rng.choice([1.0, 2.0, np.inf], network.links, p=[0.8, 0.1, 0.1]) if slowed else None
    load = rng.integers(0, 50, network.links)
    if slow is not None:
        load[np.isinf(slow)] = 0
    peaks = MaxTree(network, load, 0.5, slow)
    for _ in range(20):
        links = rng.integers(0, network.links, rng.integers(0, 12)).astype(np.int32)
        if slow is not None:
            links = links[np.isfinite(slow[links])]
        if rng.random() < 0.5:
            load[links] = rng.integers(0, 60, links.size) // rng.integers(1, 8)
            peaks.refresh(links)
        else:
            before, volume, sign = load.copy(), rng.integers(-9, 10, links.size), rng.choice([1, -1])
            peaks.add(links, volume, sign)
            np.add.at(before, links, sign * volume)
            np.testing.assert_array_equal(load, before)
        weights = np.maximum(load, 0) * 0.5 * (np.where(load > 0, slow, 1.0) if slow is not None else 1.0)
        assert peaks.tops.tolist() == scan(network, weights)
        limits = np.maximum(peaks.tops * rng.choice([0.5, 1.0]), 0.1)
        found = peaks.at_least(limits)
        np.testing.assert_array_equal(found, np.flatnonzero(weights >= limits[network.class_of]))


def test_a_load_on_a_failed_link_weighs_without_end():
    network = NETWORKS[0]
    load = np.ones(network.links, np.int64)
    peaks = MaxTree(network, load, 1.0, np.array([np.inf, 1.0]))
    assert peaks.tops.tolist() == [np.inf]
    assert peaks.at_least(np.array([2.0])).tolist() == [0]


def test_a_class_without_links_weighs_nothing():
    network = NETWORKS[1]
    first, *others = network.classes
    empty = replace(first, links=slice(0, 0))
    peaks = MaxTree(replace(network, classes=(empty, first, *others)), np.ones(network.links, np.int64), 1.0)
    assert peaks.tops == pytest.approx([0, 1, 1])
