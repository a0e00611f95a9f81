"""Orders of a box: each a permutation, curves from neighbour to neighbour, and refusals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mapping.box_steps import Hilbert, Shear, Tiles, Tilt, Zigzag, ZOrder, numbered
from core.spec import SpecError

STEPS = (
    Zigzag(),
    Zigzag(0, 1),
    Tilt(slope=-2),
    Tilt(0, 1, 3),
    Shear(),
    Shear(0, 1, 3),
    Tiles((2, 3)),
    ZOrder(),
    Hilbert(),
)
shapes = st.lists(st.integers(1, 6), min_size=2, max_size=4).map(tuple)


@given(shapes, st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
def test_steps_only_change_the_order(shape, steps):
    box = numbered(shape)
    for step in steps:
        box = step.ordered(box)
        assert box.shape == shape
    assert np.sort(box.ravel()).tolist() == list(range(box.size))


@pytest.mark.parametrize(("dimensions", "bits"), [(1, 4), (2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 1)])
def test_hilberts_curve_goes_from_neighbour_to_neighbour(dimensions, bits):
    shape = (1 << bits,) * dimensions
    order = Hilbert().ordered(numbered(shape)).ravel()
    at = np.array(np.unravel_index(order, shape))
    assert (np.abs(np.diff(at, axis=1)).sum(axis=0) == 1).all()
    assert order[0] == 0


@given(st.integers(1, 3), st.integers(1, 3))
def test_mortons_curve_interleaves_the_bits(dimensions, bits):
    shape = (1 << bits,) * dimensions
    order = ZOrder().ordered(numbered(shape)).ravel()

    def key(at):
        return "".join(f"{at[d]:0{bits}b}"[bit] for bit, d in product(range(bits), range(dimensions)))

    expected = sorted(product(*map(range, shape)), key=key)
    assert [tuple(map(int, np.unravel_index(place, shape))) for place in order] == expected


@given(shapes)
def test_a_zigzag_ends_each_layer_next_to_the_following_and_undoes_itself(shape):
    box = numbered(shape)
    ordered = Zigzag(1, 0).ordered(box)
    for layer in range(shape[0]):
        np.testing.assert_array_equal(ordered[layer], box[layer, ::-1] if layer % 2 else box[layer])
    np.testing.assert_array_equal(Zigzag(1, 0).ordered(ordered), box)


@given(shapes, st.integers(-5, 5), st.integers(1, 4))
def test_layers_are_rolled(shape, slope, layers):
    box = numbered(shape)
    tilted, sheared = Tilt(1, 0, slope).ordered(box), Shear(1, 0, layers).ordered(box)
    for layer in range(shape[0]):
        np.testing.assert_array_equal(tilted[layer], np.roll(box[layer], layer * slope, axis=0))
        np.testing.assert_array_equal(sheared[layer], np.roll(box[layer], layer // layers, axis=0))
    np.testing.assert_array_equal(Tilt(1, 0, -slope).ordered(tilted), box)


def test_tiles_are_read_one_after_the_other_including_partial_tiles():
    assert Tiles((2, 2)).ordered(numbered((3, 4))).ravel().tolist() == [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 10, 11]
    assert Tiles((2,)).ordered(numbered((4, 2))).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


@pytest.mark.parametrize(
    ("step", "field", "message"),
    [
        (Zigzag(along=2), "along", "is 2; dimensions of the 2 × 3 box are 0 to 1"),
        (Tilt(across=3), "across", "is 3; dimensions of the 2 × 3 box are 0 to 1"),
        (Shear(along=0, across=0), "across", "is 0, the same as along; give two different dimensions"),
        (Tiles((1, 2, 1)), "sides", "has 3 sides; the box has 2 dimensions"),
    ],
)
def test_an_unknown_dimension_is_refused(step, field, message):
    with pytest.raises(SpecError) as refusal:
        step.ordered(numbered((2, 3)))
    assert (refusal.value.field, refusal.value.message) == (field, message)
