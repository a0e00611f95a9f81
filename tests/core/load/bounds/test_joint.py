"""Sets of links that share crossing traffic: against the linear programme that they represent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from core.load.bounds.joint import Shared

SIZES = st.integers(0, 8)


@st.composite
def questions(draw):
    """Loads, rates and volumes across partitions, with plenty of ties and zeros."""
    rows, parts = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    loads = np.array(draw(st.lists(st.lists(SIZES, min_size=parts, max_size=parts), min_size=rows, max_size=rows)))
    rates = np.array(draw(st.lists(st.integers(1, 5), min_size=rows, max_size=rows)), float)
    volumes = np.cumsum(draw(st.lists(SIZES, min_size=parts, max_size=parts)))
    return loads / 4, rates, volumes.astype(float)


def least_time(loads, rates, volumes):
    """The least t for which volumes x can cross, solved as a linear programme in x and t."""
    sets, parts = loads.shape
    room = np.hstack([loads, -rates[:, None]])
    crossed = np.hstack([-np.tri(parts), np.zeros((parts, 1))])
    cost = np.append(np.zeros(parts), 1.0)
    solved = linprog(cost, np.vstack([room, crossed]), np.append(np.zeros(sets), -volumes))
    return solved.fun


@given(questions())
def test_no_division_of_the_volume_takes_less_time(question):
    loads, rates, volumes = question
    shared = Shared(loads, rates)
    least, truth = shared.least(volumes).max(), least_time(loads, rates, volumes)
    assert least <= truth + 1e-9
    if len(rates) <= 3:
        assert least == pytest.approx(truth, abs=1e-9)


@given(questions(), st.floats(0.5, 2))
def test_an_exceeded_time_is_infeasible(question, part):
    loads, rates, volumes = question
    shared, truth = Shared(loads, rates), least_time(loads, rates, volumes)
    spans = np.full(len(rates), part * truth)
    if shared.exceeds(volumes, spans):
        assert part < 1
    elif len(rates) <= 3 and truth > 0:
        assert part >= 1 - 1e-8


def test_weights_are_shares_of_one():
    weights = Shared(np.array([[1, 2, 3], [3, 2, 1], [1, 1, 1], [0, 5, 0]]), np.ones(4)).weights
    assert weights.shape[1] == 4
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert (weights >= 0).all()


def test_infinite_volumes_exceed_any_time():
    assert Shared(np.ones((1, 1)), np.ones(1)).exceeds(np.array([np.inf]), np.array([1e9]))
    assert not Shared(np.ones((1, 1)), np.ones(1)).exceeds(np.array([2.0]), np.array([2.0]))


def test_two_sets_bound_what_one_alone_does_not():
    # Traffic inside loads one set, traffic that leaves the other: each alone could be idle, but not both.
    shared = Shared(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0]))
    volumes = np.array([2.0, 10.0])
    alone = [float(Shared(row[None], np.ones(1)).least(volumes).max()) for row in np.array([[0.0, 1.0], [1.0, 0.0]])]
    assert alone == [0.0, 2.0]
    assert shared.least(volumes).max() == pytest.approx(5.0)
