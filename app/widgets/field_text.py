"""Descriptions of the values that a declared field accepts, and refusals of others."""

import math
import re
from dataclasses import dataclass

from core.spec import Field
from core.text import figure

PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
"""A number with a decimal point, or none."""
DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
"""A number with a decimal comma."""
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
"""A number with thousands separators."""
AMBIGUOUS = re.compile(r"[^,.]+,\d{3}")
"""A number with a single comma, which may be a decimal comma or a thousands separator."""
WHOLE_JOINED, REAL_JOINED = re.compile(r"\d+,\d{3}(?!\d)"), re.compile(r"\d+,\d+")
"""Parts of a list that may be one number or two."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Emitted by an editor instead of an invalid value; describes valid values."""

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
    return f"{words} {field.unit}".rstrip() + (f", or 0 for {field.zero}" if field.zero else "")


def number_field(title: str, low: int, high: int, *, optional: bool = False) -> Field:
    """Return the declaration of a whole number that belongs to no spec."""
    return Field(
        name=title,
        kind=int,
        title=title,
        unit="",
        description="",
        default=None if optional else low,
        required=False,
        low=low,
        high=high,
        choices=(),
        optional=optional,
        low_excluded=False,
        max_length=None,
        is_file=False,
    )


def tool_tip(field: Field) -> str:
    """Return the field's help and the description of its values."""
    help_ = field.description[:1].upper() + field.description[1:]
    return f"{help_}.\n{expected(field)[:1].upper()}{expected(field)[1:]}."


def typed_number(text: str, kind: type, otherwise: str) -> int | float | Refusal:
    """Return the finite number, int or float, in a text; if there is none, a refusal that says `otherwise`.

    The rule is the same in every locale. A point is the decimal point. In a real number a single comma is one too, as
    on many keypads: ``0,5`` is 0.5. Commas before each group of three digits are thousands separators, as the program
    writes them: ``1,048,576``. A real number such as ``1,024`` could be either, and is refused.
    """
    text = text.strip()
    if GROUPED.fullmatch(text):
        if kind is float and AMBIGUOUS.fullmatch(text):
            return Refusal(f"{text} is ambiguous: write {text.replace(',', '')} or {text.replace(',', '.')}")
        text = text.replace(",", "")
    elif kind is float and DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    elif not PLAIN.fullmatch(text):
        return Refusal(otherwise)
    try:
        number: int | float = kind(text)
    except ValueError:  # a fraction where a whole number is expected, or thousands of digits
        return Refusal(otherwise)
    return number if math.isfinite(number) else Refusal(otherwise)


def ambiguous_comma(text: str, kind: type) -> Refusal | None:
    """Return why a list of numbers, int or float, cannot be split at its commas, or None if it can.

    A comma without a space may be part of a number: ``0,5`` in a list of real numbers, ``1,024`` in any list.
    """
    joined = (REAL_JOINED if kind is float else WHOLE_JOINED).search(text)
    if joined is None:
        return None
    return Refusal(f"{joined[0]} may be one number or two: write {joined[0].replace(',', ', ')}, or omit the comma")


def number_in_field(text: str, field: Field) -> int | float | Refusal:
    """Return the number typed for a field, perhaps with its unit, or as the word for 0; a refusal states the bound."""
    plain = text.strip()
    if field.zero and plain.lower() == field.zero:
        return 0
    plain = plain.removesuffix(field.unit) if field.unit else plain
    number = typed_number(plain, field.kind, f"give {expected(field)}")
    return Refusal(bound) if not isinstance(number, Refusal) and (bound := bound_passed(number, field)) else number


def bound_passed(number: int | float, field: Field) -> str:
    """Return the bound of a field that a number violates: ``must be at most 4,096``; empty if none."""
    low, high = field.low, field.high
    if low is not None and (number < low or (field.low_excluded and number == low)):
        return f"must be {'above' if field.low_excluded else 'at least'} {figure(low)} {field.unit}".rstrip()
    return f"must be at most {figure(high)} {field.unit}".rstrip() if high is not None and number > high else ""
