"""Values as they are typed: ``1, 2, 4``, ``1..20``, ``0..1 by 0.25``, ``4 × 4, 8 × 8``, ``yes, no``."""

import re
from typing import Any

from app.widgets.editors import SEPARATORS
from app.widgets.field_text import Refusal, expected, typed_number
from app.widgets.forms import with_value
from core.spec import Field, Spec, SpecError, to_plain
from core.study.sweep.values import Range

BETWEEN = re.compile(r"\s*(\S+?)\s*(?:\.\.+|…|\bto\b)\s*(\S+?)\s*(?:\b(?:by|step)\b\s*(\S+)\s*)?")
YES, NO = ("yes", "true", "on"), ("no", "false", "off")
EMPTY = "give values, such as {}"


def read_values(text: str, spec: Spec, field: Field) -> list[Any] | Refusal:
    """Return the values of a field of `spec` listed in a text, as files have them, or what would be right."""
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    if not parts:
        return Refusal(EMPTY.format(example(field)))
    found: list[Any] = []
    for part in parts:
        values = _values(part, spec, field)
        if isinstance(values, Refusal):
            return values
        found += values
    return list({repr(value): value for value in found}.values())


def example(field: Field) -> str:
    """Return an example of what may be typed for a field."""
    if field.choices:
        return ", ".join(map(str, field.choices[:3]))
    kinds = {int: "1, 2, 4 or 1..20", float: "0.5, 1, 2 or 0..1 by 0.25", bool: "yes, no", tuple: "4 × 4, 8 × 8"}
    return kinds.get(field.kind, "a, b")


def _values(part: str, spec: Spec, field: Field) -> list[Any] | Refusal:
    between = BETWEEN.fullmatch(part) if field.kind in (int, float) else None
    if between is None:
        value = _value(part, field)
        return value if isinstance(value, Refusal) else _checked([value], spec, field)
    ends = [None if text is None else typed_number(text, field.kind) for text in between.groups(default="1")]
    if None in ends:
        return Refusal(f"{part} is no range; write one such as {example(field).split(' or ')[-1]}")
    try:
        values = Range(*ends).values(field.name)  # type: ignore[arg-type]
    except SpecError as error:
        return Refusal(error.message)
    # Bounds of a field are intervals: if both ends are valid, all between are.
    checked = _checked([values[0], values[-1]], spec, field)
    return checked if isinstance(checked, Refusal) else values


def _value(part: str, field: Field) -> Any:
    if field.choices:
        named = {str(choice).replace("-", " "): choice for choice in field.choices}
        return named.get(part.replace("-", " "), Refusal(f"give {expected(field)}"))
    if field.kind is bool:
        return part in YES if part in (*YES, *NO) else Refusal("give yes, no")
    if field.kind is tuple:
        numbers = [typed_number(one, int if one.isdigit() else float) for one in SEPARATORS.split(part) if one]
        return Refusal(f"give numbers such as {example(field)}") if None in numbers else tuple(numbers)
    if field.kind in (int, float):
        number = typed_number(part, field.kind)
        return Refusal(f"give {expected(field)}") if number is None else number
    return part


def _checked(values: list[Any], spec: Spec, field: Field) -> list[Any] | Refusal:
    found = []
    for value in values:
        checked = with_value(spec, field.name, value)
        if isinstance(checked, Refusal):
            return checked
        found.append(to_plain(getattr(checked, field.name)))
    return found


def typed(value: Any) -> str:
    """Return the text to type for a value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return " × ".join(map(typed, value))
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
