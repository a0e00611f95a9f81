"""Arrays and texts in a page are read back exactly."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.page.blobs import array_blob, rounded_blob, text_blob
from tests.app.page.unpacking import unpacked


def plain(blob):
    return msgspec.to_builtins(blob)


@given(arrays(np.float32, st.integers(0, 50), elements=st.floats(width=32, allow_nan=False)))
def test_numbers_are_read_back_bit_by_bit(values):
    assert unpacked(plain(array_blob(values, "f4"))).tobytes() == values.tobytes()


@given(arrays(np.int32, st.integers(0, 50)), st.booleans())
def test_integers_are_read_back_also_as_differences(values, delta):
    np.testing.assert_array_equal(unpacked(plain(array_blob(values, "i4", delta=delta))), values)


def test_arrays_of_several_dimensions_are_read_row_by_row():
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(unpacked(plain(array_blob(values.T, "f4"))), [0, 3, 1, 4, 2, 5])


@given(arrays(np.float64, st.integers(0, 50), elements=st.floats(-1e6, 1e6)))
def test_rounded_numbers_differ_by_half_a_step_at_most(values):
    step, blob = rounded_blob(values)
    assert step == pytest.approx(np.abs(values).max(initial=0.0) / 32767)
    assert np.abs(unpacked(plain(blob)) * step - values).max(initial=0.0) <= step * 0.5001


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")), min_size=1))
def test_lines_are_read_back(lines):
    assert unpacked(plain(text_blob(lines))) == lines


def test_regular_loads_take_a_small_part_of_their_size():
    loads = np.tile(np.array([0.3125, 0.125, 0.0, 1.0], np.float32), 25_000)
    assert array_blob(loads, "f4").size < loads.nbytes / 50
