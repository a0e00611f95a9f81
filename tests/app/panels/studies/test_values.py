"""Typed values: lists, ranges and choices; errors state the valid values."""

import pytest

from app.panels.studies.values import read_values, typed
from app.widgets.field_text import Refusal
from core.job import Halo
from core.network import Percs, Torus
from core.spec import fields_of


def read(text, spec, name):
    return read_values(text, spec, next(field for field in fields_of(type(spec)) if field.name == name))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1, 2, 4", [1, 2, 4]),
        ("1..4", [1, 2, 3, 4]),
        (" 2 .. 8 by 3 ;16", [2, 5, 8, 16]),
        ("4 to 6, 5", [4, 5, 6]),
        ("8..2 by -2", [8, 6, 4, 2]),
    ],
)
def test_whole_numbers_are_read(text, values):
    assert read(text, Percs(), "d_links") == values


def test_decimals_are_read_as_written():
    assert read("0.1..0.5 by 0.1, 2", Torus(dims=(4, 4)), "gbs") == [0.1, 0.2, 0.3, 0.4, 0.5, 2.0]


@pytest.mark.parametrize("text", ["0,5", "0,5..1", "1, 2,5", "0,25; 1"])
def test_a_comma_that_may_be_a_decimal_comma_is_refused(text):
    values = read(text, Torus(dims=(4, 4)), "gbs")
    assert isinstance(values, Refusal)
    assert "may be one number or two" in values.message


def test_a_comma_that_may_separate_thousands_is_refused():
    assert isinstance(read("1,024", Percs(), "supernodes"), Refusal)
    assert read("16,32", Percs(), "supernodes") == [16, 32]


def test_lists_choices_and_switches_are_read():
    assert read("4x4, 8 × 2", Torus(dims=(4, 4)), "dims") == [(4, 4), (8, 2)]
    assert read("yes, no", Halo(4, 4), "periodic") == [True, False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "give values such as 1, 2, 4 or 1..20"),
        ("many", "give a whole number"),
        ("1, 2.5", "2.5: give a whole number"),
        ("0..4", "give a whole number from 1"),
        ("1..x", "1..x is not a range; give a range such as 1..20"),
        ("4..1", "step 1 does not lead from 4 to 1"),
        ("1..1000000000", "more than 1,000,000"),
    ],
)
def test_invalid_text_is_refused_with_an_example(text, words):
    values = read(text, Percs(), "d_links")
    assert isinstance(values, Refusal)
    assert words in values.message


@pytest.mark.parametrize(("value", "text"), [(True, "yes"), ((4, 8), "4 × 8"), (0.5, "0.5"), (7, "7"), (None, "")])
def test_value_is_written_as_it_can_be_typed(value, text):
    assert typed(value) == text
