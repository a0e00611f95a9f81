"""Computes the fields of a result from a source, as declared."""

from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import UnsetType

from core.figure import Figure

SINGLE = (int, float, str, bool, type(None), UnsetType)


@cache
def declared(kind: type) -> dict[str, tuple[Figure, Any]]:
    """Return the figures of a result type by field, with the type of their values.

    Raises TypeError: naming a field without a declared figure.
    """
    figures: dict[str, tuple[Figure, Any]] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        values, *more = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        figure = next((part for part in more if isinstance(part, Figure)), None)
        if figure is None:
            raise TypeError(f"{kind.__name__}.{name} has no declared figure")
        figures[name] = replace(figure, name=name), values
    return figures


def computed(kind: type, source: Any) -> dict[str, Any]:
    """Return the values of all fields of a result."""
    return {name: value_of(figure, source) for name, (figure, _) in declared(kind).items()}


def value_of(figure: Figure, source: Any) -> Any:
    """Return the value of a field, given its source."""
    return getattr(source, figure.name) if figure.of is None else figure.of(source)


def is_single(hint: Any) -> bool:
    """Return whether all values of a type are numbers, texts or missing."""
    return all(part in SINGLE for part in parts_of(hint))


def parts_of(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
