"""Parsing of command line arguments: choices with their fields, and lists of tasks.

In ``circulant:nodes=64,jumps=1,2,4`` and ``torus:dims=8x8x8,gbs=5`` a word without ``=`` continues the list before it.
The name of a machine stands for its family and fields: ``Frontier`` or ``Frontier:slots_per_node=14``.
"""

import os
import re
from math import isfinite
from typing import Any

import msgspec
import numpy as np

from app.wording.reference import spelled
from core.files.atomic import shown
from core.files.scenario_file import values_text
from core.job.job import Tasks
from core.spec import Field, Spec, SpecError, fields_of, is_shipped, members, place_in, read_hook
from core.text import known_names


def parse_choice(option: str, text: str, union: Any) -> Any:
    """Return the choice for ``tag:field=value,...``; omitted fields keep their defaults.

    Raises SpecError: under `option`, with the known choices or the valid values of a field.
    """
    tag = text.partition(":")[0]
    named = _named(text, union)
    if named is None:
        raise SpecError(option, f"{shown(tag)!r} is not known; {known_choices(tag, union)}")
    spec, preset, rest = named
    plain = preset | _given_fields(option, rest, spec, spec.tag())
    return parse_fields(option if len(members(union)) == 1 else f"{option}: {tag}", spec, plain)


def parse_spec(option: str, text: str, spec: type[Spec]) -> Any:
    """Return the spec without a tag for ``field=value,...``; omitted fields keep their defaults.

    Raises SpecError: under `option`, with the valid values of a field.
    """
    return parse_fields(option, spec, _given_fields(option, text, spec, option.removeprefix("--")))


def _given_fields(option: str, text: str, spec: type[Spec], owner: str) -> dict[str, Any]:
    """Return the values in ``field=value,...``, as texts or lists of texts."""
    fields = {field.name: field for field in fields_of(spec)}
    given: dict[str, list[str]] = {}
    for part in filter(None, (word.strip() for word in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals and given:
            given[list(given)[-1]].append(name)
        elif equals and name.replace("-", "_") in given:
            raise SpecError(option, f"{shown(name)} is given twice")
        elif equals and name.replace("-", "_") in fields:
            given[name.replace("-", "_")] = [value]
        else:
            raise SpecError(option, f"{owner} has no field {shown(name)!r}; {_field_names(spec)}")
    return {name: _plain(fields[name], values) for name, values in given.items()}


def is_choice(text: str, union: Any) -> bool:
    """Return whether a text begins with the tag of a choice or the name of a machine."""
    return _named(text, union) is not None


def _named(text: str, union: Any) -> tuple[type[Spec], dict[str, Any], str] | None:
    """Return the choice named in a text, the fields of the named machine, and the text of the other fields."""
    tag, _, rest = text.partition(":")
    for spec in members(union):
        if spec.tag() == tag:
            return spec, {}, rest
    for spec in members(union):
        for name in spec.preset_notes:
            if f"{text}:".lower().startswith(f"{name}:".lower()):
                return spec, spec.presets[name], text[len(name) + 1 :]
    return None


def known_choices(name: str, union: Any) -> str:
    """Return alternatives to an unknown choice: all tags, and all machines whose names have no comma or colon."""
    tags = [spec.tag() for spec in members(union)]
    machines = [machine for spec in members(union) for machine in spec.preset_notes if not set(machine) & set(",:")]
    return known_names(name, [*tags, *machines])


def parse_fields(option: str, spec: type[Spec], given: dict[str, Any]) -> Any:
    """Return a choice with fields given as texts or lists of texts; other fields keep their defaults.

    Raises SpecError: under `option`, with the valid values of the field.
    """
    fields = {field.name: field for field in fields_of(spec)}
    try:
        tagged = given if spec.__struct_config__.tag is None else {"type": spec.tag(), **given}
        choice = msgspec.convert(tagged, spec, strict=False, dec_hook=read_hook)
    except msgspec.ValidationError as error:
        problem, place = place_in(str(error))
        name = place.partition("[")[0]
        if name not in fields:
            raise SpecError(option, f"{problem.replace('`', '')}; {_field_names(spec)}") from error
        raise _value_error(option, fields[name], given[name]) from error
    for name, value in given.items():
        number = getattr(choice, name)
        if isinstance(number, float) and not isfinite(number):
            raise _value_error(option, fields[name], value)
    return choice


def _plain(field: Field, values: list[str]) -> Any:
    if field.is_file:  # unlike a file named in a scenario, it may be in any folder
        return _absolute(",".join(values))
    if field.entry is not None and field.entry.is_file:
        return list(map(_absolute, values))
    if field.kind is str and not field.choices:  # a host list
        return ",".join(values)
    # 8x8x8 means 8,8,8.
    if field.kind is tuple and len(values) == 1 and re.fullmatch(r"\d+(x\d+)*", values[0]):
        values = values[0].split("x")
    if field.kind is tuple or len(values) > 1:
        return [int(value) if value.isascii() and value.isdigit() and len(value) < 20 else value for value in values]
    return values[0]


def _absolute(name: str) -> str:
    return name if is_shipped(name) else os.path.abspath(name)


def _value_error(option: str, field: Field, value: Any) -> SpecError:
    given_text = ",".join(map(str, value)) if isinstance(value, list) else value
    where = "" if option == f"--{field.name}" else f"{field.name} "
    return SpecError(option, f"{where}must be {values_text(field)}, not {shown(given_text)!r}")


def _field_names(spec: type[Spec]) -> str:
    names = ", ".join(field.name for field in fields_of(spec))
    return f"fields: {names}" if names else "it has no fields"


def choices_help(union: Any) -> str:
    """Return every choice of a union with its fields and their defaults, for the help of an option."""
    return "; ".join(map(spelled, members(union)))


def parse_tasks(text: str, tasks: int) -> Tasks:
    """Return the tasks in ``0-63,128``, each once, ascending.

    Raises SpecError: if a task does not exist, or the text is not such a list.
    """
    ranges = [np.zeros(0, np.int32)]
    for part in filter(None, (word.strip() for word in text.split(","))):
        first, dash, last = (end.strip() for end in part.partition("-"))
        if not all(end.isascii() and end.isdigit() for end in ([first, last] if dash else [first])):
            raise SpecError("--pin", f"{shown(part)!r} is not a task or a range of tasks, such as 0-63,128")
        low, high = _number(first), _number(last if dash else first)
        if low > high:
            raise SpecError("--pin", f"{shown(part)!r} is not in ascending order")
        if high >= tasks:
            raise SpecError("--pin", f"{shown(part)!r} is out of range; tasks: 0 to {tasks - 1:,}")
        ranges.append(np.arange(low, high + 1, dtype=np.int32))
    return np.unique(np.concatenate(ranges)).astype(np.int32)


def _number(digits: str) -> int:
    # Ten digits exceed every task number, and Python refuses to convert thousands of them.
    return int(digits.lstrip("0")[:10] or "0")
