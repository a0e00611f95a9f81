"""Slim flies of all sizes: any two switches are adjacent or have a common neighbour; and the underlying fields."""

import numpy as np
import pytest

from core.network import SlimFly
from core.network.families.finite_field import finite_field, prime_power
from core.network.families.slim_fly import SIZES
from core.spec import SpecError


def test_sizes_are_prime_powers():
    assert SIZES == (3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32)
    assert [prime_power(q) for q in (1, 2, 6, 12, 27, 32)] == [None, (2, 1), None, None, (3, 3), (2, 5)]


@pytest.mark.parametrize("q", [q for q in SIZES if q < 20])
def test_fields_obey_their_axioms(q):
    field, number = finite_field(q), np.arange(q)
    plus, times = field.plus, field.times
    assert (plus == plus.T).all()
    assert (times == times.T).all()
    assert (plus[0] == number).all()
    assert (times[1] == number).all()
    assert (np.sort(plus) == number).all()
    assert (np.sort(times[1:, 1:]) == number[1:]).all()
    assert (plus[plus] == plus[:, plus]).all()
    assert (times[times] == times[:, times]).all()
    assert (times[:, plus] == plus[times[:, :, None], times[:, None]]).all()
    assert (plus[field.minus, number[None]] == number[:, None]).all()
    assert sorted(field.powers.tolist()) == number[1:].tolist()


@pytest.mark.parametrize("q", SIZES)
def test_any_two_switches_are_at_most_two_hops_apart(q):
    spec = SlimFly(q=q)
    network = spec.build()
    joined = np.zeros((spec.switches, spec.switches), bool)
    joined[network.src, network.dst] = True
    assert joined.sum() == network.links
    assert (joined == joined.T).all()
    assert (joined.sum(axis=0) == spec.degree).all()
    near = joined | np.eye(spec.switches, dtype=bool)
    for neighbour in network.dst[np.argsort(network.src)].reshape(spec.switches, spec.degree).T:
        near |= joined[neighbour]
    assert near.all()
    column = np.arange(spec.switches) // q
    local = network.link_class("local").links
    assert (column[network.src[local]] == column[network.dst[local]]).all()
    between = network.link_class("global").links
    assert (network.src[between] // q**2 != network.dst[between] // q**2).all()


def test_sizes_and_degrees():
    assert SlimFly(q=5, nodes_per_switch=4).summary() == "200 nodes, 50 switches with 11 ports"
    assert SlimFly(q=19, nodes_per_switch=15).nodes == 10830
    assert SlimFly(q=5, nodes_per_switch=4).sized(1000).q == 11
    assert [(spec.q, spec.nodes_per_switch) for spec in SlimFly().of_degree(200, 11)] == [(5, 4), (4, 5)]
    with pytest.raises(SpecError, match="is 6; must be a prime power, such as 5, 7") as refusal:
        SlimFly(q=6).build()
    assert refusal.value.field == "network.q"
