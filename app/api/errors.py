"""Errors of the Python interface name arguments as Python spells them."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.spec import SpecError

ARGUMENTS = {"--pin": "pinned", "--curve": "length", "FILE": "scenario", "NETWORK": "network"}
"""Arguments by their command-line names; other names only lose their two hyphens."""
INSIST = "patient=True"
"""The argument that allows long work, as named in errors."""


@contextmanager
def arguments_named() -> Iterator[None]:
    """Name arguments by their Python names in errors of the block."""
    try:
        yield
    except SpecError as error:
        name, colon, rest = error.field.partition(":")
        raise SpecError(ARGUMENTS.get(name, name.removeprefix("--")) + colon + rest, error.message) from error


def integer(name: str, value: int, low: int, high: int | None = None) -> int:
    """Return a whole number in a range.

    Raises SpecError: if it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < low or (high is not None and value > high):
        raise SpecError(name, f"must be a whole number from {low:,}" + ("" if high is None else f" to {high:,}"))
    return value
