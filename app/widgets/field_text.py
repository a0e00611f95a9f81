"""Descriptions of the values that a declared field accepts, and refusals of others."""

import math
from dataclasses import dataclass

from core.spec import Field
from core.text import figure


@dataclass(frozen=True, slots=True)
class Refusal:
    """Emitted by an editor in place of an invalid value: what would be right."""

    message: str


def expected(field: Field) -> str:
    """Return a description of the values of a field: ``a whole number from 2 to 4,096``."""
    if field.choices:
        return "one of " + ", ".join(map(str, field.choices))
    names = {int: "a whole number", float: "a number", bool: "yes or no", tuple: "numbers such as 8 × 8"}
    words = names.get(field.kind, "text")
    if field.low is not None:
        words += f" {'above' if field.low_excluded else 'from'} {figure(field.low)}"
    if field.high is not None:
        words += f" {'up ' if field.low_excluded or field.low is None else ''}to {figure(field.high)}"
    return f"{words} {field.unit}".rstrip()


def tool_tip(field: Field) -> str:
    """Return the field's help and the description of its values."""
    help_ = field.description[:1].upper() + field.description[1:]
    return f"{help_}.\n{expected(field)[:1].upper()}{expected(field)[1:]}."


def typed_number(text: str, kind: type) -> int | float | None:
    """Return the finite number, int or float, in a text; None if it is none."""
    try:
        number: int | float = kind(text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
