"""Numbers as people read them."""

import pytest

from app.wording.numbers import gbs, percent, significant


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.3125, "0.3125"),
        (0.0625, "0.06250"),
        (53.333333, "53.33"),
        (1234.4, "1,234"),
        (5_888_000, "5,888,000"),
        (0.00002441, "2.441e-05"),
        (1e15, "1.000e+15"),
    ],
)
def test_loads_have_four_significant_digits(value, text):
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(64, "64.0"), (134.4, "134.4"), (320, "320"), (5.3, "5.3"), (0.34, "0.34"), (10240, "10,240")]
)
def test_throughput_has_no_idle_zeros(value, text):
    assert gbs(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(1, "100 %"), (0.533, "53.3 %"), (0.0001, "<0.1 %"), (0, "0 %"), (25.5, "2,550 %")]
)
def test_percent_never_hides_a_small_share(share, text):
    assert percent(share) == text
