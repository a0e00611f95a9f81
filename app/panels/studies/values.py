"""Values as they are typed: ``1, 2, 4``, ``1..20``, ``0..1 by 0.25``, ``4 × 4, 8 × 8``, ``yes, no``."""

import re
from typing import Any

from app.widgets.editors import numbers_in_list
from app.widgets.field_text import Refusal, ambiguous_comma, expected, number_in_field, typed_number
from app.widgets.forms import with_value
from core.spec import Field, Spec, SpecError, to_plain
from core.sweep.values import Range

BETWEEN = re.compile(r"\s*(\S+?)\s*(?:\.\.+|…|\bto\b)\s*(\S+?)\s*(?:\b(?:by|step)\b\s*(\S+)\s*)?")
YES, NO = ("yes", "true", "on"), ("no", "false", "off")
EMPTY = "give values such as {}"


def read_values(text: str, spec: Spec, field: Field) -> list[Any] | Refusal:
    """Return the values of a field of `spec` listed in a text, as in files, or the valid values."""
    joined = ambiguous_comma(text, _entry_kind(field)) if _entry_kind(field) in (int, float) else None
    if joined is not None:
        return joined
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    if not parts:
        return Refusal(EMPTY.format(example(field)))
    all_values: list[Any] = []
    for part in parts:
        values = _values(part, spec, field)
        if isinstance(values, Refusal):
            named = len(parts) == 1 or values.message.startswith(part)
            return values if named else Refusal(f"{part}: {values.message}")
        all_values += values
    return list({repr(value): value for value in all_values}.values())


def example(field: Field) -> str:
    """Return an example of the text for a field."""
    if field.choices:
        return ", ".join(map(str, field.choices[:3]))
    kinds = {int: "1, 2, 4 or 1..20", float: "0.5, 1, 2 or 0..1 by 0.25", bool: "yes, no", tuple: "4 × 4, 8 × 8"}
    return kinds.get(field.kind, "a, b")


def _values(part: str, spec: Spec, field: Field) -> list[Any] | Refusal:
    between = BETWEEN.fullmatch(part) if field.kind in (int, float) else None
    if between is None:
        value = _value(part, field)
        return value if isinstance(value, Refusal) else _checked([value], spec, field)
    no_range = f"{part} is not a range; give a range such as {example(field).split(' or ')[-1]}"
    ends = [typed_number(text, field.kind, no_range) for text in between.groups(default="1")]
    if any(isinstance(end, Refusal) for end in ends):
        return Refusal(no_range)
    try:
        values = Range(*ends).values(field.name)  # type: ignore[arg-type]
    except SpecError as error:
        return Refusal(error.message)
    # Bounds of a field are intervals: if both ends are valid, all values between are.
    checked = _checked([values[0], values[-1]], spec, field)
    return checked if isinstance(checked, Refusal) else values


def _value(part: str, field: Field) -> Any:
    if field.choices:
        named = {str(choice).replace("-", " "): choice for choice in field.choices}
        return named.get(part.replace("-", " "), Refusal(f"give {expected(field)}"))
    if field.kind is bool:
        return part in YES if part in (*YES, *NO) else Refusal("give yes or no")
    if field.kind is tuple:
        return numbers_in_list(part, field, example(field))
    return number_in_field(part, field) if field.kind in (int, float) else part


def _entry_kind(field: Field) -> type:
    return field.entry.kind if field.entry is not None else field.kind


def _checked(values: list[Any], spec: Spec, field: Field) -> list[Any] | Refusal:
    checked_values = []
    for value in values:
        checked = with_value(spec, field.name, value)
        if isinstance(checked, Refusal):
            return checked
        checked_values.append(to_plain(getattr(checked, field.name)))
    return checked_values


def typed(value: Any) -> str:
    """Return the text to type for a value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return " × ".join(map(typed, value))
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
