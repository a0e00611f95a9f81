"""The k largest equal the first k of a full sort, ties in the order of their indices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.load.k_largest import k_largest


@given(st.lists(st.integers(0, 5), max_size=60), st.integers(0, 70))
def test_agrees_with_a_full_sort(numbers, count):
    values = np.array(numbers, np.float64)
    sort = np.lexsort((np.arange(values.size), -values))
    np.testing.assert_array_equal(k_largest(values, count), sort[:count])


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=60), st.integers(0, 70))
def test_a_value_that_is_not_counted_is_zero(numbers, count):
    values, counted = np.array(numbers, np.float64).reshape(-1, 2).T.copy()
    np.testing.assert_array_equal(k_largest(values, count, counted), k_largest(values * counted, count))
