"""Computes what the fields of a result are declared to be, from the source that the declarations take."""

from dataclasses import replace
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from core.figure import Figure


@cache
def declared(kind: type) -> dict[str, tuple[Figure, Any]]:
    """Return the figures of a result type, by field, each with the type of its values.

    Raises TypeError: naming a field that declares none.
    """
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        figures = (
            [one for one in get_args(hint)[1:] if isinstance(one, Figure)] if get_origin(hint) is Annotated else []
        )
        if not figures:
            raise TypeError(f"{kind.__name__}.{name} declares no figure")
        found[name] = replace(figures[0], name=name), get_args(hint)[0]
    return found


def computed(kind: type, source: Any) -> dict[str, Any]:
    """Return the values of all fields of a result."""
    return {name: value_of(figure, source) for name, (figure, _) in declared(kind).items()}


def value_of(figure: Figure, source: Any) -> Any:
    """Return the value of a field, given what it is computed from."""
    return getattr(source, figure.name) if figure.of is None else figure.of(source)
