"""The registry of figures by name, which is the path in the JSON output of commands, and by older names.

Names of figures of other commands than `evaluate` begin with the command: ``timeline.seconds``. In paths, CLASS stands
for a link class, whose spaces may be written as underscores, and N for a number from 0.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, get_args, get_origin, is_typeddict

from msgspec import UnsetType

from core.figure import Alias, Figure
from core.figures.computing import declared, is_single, parts_of, value_of
from core.figures.evaluation import Evaluation
from core.figures.listed import Value as Value
from core.figures.measured import MeasuredFigures
from core.figures.network import Measures
from core.figures.resilience import Resilience
from core.figures.routes import RouteFigures
from core.figures.searched import SearchFigures
from core.figures.timeline import ShownStep, TimelineFigures
from core.files.atomic import shown as on_one_line
from core.spec import SpecError
from core.timing.step import SHOWN

EVALUATE, METRICS, TIMELINE, OPTIMISE, ROUTES = "evaluate", "metrics", "timeline", "optimise", "routes"
MEASURED, RESILIENCE = "measured", "resilience"
RESULTS: dict[str, type] = {
    EVALUATE: Evaluation,
    METRICS: Measures,
    TIMELINE: TimelineFigures,
    OPTIMISE: SearchFigures,
    ROUTES: RouteFigures,
    MEASURED: MeasuredFigures,
    RESILIENCE: Resilience,
    SHOWN: ShownStep,
}
"""The type of each command's result, and of the figures of the step on the stage."""
CLASS, NUMBER = "CLASS", "N"


class Entry(NamedTuple):
    """A figure of the registry."""

    figure: Figure
    command: str
    """The command that prints the figure, and whose results it needs."""
    single: bool
    """Whether it is a number or a text, rather than a group of figures or a list of texts."""


class Place(NamedTuple):
    """The place of a figure's value."""

    figure: Figure
    """The figure, named by its path without placeholders."""
    command: str
    keys: tuple[str, ...]
    """Keys from the result of the command to the value."""
    alias: Alias | None = None
    """The requested older name."""


@cache
def entries() -> tuple[Entry, ...]:
    """Return all figures by command, in the order in which the command prints them."""
    return tuple(
        Entry(figure, command, is_single(hint))
        for command, kind in RESULTS.items()
        for figure, hint in _walk(kind, "" if command == EVALUATE else f"{command}.")
    )


@cache
def figures() -> dict[str, Entry]:
    """Return the figures that are a number or a text, by name."""
    return {entry.figure.name: entry for entry in entries() if entry.single}


@cache
def aliases() -> dict[str, tuple[str, Alias]]:
    """Return the older names, each with the name of its figure."""
    return {
        alias.name: (figure.name, alias)
        for figure, *_ in entries()
        for alias in figure.also
        if figure.name.startswith(alias.under)
    }


def aliases_of(figure: Figure) -> list[Alias]:
    """Return the older names of a figure."""
    return [alias for alias in figure.also if figure.name.startswith(alias.under)]


def find(name: str) -> Place | None:
    """Return the place of a figure, given its path or an older name, or None if there is no such figure."""
    path, alias = (name, None) if name in figures() else aliases().get(name) or _of_class(name) or (name, None)
    first, dot, rest = path.partition(".")
    command = first if dot and first in RESULTS and first != EVALUATE else EVALUATE
    keys = tuple(re.findall(r"[^.\[\]]+", path if command == EVALUATE else rest))
    figure = _declared_at(RESULTS[command], keys)
    return None if figure is None else Place(replace(figure, name=path), command, keys, alias)


def look_up(place: Place, source: Any) -> Value | None:
    """Return the value of a figure, given the source of its command, or None if it has none here.

    Raises SpecError: naming the path, if it does not lead to a single figure.
    """
    root, _ = declared(RESULTS[place.command])[place.keys[0]]
    value = _plain(value_of(root, source))
    for key in place.keys[1:]:
        value = _plain(_inside(value, key, place.figure.name))
    if value is not None and not isinstance(value, int | float | str):
        raise SpecError(place.figure.name, f"is not a single figure; {_offered(value)}")
    return value if value is None or isinstance(value, str) else _as_named(place.alias, value, source)


def _as_named(alias: Alias | None, value: float, source: Any) -> float:
    if alias is not None and alias.in_volumes:
        return value / float(source.measure.per_volume)
    return value if alias is None or alias.factor == 1 else value * alias.factor


def key_of(name: str) -> str:
    """Return the name of a link class in names of figures: ``level_1`` for "level 1"."""
    return re.sub(r"\W+", "_", name).strip("_")


def _walk(kind: type, path: str) -> Iterator[tuple[Figure, Any]]:
    for name, (figure, hint) in declared(kind).items():
        yield replace(figure, name=f"{path}{name}"), hint
        for step, inner in _kinds_in(hint):
            yield from _walk(inner, f"{path}{name}{step}.")


def _kinds_in(hint: Any) -> Iterator[tuple[str, type]]:
    # The results inside a value, each with its step in paths.
    for part in parts_of(hint):
        origin, inside = get_origin(part), get_args(part)
        if origin is None:
            if _is_result(part):
                yield "", part
        elif issubclass(origin, Mapping):
            yield from ((f".{CLASS}", part) for part in parts_of(inside[1]) if _is_result(part))
        elif issubclass(origin, Sequence):
            yield from ((f"[{NUMBER}]", part) for part in parts_of(inside[0]) if _is_result(part))


def _is_result(part: Any) -> bool:
    return isinstance(part, type) and (bool(_fields(part)) or is_typeddict(part))


def _fields(kind: type) -> tuple[str, ...]:
    return getattr(kind, "__struct_fields__", ()) or tuple(getattr(kind, "__dataclass_fields__", ()))


def _declared_at(kind: type, keys: Sequence[str]) -> Figure | None:
    # The declaration at the end of the keys, or of the last list or mapping whose entries have no declarations.
    if not keys or keys[0] not in declared(kind):
        return None
    (figure, hint), rest = declared(kind)[keys[0]], keys[1:]
    kinds = list(_kinds_in(hint))
    if not rest or not kinds:
        return figure if not rest or not is_single(hint) else None
    step, inner = kinds[0]
    rest = rest[1:] if step else rest
    return _declared_at(inner, rest) if rest else figure


def _of_class(name: str) -> tuple[str, Alias] | None:
    # LR_mean_percent belongs to the class LR, not to LR_mean.
    if not re.fullmatch(r"\w+", name):
        return None
    endings = {name.removeprefix(CLASS): meant for name, meant in aliases().items() if name.startswith(CLASS)}
    for ending in sorted(endings, key=len, reverse=True):
        if name.endswith(ending) and name != ending:
            path, alias = endings[ending]
            return path.replace(CLASS, name.removesuffix(ending)), alias
    return None


def _plain(value: Any) -> Any:
    return None if isinstance(value, UnsetType) else value


def _inside(value: Any, key: str, path: str) -> Any:
    if value is None:
        return None
    members = _members(value)
    spelled = key if key in members else next((name for name in members if key_of(name) == key), None)
    if spelled is None:
        raise SpecError(path, f"no {key}{f'; choices: {on_one_line(_names(value))}' if members else ''}")
    return members[spelled]


def _members(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {str(number): part for number, part in enumerate(value)}
    return {name: getattr(value, name) for name in _fields(type(value))}


def _names(value: Any) -> str:
    if isinstance(value, Sequence):
        return f"0 to {len(value) - 1}"
    return ", ".join(name for name, part in _members(value).items() if not isinstance(part, UnsetType))


def _offered(value: Any) -> str:
    some = f"choose one of its members: {on_one_line(_names(value))}"
    return some if _members(value) else "it is empty here, so remove it"
