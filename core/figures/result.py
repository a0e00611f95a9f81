"""How results look in Python: documented fields, a short representation, and a table in notebooks."""

from dataclasses import fields, is_dataclass
from html import escape
from inspect import get_annotations
from typing import Any, get_args

from msgspec import UNSET, Struct

from core.figure import Figure
from core.text import figure as significant

SHOWN = 6
"""Figures in a short representation."""
MEMBERS = "\n\nAttributes\n----------"
"""Heading of the fields in the documentation of a result."""
LONGEST = 60
"""Longest text in a short representation, in characters."""


class Result:
    """Base class of results, whose fields are declared as figures."""

    def __init_subclass__(cls) -> None:
        """Append the fields, with their units and meanings, to the documentation of a result."""
        lines = [line for name, hint in get_annotations(cls).items() for line in _lines(name, hint)]
        if lines:
            cls.__doc__ = "\n".join([(cls.__doc__ or cls.__name__).rstrip() + MEMBERS, *lines])

    def __repr__(self) -> str:
        """Return the first figures of the result."""
        values = _values(self)
        parts = [f"{name}={_short(value)}" for name, value in values if isinstance(value, str | int | float)][:SHOWN]
        return f"{type(self).__name__}({', '.join(parts + ['...'] * (len(parts) < len(values)))})"

    def _repr_html_(self) -> str:
        """Return a table of all single figures with their units, for notebooks."""
        figures = figures_in(type(self))
        rows = [_row(figures.get(name), name, value) for name, value in _values(self) if _is_single(value)]
        return f"<table><caption>{type(self).__name__}</caption><tbody>{''.join(rows)}</tbody></table>"


def _values(result: Result) -> list[tuple[str, Any]]:
    names = result.__struct_fields__ if isinstance(result, Struct) else ()
    if is_dataclass(result):
        names = tuple(field.name for field in fields(result))
    return [(name, getattr(result, name)) for name in names if getattr(result, name) is not UNSET]


def _is_single(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _short(value: str | float) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}...")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def figures_in(kind: type) -> dict[str, Figure]:
    """Return the declared figures of a result by field."""
    hints = [item for base in reversed(kind.__mro__) for item in get_annotations(base).items()]
    return {name: declared for name, hint in hints if (declared := _figure(hint)) is not None}


def _figure(hint: Any) -> Figure | None:
    return next((part for part in get_args(hint)[1:] if isinstance(part, Figure)), None)


def _lines(name: str, hint: Any) -> list[str]:
    declared = _figure(hint)
    if declared is None:
        return []
    meaning = f"    {declared.meaning[0].upper()}{declared.meaning[1:]}."
    return [f"{name} : {declared.unit}" if declared.unit else name, meaning]


def _row(declared: Figure | None, name: str, value: Any) -> str:
    title, unit = (name, "") if declared is None else (declared.title, declared.unit)
    text = "-" if value is None else significant(value) if isinstance(value, float) else str(value)
    return f"<tr><th>{escape(title)}</th><td>{escape(text)}</td><td>{escape(unit)}</td></tr>"
