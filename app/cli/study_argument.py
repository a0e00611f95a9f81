"""The study argument of a command: a file, the name of a built-in study, or a scenario whose fields are varied."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.cli.scenario_argument import CHOICES, is_file, parsed_choices, scenario_named
from app.storage.studies import builtin_study, study_names
from core.files import encode
from core.files.atomic import shown
from core.spec import SpecError
from core.sweep.study import SUFFIX, Study, decode_study, read_study
from core.text import known_names

STUDY_HELP = f"study file ({SUFFIX}), name of a built-in study, or - for standard input"
RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
MEASURES = "throughput_gbs,bottleneck"
"""The figures measured by default."""


def study_given(path: Path, vary: Sequence[str], measure: str | None) -> Study:
    """Return the study in a file or with a name, or the variations of a scenario.

    Raises SpecError: naming the error.
    """
    if vary:
        return _varied(path, vary, measure or MEASURES)
    if measure is not None:
        raise SpecError("--measure", "requires --vary; a study file lists its own measures")
    if is_file(path):
        return read_study(path)
    name, names = str(path), study_names()
    if name not in names:
        raise SpecError("FILE", f"no such file or study: {shown(name)!r}; {known_names(name, names, 'studies')}")
    return builtin_study(name)


def _varied(path: Path, vary: Sequence[str], measure: str) -> Study:
    scenario = scenario_named(path)
    base: dict[str, Any] = msgspec.json.decode(encode(scenario))
    base.pop("fabriscope")
    values: dict[str, Any] = {}
    for text in vary:
        name, given = _variation(text)
        if name in values:
            raise SpecError("--vary", f"{shown(name)} is given twice; give all its values in one list")
        values[name] = given
    file = {"fabriscope_study": 1, "base": base, "vary": values, "measure": _items(measure)}
    return decode_study(msgspec.json.encode(file), scenario.folder)


def _variation(text: str) -> tuple[str, Any]:
    name, equals, given = text.partition("=")
    if not (name.strip() and equals and given.strip()):
        raise SpecError("--vary", f"{shown(text)!r} is not a field and its values, such as network.d_links=1,2,4")
    if name.strip() in CHOICES:
        return name.strip(), [_choice(name.strip(), item.strip()) for item in given.split(";")]
    limits = RANGE.fullmatch(given.strip())
    if limits is not None:
        return name.strip(), {"from": int(limits[1]), "to": int(limits[2])}
    return name.strip(), [_value(item) for item in _items(given)]


def _choice(name: str, text: str) -> Any:
    try:
        return msgspec.to_builtins(parsed_choices({name: text})[name])
    except SpecError as error:
        raise SpecError("--vary", f"{name}: {error.message}") from error


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _value(text: str) -> Any:
    # Numbers, true, false and null as in JSON; everything else is a text.
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
