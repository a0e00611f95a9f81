"""Figures as text: their units, and the list of declared figures."""

from typing import Annotated

import pytest
from msgspec import UNSET, Struct, UnsetType

from app.wording.figures import NO_VALUE, listed_lines, listed_rows, value_text
from core.figure import RATE, VOLUME, Figure
from core.job.measure import MEASURES, UNITS


class Result(Struct):
    """A result with a figure of each kind."""

    placed: Annotated[int, Figure("Placed", "", "said elsewhere", lambda source: 1, placed=True)]
    count: Annotated[int, Figure("Count", "", "how many", lambda source: 1234)]
    share: Annotated[float, Figure("Share", "%", "how much of it", lambda source: 12.5)]
    several: Annotated[list[int], Figure("Several", "", "no single figure", lambda source: [1])]
    unknown: Annotated[float | None, Figure("Unknown", "", "not known", lambda source: None)]
    absent: Annotated[float | UnsetType, Figure("Absent", "", "not here", lambda source: UNSET)] = UNSET


def test_figures_with_a_value_that_are_not_shown_elsewhere_are_listed():
    assert listed_rows(None, UNITS, Result) == [("Count", "1,234", "how many"), ("Share", "12.5 %", "how much of it")]
    assert list(listed_lines(None, UNITS, Result)) == ["", "Count  1,234   how many", "Share  12.5 %  how much of it"]


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        (RATE, 64.0, "64.0 GB/s per node"), (VOLUME, 0.3125, "0.3125 MB"), ("s", 0.0625, "62.5 ms"), ("", "LR", "LR"),
        ("hops", 2.0, "2 hops"), ("", None, NO_VALUE), ("%", 100.0, "100 %"), ("", 1.03125, "1.0312"),
    ],
)  # fmt: skip
def test_value_has_a_unit(unit, value, text):
    assert value_text(Figure("Title", unit, "meaning"), value, MEASURES["MB"]) == text
