"""What options of the command line say, checked against the declarations: choices, numbers, lists of tasks."""

import difflib
from typing import Any

import msgspec
import numpy as np

from core.files.atomic import shown
from core.job.job import Tasks
from core.spec import Field, Spec, SpecError, fields_of, members, place_in


def chosen(option: str, text: str, union: Any) -> Any:
    """Return the choice that an option names: its tag, and fields behind a colon.

    Raises SpecError: under `option`, listing what is known.
    """
    tag, _, rest = text.partition(":")
    known = {spec.tag(): spec for spec in members(union)}
    if tag not in known:
        close = difflib.get_close_matches(tag, known, 1)
        guess = f"did you mean {close[0]}? " if close else ""
        raise SpecError(option, f"{shown(tag)!r} is not known; {guess}known: {', '.join(known)}")
    fields = {field.name: field for field in fields_of(known[tag])}
    given: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name.replace("-", "_") not in fields:
            right = f"write {_usage(known[tag])}" if fields else f"{tag} has no fields"
            raise SpecError(option, f"{shown(part)!r} is not known; {right}")
        given[name.replace("-", "_")] = value
    return converted(option, known[tag], given)


def converted(option: str, spec: type[Spec], given: dict[str, str]) -> Any:
    """Return the choice whose fields are given as texts; others keep their defaults.

    Raises SpecError: under `option`, saying what the field takes.
    """
    try:
        found = msgspec.convert({"type": spec.tag(), **given}, spec, strict=False)
    except msgspec.ValidationError as error:
        name = place_in(str(error))[1]
        raise _refusal(option, spec, name, given) from error
    for name in given:
        if not np.isfinite(getattr(found, name) if getattr(found, name) is not None else np.nan):
            raise _refusal(option, spec, name, given)
    return found


def _refusal(option: str, spec: type[Spec], name: str, given: dict[str, str]) -> SpecError:
    field = next(field for field in fields_of(spec) if field.name == name)
    where = "" if option == f"--{name}" else f"{name} "
    return SpecError(option, f"{where}must be {wanted(field)}, not {shown(given[name])!r}")


def offered(union: Any) -> str:
    """Return every choice of a union with its fields, for the help."""
    return "; ".join(_usage(spec) for spec in members(union))


def _usage(spec: type[Spec]) -> str:
    fields = ",".join(f"{field.name}={_plain(field.default)}" for field in fields_of(spec))
    return f"{spec.tag()}:{fields}" if fields else spec.tag()


def wanted(field: Field) -> str:
    """Return what a value has to be: of a number kind, bounds, unit."""
    if field.kind is bool:
        return "true or false"
    words = "a whole number" if field.kind is int else "a number"
    if field.low is not None:
        words += f" above {_plain(field.low)}" if field.low_excluded else f" from {_plain(field.low)} on"
    if field.high is not None:
        words = f"{words.removesuffix(' on')} to {_plain(field.high)}"
    return f"{words} {field.unit}".rstrip()


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def pinned(text: str, tasks: int) -> Tasks:
    """Return the tasks that ``0-63,128`` names, each once, ascending.

    Raises SpecError: if one does not exist, or this is no such list.
    """
    found = [np.zeros(0, np.int32)]
    for part in filter(None, (word.strip() for word in text.split(","))):
        first, dash, last = (end.strip() for end in part.partition("-"))
        if not all(end.isascii() and end.isdigit() for end in ([first, last] if dash else [first])):
            raise SpecError("--pin", f"{shown(part)!r} is no task and no range of tasks; write 0-63,128")
        low, high = _number(first), _number(last if dash else first)
        if not low <= high < tasks:
            raise SpecError("--pin", f"{shown(part)!r}: tasks are 0 to {tasks - 1}, and a range begins with its first")
        found.append(np.arange(low, high + 1, dtype=np.int32))
    return np.unique(np.concatenate(found)).astype(np.int32)


def _number(digits: str) -> int:
    # Ten digits are beyond every task; thousands of them Python would refuse.
    return int(digits.lstrip("0")[:10] or "0")
