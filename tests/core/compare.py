"""Core's arrays and the oracle's dictionaries in a common form: (class, from, to) -> sorted loads of these links."""

from collections import defaultdict

import numpy as np
import pytest

from core.network.sizes import axis_name


def from_core(network, loads):
    """The loads that are not zero; parallel links share a key."""
    by_link = defaultdict(list)
    for link in np.flatnonzero(loads):
        name = network.classes[network.class_of[link]].name
        by_link[name, int(network.src[link]), int(network.dst[link])].append(float(loads[link]))
    return {key: sorted(values) for key, values in by_link.items()}


def from_percs(machine, loads):
    """The loads of a PERCS machine by the oracle, in the same form."""
    return {(kind, machine.number(start), machine.number(end)): [load] for (kind, start, end), load in loads.items()}


def from_lattice(lattice, loads):
    """The loads of a torus or mesh by the oracle, in the same form."""
    by_link = defaultdict(list)
    for (d, step, node), load in loads.items():
        there = lattice.moved(node, d, step)
        by_link[axis_name(d), lattice.number(node), lattice.number(there)].append(load)
    return {key: sorted(values) for key, values in by_link.items()}


def assert_same_loads(ours, expected, relative=1e-12):
    """Assert that both have the same links, with loads equal up to rounding."""
    tiny = 1e-15 * max((max(values) for values in expected.values()), default=0.0)
    ours, expected = _without(ours, tiny), _without(expected, tiny)
    assert ours.keys() == expected.keys()
    for key, values in expected.items():
        assert ours[key] == pytest.approx(values, rel=relative), key


def _without(loads, tiny):
    return {key: values for key, values in loads.items() if max(values) > tiny}
