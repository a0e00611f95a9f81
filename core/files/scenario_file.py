"""Scenario files: JSON, version 1. Every refusal is one line that names the field and says what is right."""

import difflib
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from core.job import AnyJob
from core.load.scenario import Scenario
from core.mapping import AnyMapping
from core.network import AnyNetwork
from core.routing import AnyRouting
from core.spec import Field, Spec, SpecError, fields_of, members

SUFFIX = ".fabriscope.json"
VERSION = 1
MAX_BYTES = 32 << 20
UNIONS: dict[str, Any] = {"network": AnyNetwork, "job": AnyJob, "mapping": AnyMapping, "routing": AnyRouting}


class ScenarioFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The file as it stands on disk."""

    fabriscope: Literal[1]
    network: AnyNetwork
    job: AnyJob
    mapping: AnyMapping
    routing: AnyRouting
    note: Annotated[str, Meta(max_length=1_000_000)] = ""


def read_scenario(path: Path) -> Scenario:
    """Return the scenario in a file.

    Raises SpecError: naming the field that is wrong, or ``file`` if there is no scenario to read.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError("file", f"{_shown(str(path))} cannot be read: {reason}") from error
    return decode(content, path.parent)


def decode(content: bytes, folder: Path | None = None) -> Scenario:
    """Return the scenario in the bytes of a file; files it names lie in `folder`.

    Raises SpecError: naming the field that is wrong and what is right.
    """
    if len(content) > MAX_BYTES:
        raise SpecError("file", f"is larger than {MAX_BYTES >> 20} MiB; no scenario is")
    try:
        raw = msgspec.json.decode(content, type=ScenarioFile)
    except msgspec.ValidationError as error:
        raise _explained(str(error), content) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SpecError("file", f"is no scenario: {_reason(error)}") from error
    return Scenario(raw.network, raw.job, raw.mapping, raw.routing, raw.note, folder)


def encode(scenario: Scenario) -> bytes:
    """Return the file's bytes; every field of the four choices is written, but those left out on purpose (None)."""
    raw: dict[str, Any] = {"fabriscope": VERSION}
    for name in UNIONS:
        choice = msgspec.to_builtins(getattr(scenario, name))
        raw[name] = {key: value for key, value in choice.items() if value is not None}
    if scenario.note:
        raw["note"] = scenario.note
    return _folded(msgspec.json.format(msgspec.json.encode(raw), indent=2)) + b"\n"


def write_scenario(path: Path, scenario: Scenario) -> None:
    """Write a scenario file; the old one stays whole until the new one is complete.

    Raises SpecError: if the file cannot be written.
    """
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(encode(scenario))
        os.replace(part, path)
    except OSError as error:
        raise SpecError("file", f"{_shown(str(path))} cannot be written: {error.strerror or error}") from error


def _folded(text: bytes) -> bytes:
    # One line for each list of numbers: 4,096 slots on 4,096 lines help nobody.
    return re.sub(rb"\[[\s\d.,eE+\-]*\]", lambda found: b" ".join(found.group().split()), text)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return _shown(str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__)


def _explained(message: str, content: bytes) -> SpecError:
    # msgspec says: "Expected `int`, got `str` - at `$.network.supernodes`".
    problem, _, path = message.partition(" - at `")
    path = re.sub(r"^\$\.?", "", path.rstrip("`"))
    field = path.replace("[...]", "") or "file"
    section = field.split(".")[0]
    missing = re.search(r"missing required field `(.*?)`", problem)
    unknown = re.search(r"contains unknown field `(.*)`", problem, re.DOTALL)
    if missing:
        where = _joined(path, missing.group(1))
        return SpecError(where, f"is missing{_hint(where, content)}")
    if unknown:
        known = _known_fields(path, content)
        return SpecError(_joined(path, _shown(unknown.group(1))), f"is not a known field; known: {', '.join(known)}")
    if field.endswith(".type") and section in UNIONS:
        return SpecError(field, _unknown_type(problem, section))
    if field == "fabriscope":
        return SpecError(field, f"must be {VERSION}, the version this program reads; {_lower(problem)}")
    return SpecError(_shown(field), _lower(problem) + _hint(field, content))


def _unknown_type(problem: str, section: str) -> str:
    known = [spec.tag() for spec in members(UNIONS[section])]
    value = re.search(r"Invalid value '(.*)'", problem, re.DOTALL)
    if value is None:
        return f"must be text, one of: {', '.join(known)}"
    close = difflib.get_close_matches(value.group(1), known, 1)
    guess = f"did you mean {close[0]}? " if close else ""
    return f"{_shown(value.group(1))!r} is not known; {guess}known: {', '.join(known)}"


def _hint(field: str, content: bytes) -> str:
    if field in UNIONS:
        return f"; an object with a type, one of: {', '.join(spec.tag() for spec in members(UNIONS[field]))}"
    section, _, name = field.partition(".")
    if name == "type" and section in UNIONS:
        return f"; one of: {', '.join(spec.tag() for spec in members(UNIONS[section]))}"
    if section == "fabriscope":
        return f"; a scenario file begins with the version, {VERSION}"
    declared = next((f for f in _fields(section, content) if f.name == name.split("[")[0]), None)
    return f"; {describe(declared)}" if declared else ""


def describe(field: Field) -> str:
    """Return what a field takes, in words: title, bounds, unit, choices."""
    if field.choices:
        return f"{field.title}: one of {', '.join(map(str, field.choices))}"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "text", tuple: "a list"}
    words = names.get(field.kind, "a value")
    if field.low is not None:
        words += f" from {field.low:g}" if field.high is not None else f", at least {field.low:g}"
    if field.high is not None:
        words += f" to {field.high:g}" if field.low is not None else f", at most {field.high:g}"
    return f"{field.description}: {words}{' ' + field.unit if field.unit else ''}"


def _known_fields(path: str, content: bytes) -> list[str]:
    if not path:
        return list(ScenarioFile.__struct_fields__)
    return ["type", *(field.name for field in _fields(path, content))]


def _fields(section: str, content: bytes) -> tuple[Field, ...]:
    # Which family the broken section meant: its type is still readable.
    if section not in UNIONS:
        return ()
    try:
        raw = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return ()
    tag = raw.get(section, {}).get("type") if isinstance(raw.get(section), dict) else None
    found: list[type[Spec]] = [spec for spec in members(UNIONS[section]) if spec.tag() == tag]
    return fields_of(found[0]) if found else ()


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _lower(text: str) -> str:
    text = text.replace("`", "").strip()
    return _shown(text[:1].lower() + text[1:])


def _shown(text: str) -> str:
    # One line of printable text, however hostile the input.
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= 200 else clean[:197] + "..."
