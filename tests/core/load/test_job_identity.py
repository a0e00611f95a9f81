"""Names and colours of jobs: given ones are kept, the others are chosen around them."""

import pytest

from core.job import Halo, Pencils
from core.load.job_identity import job_colours, job_names, named_by_pattern

HALO = Halo.title


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["", "", ""], [HALO, f"{HALO} 2", f"{HALO} 3"]),
        (["", HALO, ""], [f"{HALO} 2", HALO, f"{HALO} 3"]),
        ([f"{HALO} 2", "", ""], [f"{HALO} 2", HALO, f"{HALO} 3"]),
        (["A", "A", "B"], ["A", "A 2", "B"]),
    ],
)
def test_names_are_unique_and_given_ones_come_first(given, names):
    assert job_names([(name, Halo()) for name in given]) == tuple(names)


@pytest.mark.parametrize(
    ("given", "colours"),
    [([0, 0, 0], [1, 2, 3]), ([3, 0, 1], [3, 2, 1]), ([2, 2, 0], [2, 1, 3]), ([0, 1, 0], [2, 1, 3])],
)
def test_colours_differ_and_given_ones_come_first(given, colours):
    assert job_colours(given) == tuple(colours)


def test_names_of_patterns_are_recognised():
    assert [named_by_pattern(name, Halo()) for name in ("", HALO, f"{HALO} 12")] == [True] * 3
    assert [named_by_pattern(name, Halo()) for name in ("A", f"{HALO} A", Pencils.title)] == [False] * 3
