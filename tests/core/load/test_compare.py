"""The difference between two reports, against a plain computation by numpy."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from msgspec.structs import replace as replace_spec

from core.job import Halo
from core.load.compare import class_changes, comparable, difference, elsewhere, scaled, strongest
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Mesh, Percs, Torus
from core.routing import DimensionOrder, PercsDirect

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
OTHER = SMALL.with_choice("mapping", Random(seed=4))
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())


def seconds(report):
    return report.load / report.case.network.gbs


@pytest.fixture(scope="module")
def reports():
    return evaluate(SMALL.build()), evaluate(OTHER.build())


def test_differences_are_those_of_the_times(reports):
    a, b = reports
    changes, expected = difference(a, b), seconds(b) - seconds(a)
    for reference in (a.time, b.time, 0.125):
        np.testing.assert_allclose(changes.relative(reference), expected / reference, atol=1e-12)
    assert changes.largest == pytest.approx(np.abs(expected).max())
    assert changes.changed == np.count_nonzero(np.abs(expected) > 1e-9 * max(a.time, b.time))


def test_rounding_is_no_change(reports):
    a, _ = reports
    shaken = replace(a, load=a.load * (1 + 1e-13))
    assert difference(a, shaken).changed == 0
    assert difference(a, shaken).largest == 0
    assert not difference(a, shaken).strongest(10).size


def test_a_difference_is_computed_once_and_freed_with_the_report(reports):
    a, _ = reports
    b = evaluate(OTHER.build())
    kept = weakref.ref(difference(a, b))
    assert difference(a, b) is kept()
    del b
    gc.collect()
    assert kept() is None


def test_reports_compared_both_ways_are_freed():
    a, b = evaluate(TORUS.build()), evaluate(TORUS.build())
    assert difference(a, b).changed == difference(b, a).changed == difference(a, a).changed == 0
    kept = weakref.ref(a), weakref.ref(b)
    del a, b
    gc.collect()
    assert [reference() for reference in kept] == [None, None]


def test_scaled_loads_are_the_report_s_own_at_its_own_time(reports):
    a, _ = reports
    assert scaled(a, a.time) is a.utilisation
    assert scaled(a, 0.0) is a.utilisation
    np.testing.assert_allclose(scaled(a, 2 * a.time), a.utilisation / 2)
    np.testing.assert_allclose(scaled(a, 4 * a.time), a.utilisation / 4)
    assert scaled(a, 4 * a.time) is scaled(a, 4 * a.time)


LEVELS = st.sampled_from([-2.0, -1.0, -0.25, 0.0, 0.25, 1.0, 3.0])


@given(arrays(np.float64, st.integers(0, 60), elements=LEVELS), st.integers(1, 70))
def test_the_strongest_come_first_equal_ones_by_place_and_zeros_never(values, count):
    size = np.abs(values)
    order = np.argsort(-size, kind="stable")
    expected = order[size[order] > 0][:count]
    positions = strongest(values, count)
    np.testing.assert_array_equal(size[positions], size[expected])
    assert np.unique(positions).size == positions.size
    ties = np.flatnonzero(np.diff(size[positions]) == 0)
    assert (positions[ties] < positions[ties + 1]).all()


def test_many_values_in_any_order():
    random = np.random.default_rng(5)
    values = random.normal(size=20_000)
    for order in (values, np.sort(values), np.sort(np.abs(values))[::-1].copy()):
        expected = np.sort(np.abs(order))[::-1][:1000]
        np.testing.assert_array_equal(np.abs(order[strongest(order, 1000)]), expected)


def test_the_same_network_compares_even_when_built_again():
    a, again, torus = SMALL.build(), OTHER.build(), TORUS.build()
    assert a.network is not again.network
    assert comparable(a, again)
    assert not comparable(a, torus)


def test_links_of_other_bandwidth_are_the_same_links(reports):
    a, _ = reports
    slower = evaluate(SMALL.with_choice("network", replace_spec(SMALL.network, ll_gbs=10.0)).build())
    assert comparable(a.case, slower.case)
    assert comparable(slower.case, a.case)
    change = difference(a, slower)
    np.testing.assert_allclose(change.values * change.unit, seconds(slower) - seconds(a), atol=1e-12)
    assert set(a.case.network.class_of[change.values != 0]) == {0}


def test_other_links_are_not_comparable_however_many():
    torus = TORUS.build()
    for network, same in ((Torus((2, 8)), False), (Torus((4, 4), slots_per_node=2), True), (Mesh((4, 4)), False)):
        assert comparable(torus, TORUS.with_choice("network", network).build()) == same


def test_tasks_on_other_nodes_are_counted():
    a, b = SMALL.build(), OTHER.build()
    assert elsewhere(a, b) == np.count_nonzero(a.mapping.slots // 4 != b.mapping.slots // 4)
    assert elsewhere(a, a) == 0
    assert elsewhere(a, TORUS.build()) is None
    assert elsewhere(a, SMALL.with_choice("job", Halo(rows=24, cols=16)).build(a)) is None


def test_classes_are_paired_by_name():
    percs, torus = evaluate(SMALL.build()), evaluate(TORUS.build())
    assert [(c.name, c.a is None, c.b is None) for c in class_changes(percs.classes, torus.classes)] == [
        *((name, True, False) for name in ("X", "Y")),
        *((name, False, True) for name in ("LL", "LR", "D")),
    ]
    both = class_changes(percs.classes, evaluate(SMALL.with_choice("mapping", Sequential()).build()).classes)
    assert [c.name for c in both] == ["LL", "LR", "D"]
    assert all(c.a is not None and c.b is not None for c in both)
