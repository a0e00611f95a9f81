"""The largest loads of classes equal the results of a scan."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.load.class_maxima import NO_FLOATS, ClassMaxima
from core.load.fixed_point import BandLoads, to_floats
from core.network import Mesh, Percs

NETWORKS = (Mesh(dims=(2,)).build(), Mesh(dims=(7, 50)).build(), Percs(supernodes=9, d_links=2).build())


def scan(network, weights):
    return [weights[c.links].max(initial=0.0) for c in network.classes]


def in_bands(*bands):
    """Loads of the first band in halves, of the second in hundredths; below 3 the second is noise."""
    return BandLoads(np.array(bands, np.int64), np.array([0.5, 0.01][: len(bands)]), np.array([0, 3][: len(bands)]))


@given(st.sampled_from(NETWORKS), st.booleans(), st.booleans(), st.integers(1, 2), st.integers(0, 1000))
def test_maxima_match_a_scan_while_loads_change(network, slowed, beside, bands, seed):
    rng = np.random.default_rng(seed)
    slow = rng.choice([1.0, 2.0, np.inf], network.links, p=[0.8, 0.1, 0.1]) if slowed else NO_FLOATS
    others = rng.integers(0, 3, network.links) * rng.choice([0.1, 1 / 3, 7.5], network.links) if beside else NO_FLOATS
    loads = in_bands(*rng.integers(0, 50, (bands, network.links)))
    if slowed:
        loads.bands[:, np.isinf(slow)] = 0
    maxima = ClassMaxima(network, loads, slow, others)
    for _ in range(20):
        links = rng.integers(0, network.links, rng.integers(0, 12)).astype(np.int32)
        if slowed:
            links = links[np.isfinite(slow[links])]
        loads.bands[:, links] = rng.integers(-5, 60, (bands, links.size)) // rng.integers(1, 8)
        maxima.refresh(links)
        weights = to_floats(loads)
        np.testing.assert_allclose(weights, plain_loads(loads), rtol=1e-12)
        if beside:
            weights += np.where(weights > 0, others, 0.0)
        if slowed:
            weights *= np.where(weights > 0, slow, 1.0)
        assert maxima.tops.tolist() == scan(network, weights)
        limits = np.maximum(maxima.tops * rng.choice([0.5, 1.0]), 0.1)
        at_least = maxima.at_least(limits)
        np.testing.assert_array_equal(at_least, np.flatnonzero(weights >= limits[network.class_of]))


def plain_loads(loads):
    """The loads as sums by numpy."""
    return (np.where(loads.bands > loads.noise[:, None], loads.bands, 0) * loads.unit[:, None]).sum(axis=0)


def test_a_load_on_a_failed_link_has_infinite_weight():
    network = NETWORKS[0]
    maxima = ClassMaxima(network, in_bands(np.ones(network.links)), np.array([np.inf, 1.0]))
    assert maxima.tops.tolist() == [np.inf]
    assert maxima.at_least(np.array([2.0])).tolist() == [0]


def test_a_class_without_links_has_no_weight():
    network = NETWORKS[1]
    first, *others = network.classes
    empty = replace(first, links=slice(0, 0))
    maxima = ClassMaxima(replace(network, classes=(empty, first, *others)), in_bands(np.full(network.links, 2)))
    assert maxima.tops == pytest.approx([0, 1, 1])
