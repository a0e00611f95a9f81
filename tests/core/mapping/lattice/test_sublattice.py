"""Sublattices against enumeration of all subgroups, and group axioms of their translations."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mapping.lattice.sublattice import MOST, sublattices


def subgroups(dims, order):
    """Return all subgroups of an order of the torus as sets of points: closures of sets of generators."""
    points = list(product(*map(range, dims)))

    def closure(generators):
        reached, todo = {(0,) * len(dims)}, [(0,) * len(dims)]
        while todo:
            point = todo.pop()
            for step in generators:
                other = tuple((a + b) % side for a, b, side in zip(point, step, dims, strict=True))
                if other not in reached:
                    reached.add(other)
                    todo.append(other)
        return frozenset(reached)

    return {group for pair in product(points, repeat=len(dims)) if len(group := closure(pair)) == order}


@pytest.mark.parametrize("dims", [(4, 4), (4, 6), (3, 3), (2, 8)])
def test_every_subgroup_of_the_torus_is_listed_once(dims):
    tasks = dims[0] * dims[1]
    for order in range(1, tasks + 1):
        if tasks % order == 0:
            listed = [frozenset(map(tuple, lattice.points.T)) for lattice in sublattices(dims, tasks // order)]
            assert len(set(listed)) == len(listed)
            assert set(listed) == subgroups(dims, order)


@given(st.sampled_from([((8, 12), 6), ((4, 4, 4), 8), ((16,), 4), ((6, 10), 15)]), st.randoms())
def test_translations_form_a_group_and_split_every_point(case, random):
    dims, index = case
    lattice = random.choice(list(sublattices(dims, index)))
    everyone = np.arange(lattice.order)
    assert (lattice.sums[0] == everyone).all()
    assert (np.sort(lattice.sums, axis=1) == everyone).all()
    assert (lattice.sums[everyone, lattice.inverse] == 0).all()
    points = np.indices(dims).reshape(len(dims), -1)
    moved, coset = lattice.split(points)
    back = (lattice.representatives[:, coset] + lattice.points[:, moved]) % np.array(dims)[:, None]
    assert (back == points).all()
    assert (np.bincount(coset) == lattice.order).all()


def test_shortest_is_the_distance_of_the_closest_copies():
    (lattice,) = [lattice for lattice in sublattices((64, 64), 128) if lattice.basis == ((16, 4), (0, 8))]
    assert lattice.shortest == 8
    assert lattice.order == 32


def test_many_sublattices_are_sampled():
    listed = list(sublattices((8, 8, 8, 8), 128))
    assert len(set(listed)) == len(listed)
    assert 100 < len(listed) <= MOST
    assert all(lattice.periodic and lattice.index == 128 for lattice in listed)
    boxes = [lattice for lattice in listed if not np.triu(lattice.basis, 1).any()]
    assert len(boxes) == 40  # four exponents up to 3 with a sum of 7
