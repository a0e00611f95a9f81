"""Numbers as text."""

import pytest

from app.wording.numbers import (
    axis_text,
    factor,
    figure_text,
    gbs,
    load_percent,
    percent,
    short_number,
    signed,
    significant,
    time_text,
    with_sign,
)


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
def test_throughput_has_no_superfluous_zeros(value, text):
    assert gbs(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(1, "100 %"), (0.533, "53.3 %"), (0.0001, "<0.1 %"), (0, "0 %"), (25.5, "2,550 %")]
)
def test_small_share_is_never_shown_as_zero(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0, "0 %"),
        (1e-6, "<0.1 %"),
        (0.0123, "1.2 %"),
        (0.0994, "9.9 %"),
        (0.0996, "10 %"),
        (0.104, "10 %"),
        (0.8, "80 %"),
        (0.125, "13 %"),
        (1.333, "133 %"),
    ],
)
def test_relative_loads_of_ten_percent_and_more_have_no_decimals(fraction, text):
    assert load_percent(fraction) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0432, "1.04×"), (1.994, "1.99×"), (1.996, "2.0×"), (12.9, "12.9×"), (99.96, "100×"), (1234, "1,234×")],
)
def test_a_factor_has_about_three_digits(value, text):
    assert factor(value) == text


def test_change_has_a_sign():
    assert [signed(share) for share in (0.05, -1 / 3, 1e-12)] == ["+5 %", "\N{MINUS SIGN}33.3 %", "0 %"]
    assert [with_sign(share, load_percent) for share in (0.0004, 0)] == ["+<0.1 %", "no change"]


def test_large_numbers_are_abbreviated():
    assert [short_number(value) for value in (0, 950, 12_345, 999_900, 1_250_000, 3.2e9)] == [
        "0", "950", "12.3k", "1M", "1.25M", "3.2G",
    ]  # fmt: skip
    assert [short_number(value) for value in (999.4, 1000, 999_400, 999_600)] == ["999", "1k", "999k", "1M"]
    assert [axis_text(value, 0) for value in (50.0, 8192.0, 1.25e6, 3e9)] == ["50", "8,192", "1.25M", "3G"]
    assert [time_text(value) for value in (4.24, 58.0, 210.0, 9000.0)] == ["4.2 s", "58 s", "3.5 min", "2.5 h"]
    assert [time_text(value) for value in (9.94, 9.96, 119.0, 120.0)] == ["9.9 s", "10 s", "119 s", "2.0 min"]
    assert [figure_text(value) for value in (8192.0, 7040.5, 1_048_576.0)] == ["8,192", "7,040.5", "1,048,576"]
