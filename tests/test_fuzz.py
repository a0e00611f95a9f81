"""The fuzzer covers every format that is read, and detects errors."""

import pytest

from core.formats import FORMATS
from core.spec import SpecError
from tests.fuzz.__main__ import fuzzed, mutated, outcome
from tests.fuzz.seeds import Family, families

FAMILIES = families()


class Unclean(SpecError):
    """An error whose message is not one printable line."""

    def __str__(self) -> str:
        return "is wrong\nhere"


def test_every_format_that_is_read_has_a_family():
    # Matrices have several families; OTF2 needs an optional package.
    expected_families = {
        f"{form.part} {form.id}" for form in FORMATS if form.reader and form.id not in ("matrix", "otf2")
    }
    expected_families |= {"hosts", "scenario", "tour", "study", "recording", "results"}
    assert expected_families <= set(FAMILIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_valid_file_is_read_and_a_few_mutants_are_read_or_refused(tmp_path, name):
    seen = fuzzed(name, FAMILIES[name], 5, tmp_path)
    assert seen.total() == 5
    assert set(seen) <= {"read", "refused"}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("no"), "traceback"),
        (Unclean("file", "is wrong"), "control characters"),
        (SpecError("file", "is wrong"), "refused"),
        (None, "read"),
    ],
)
def test_errors_other_than_a_one_line_refusal_are_noticed(tmp_path, error, expected):
    def read(path):
        if error is not None:
            raise error

    assert outcome(Family("x", b"x", read), tmp_path / "x") == expected


def test_mutants_are_the_same_on_every_machine():
    import random

    content = FAMILIES["hosts"].content
    first, second = (mutated(content, random.Random("hosts 7")) for _ in range(2))
    assert first == second
