"""Scenario files: JSON, version 1. Every error is a single line that names the field and its valid values."""

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from core.counters.measured import Measured
from core.filekind import BINARY, JSON, OTHERS, OURS, START, kind_of
from core.files.atomic import STANDARD, shown, standard_input, write_atomically
from core.files.json_file import MAX_BYTES as MAX_BYTES
from core.files.json_file import Read, decoded, plain_of, reason_of, without_controls
from core.formats import by_text_inside, recognised
from core.job import AnyJob
from core.load.job_identity import JobColour, JobName
from core.load.link_load import LinkLoad
from core.load.neighbours import Neighbour, place_of
from core.load.scenario import UNIONS, Scenario, Snapshot
from core.load.snapshots import Name, checked
from core.mapping import AnyMapping
from core.mapping.allocation import NODES, NodeList
from core.network import AddedCable, AnyFault, AnyNetwork, NetworkSpec
from core.network.hosts import Cores, Hosts
from core.routing import AnyRouting
from core.spec import (
    Field,
    Spec,
    SpecError,
    fields_of,
    files_in,
    members,
    outside_folder,
    place_in,
    to_plain,
    with_parts,
)
from core.text import figure, known_names
from core.timing import AnyTiming

SUFFIX = ".fabriscope.json"
VERSION = 1
Rename = Callable[[str, str], str]
"""Takes the place and the name of a file, and returns the name to write."""
FAMILIES: dict[str, Any] = {**UNIONS, "timing": AnyTiming, "faults": AnyFault}
"""Unions of specs by section; `faults` is a list of any length."""
PLACES: dict[str, Any] = {
    "cables": (), "hosts": None, "cores": 0, "allocation": "", "down": (), "job_name": "", "job_colour": 0,
    "neighbours": (), "background": (), "measured": None,
}  # fmt: skip
"""Fields about added cables, nodes, the jobs on them and measurements, with their defaults."""
FREE_COLOUR = "(default: the first free colour)"
HINTS = {
    "cables": "list of cables added to the network: objects with src, dst and perhaps gbs",
    "hosts": 'names of all hosts in order, such as n[0001-1024], or {"file": "hosts.txt"}',
    "cores": "slots per socket of a host, a whole number from 1",
    "allocation": f"nodes of this job: {NODES}",
    "down": f"list of nodes that cannot host tasks: {NODES}",
    "job_name": "name of this job (default: the name of its pattern)",
    "job_colour": f"number of this job's colour, from 1 {FREE_COLOUR}",
    "neighbours": "list of background jobs: objects with a job, a mapping, a name, an allocation and a colour",
    "background": "list of constant background loads: objects with src, dst and load of a link in one direction",
    "measured": "counters of the machine's ports: after, and optionally before, seconds, between and format",
}
SECTIONS = {
    "fabriscope": f"version of the format, {VERSION}",
    "name": "name of the snapshot or background job",
    "colour": f"number of the background job's colour, from 1 {FREE_COLOUR}",
    "network": "nodes, switches and links",
    "job": "messages between tasks",
    "mapping": "slot of each task",
    "routing": "paths through the network",
    "timing": "order of a job's steps in time (default: barrier, or fair-share for MSCCL schedules)",
    "faults": "list of failed or slow links and nodes",
    **HINTS,
    "note": "description of the scenario",
    "snapshots": "list of named states, each with its own choices",
}
"""Description of each section."""
EARLIER = {
    "fat-tree": {"nics"},
    "dragonfly": {
        "routers", "global_links", "groups", "nodes_per_router", "arrangement", "links_per_pair", "local_gbs",
        "global_gbs", "host_gbs", "slots_per_node", "nics",
    },
}  # fmt: skip
"""Fields of networks in files of earlier versions, in which `nics` was the number of links of a node to its switch.

Earlier versions wrote all of them. In later files `nics` is the number of NICs of a host.
"""


class SnapshotFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A snapshot in the file."""

    name: Name
    network: AnyNetwork
    job: AnyJob
    mapping: AnyMapping
    routing: AnyRouting
    timing: AnyTiming | None = None
    faults: tuple[AnyFault, ...] = ()
    cables: tuple[AddedCable, ...] = ()
    hosts: Hosts | None = None
    cores: Cores = 0
    allocation: NodeList = ""
    down: tuple[NodeList, ...] = ()
    job_name: JobName = ""
    job_colour: JobColour = 0
    neighbours: tuple[Neighbour, ...] = ()
    background: tuple[LinkLoad, ...] = ()
    measured: Measured | None = None


class ScenarioFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The file format."""

    fabriscope: Literal[1]
    network: AnyNetwork
    job: AnyJob
    mapping: AnyMapping
    routing: AnyRouting
    timing: AnyTiming | None = None
    faults: tuple[AnyFault, ...] = ()
    cables: tuple[AddedCable, ...] = ()
    hosts: Hosts | None = None
    cores: Cores = 0
    allocation: NodeList = ""
    down: tuple[NodeList, ...] = ()
    job_name: JobName = ""
    job_colour: JobColour = 0
    neighbours: tuple[Neighbour, ...] = ()
    background: tuple[LinkLoad, ...] = ()
    measured: Measured | None = None
    note: Annotated[str, Meta(max_length=1_000_000)] = ""
    snapshots: tuple[SnapshotFile, ...] = ()


class NetworkFile(msgspec.Struct):
    """The sections that are needed to read a network."""

    network: AnyNetwork
    fabriscope: Literal[1] = 1


def read_scenario(path: Path, *, own: bool = False) -> Scenario:
    """Read a scenario from a file, or from standard input if `path` is ``-``.

    Relative paths start from the file's folder, or from the current folder for standard input. A file may come from
    anybody, so it may only refer to files in its folder, unless it is the program's `own`.

    Raises SpecError: naming the invalid field, or ``file`` if the file is not a scenario.
    """
    return decode(content_of(path), path.parent, own=own)


def read_network(path: Path) -> NetworkSpec:
    """Read the network of a scenario file, whose other sections may be invalid or missing.

    Raises SpecError: naming the invalid field of the network, or ``file`` if the file has no network.
    """
    network = decode_network(content_of(path))
    _confine("network", network)
    return network


def decode_network(content: bytes) -> NetworkSpec:
    """Read the network from the bytes of the user's own scenario, whose other sections may be missing.

    Raises SpecError: naming the invalid field of the network, or ``file`` if there is no network.
    """
    return _decoded(content, NetworkFile).network


def content_of(path: Path) -> bytes:
    """Read a file's bytes, or a little more than the limit if it is too large.

    Raises SpecError: under ``file``, if it cannot be read.
    """
    try:
        # Some editors write a byte order mark.
        if path == STANDARD:
            return standard_input(MAX_BYTES + 1).removeprefix(BOM_UTF8)
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1).removeprefix(BOM_UTF8)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        name = "standard input" if path == STANDARD else shown(str(path))
        raise SpecError("file", f"{name} cannot be read: {reason}") from error


def decode(content: bytes, folder: Path | None = None, *, own: bool = False) -> Scenario:
    """Read a scenario from bytes. Its files are in `folder`; with `own`, the user's own scenario, they may be anywhere.

    Raises SpecError: naming the invalid field and its valid values.
    """
    raw = _decoded(content, ScenarioFile)
    seen: dict[Any, Any] = {}
    snapshots = checked([Snapshot(snapshot.name, _scenario(snapshot, seen)) for snapshot in raw.snapshots])
    scenario = replace(_scenario(raw, seen), note=raw.note, folder=folder, snapshots=snapshots)
    if not own:
        for place, spec in _placed(scenario):
            _confine(place, spec)
    return scenario


def _placed(scenario: Scenario) -> Iterator[tuple[str, Spec]]:
    # All specs, with their places in the file.
    for number, kept in enumerate([scenario, *(snapshot.kept for snapshot in scenario.snapshots)]):
        for name, spec in _naming_files(kept).items():
            yield f"snapshots[{number - 1}].{name}" if number else name, spec


def _naming_files(scenario: Scenario) -> dict[str, Spec]:
    choices = {name: getattr(scenario, name) for name in (*UNIONS, "hosts", "measured")}
    for number, neighbour in enumerate(scenario.neighbours, start=1):
        choices |= {f"{place_of(number)}.{name}": getattr(neighbour, name) for name in ("job", "mapping")}
    return {name: spec for name, spec in choices.items() if isinstance(spec, Spec)}


def _confine(place: str, spec: Spec) -> None:
    """Check that no absolute path is named: the user who opens the scenario has not chosen such files.

    Paths that leave the folder by dots or links are refused when they are read (`core.spec.path_in_folder`).
    """
    for field, name in _files(spec, place):
        if _is_absolute(name):
            raise outside_folder(field, shown(name))


def _is_absolute(name: str) -> bool:
    # On any platform, since scenario files are shared.
    return os.path.isabs(name) or PureWindowsPath(name).is_absolute()


def _files(spec: Spec, place: str) -> Iterator[tuple[str, str]]:
    for where, part in with_parts(spec, place):
        yield from ((f"{where}.{field}", name) for field, name in files_in(part))


def _decoded(content: bytes, kind: type[Read]) -> Read:
    if not content.strip():
        raise SpecError("file", "is not a valid scenario: the file is empty")
    content = _updated(content)

    def refusal(message: str) -> SpecError:
        """Return the error for JSON that is not a scenario."""
        kind_found = kind_of(content[:START], "")
        if kind_found in OTHERS.values():
            return SpecError("file", f"is not a valid scenario: it is {kind_found}")
        return _refusal(message, content)

    def reason(error: Exception) -> str:
        """Return why content is not JSON, or what kind of file it is."""
        kind_found, form = kind_of(content[:START], ""), recognised(content[:START])
        if kind_found in ("", JSON):
            form = by_text_inside(BytesIO(content))
        if form is not None and kind_found in ("", JSON, form.title):
            return f"it is {form.title}; import it as the {form.part}"
        return reason_of(error) if kind_found in ("", BINARY, JSON, OURS) else f"it is {kind_found}"

    return decoded(content, kind, "scenario", refusal, reason)


def _updated(content: bytes) -> bytes:
    # Rename the field `nics` of networks in files of earlier versions to `links_per_node`.
    plain = plain_of(content) if b'"nics"' in content else None
    if not isinstance(plain, dict):
        return content
    snapshots = plain.get("snapshots")
    states = [plain, *(snapshots if isinstance(snapshots, list) else [])]
    networks = [state["network"] for state in states if isinstance(state, dict) and _is_earlier(state.get("network"))]
    for network in networks:
        network["links_per_node"] = network.pop("nics")
    return json.dumps(plain).encode() if networks else content


def _is_earlier(network: Any) -> bool:
    if not isinstance(network, dict) or not isinstance(network.get("type"), str) or "links_per_node" in network:
        return False
    fields = EARLIER.get(network["type"])
    return fields is not None and fields <= network.keys()


def encode(scenario: Scenario, folder: Path | None = None) -> bytes:
    """Return the file's bytes, with all fields of the choices that are not None.

    For a file in `folder`, absolute paths of files inside it become relative.

    Raises SpecError: if a file outside `folder` is named.
    """
    raw: dict[str, Any] = {"fabriscope": VERSION, **choices_as_written(scenario, _relative_in(folder))}
    if scenario.note:
        raw["note"] = scenario.note
    if scenario.snapshots:
        kept = enumerate(scenario.snapshots)
        raw["snapshots"] = [
            {"name": s.name, **choices_as_written(s.kept, _relative_in(folder, f"snapshots[{k}]."))} for k, s in kept
        ]
    return _folded(msgspec.json.format(without_controls(msgspec.json.encode(raw)), indent=2)) + b"\n"


def _relative_in(folder: Path | None, before: str = "") -> Rename:
    """Return a function that makes absolute names of files relative to a folder; `before` begins all places."""
    return lambda place, name: name if folder is None else _relative(f"{before}{place}", name, folder)


def _relative(place: str, name: str, folder: Path) -> str:
    if not _is_absolute(name):
        return name
    path, inside = Path(name).resolve(), folder.resolve()
    if not path.is_relative_to(inside):
        where = f"is outside the scenario's folder, {shown(str(inside))}"
        raise SpecError(place, f"{shown(name)} {where}; copy it there and choose the copy")
    return path.relative_to(inside).as_posix()


def write_scenario(path: Path, scenario: Scenario, field: str = "file", *, own: bool = False) -> bytes:
    """Write a scenario file atomically, and return its content.

    Raises SpecError: under `field`, if the file cannot be written, or would refer to files outside its folder without
    being the program's `own`.
    """
    content = encode(scenario, None if own else path.parent)
    if len(content) > MAX_BYTES:
        reason = f"it would be larger than {MAX_BYTES >> 20} MiB; delete some of its snapshots"
        raise SpecError(field, f"{shown(path.name)} cannot be written: {reason}")
    write_atomically(path, content, field)
    return content


def _scenario(raw: ScenarioFile | SnapshotFile, seen: dict[Any, Any]) -> Scenario:
    # Equal choices, which may hold large arrays, are stored once.
    choices = {name: getattr(raw, name) for name in UNIONS}
    places = {name: getattr(raw, name) for name in PLACES}
    return Scenario(
        **{name: seen.setdefault(spec, spec) for name, spec in choices.items()},
        **places,
        timing=raw.timing,
        faults=raw.faults,
    )


def choices_as_written(scenario: Scenario, rename: Rename) -> dict[str, Any]:
    """Return the choices of a scenario as in its file, with names of files replaced by `rename`."""
    specs = {name: getattr(scenario, name) for name in (*UNIONS, "timing")}
    written = {name: _given(to_plain(spec)) for name, spec in specs.items() if spec is not None}
    if scenario.faults:
        written["faults"] = to_plain(scenario.faults)
    places = {name: getattr(scenario, name) for name in PLACES}
    written |= {name: _given(to_plain(value)) for name, value in places.items() if value != PLACES[name]}
    for where, file in (named for name, spec in _naming_files(scenario).items() for named in _files(spec, name)):
        *_, field = re.findall(r"\w+", where)
        owner = _at(written, where[: where.rindex(field)])
        owner[int(field) if isinstance(owner, list) else field] = rename(where, file)
    return written


def _given(plain: Any) -> Any:
    # Drop None, also inside parts.
    if isinstance(plain, dict):
        return {key: _given(value) for key, value in plain.items() if value is not None}
    return [_given(part) for part in plain] if isinstance(plain, tuple) else plain


def _at(plain: Any, place: str) -> Any:
    # The value at a place such as job.parts[2].
    for key in re.findall(r"\w+", place):
        plain = plain[key if isinstance(plain, dict) else int(key)]
    return plain


def _folded(text: bytes) -> bytes:
    # Put each list of numbers on one line. Brackets at the end of a line belong to lists: texts escape line ends.
    return re.sub(rb"\[\n[\s\d.,eE+\-]*\]", lambda match: b" ".join(match.group().split()), text)


NESTED: dict[str, type[msgspec.Struct]] = {
    "snapshots": SnapshotFile, "neighbours": Neighbour, "background": LinkLoad, "cables": AddedCable
}  # fmt: skip
"""Lists whose entries have their own choices."""


OWNERS: dict[type[msgspec.Struct], str] = {
    ScenarioFile: "a scenario", NetworkFile: "a scenario", SnapshotFile: "a snapshot", Neighbour: "a background job",
    LinkLoad: "a background load", AddedCable: "an added cable",
}  # fmt: skip
"""Names of the structs, for messages."""


def _refusal(message: str, content: bytes) -> SpecError:
    problem, path = place_in(message)
    return _refused(problem, path, content, ScenarioFile)


def _refused(problem: str, path: str, content: bytes, kind: type[msgspec.Struct]) -> SpecError:
    inside = re.match(rf"(({'|'.join(NESTED)})\[(\d+)\])\.?(.*)", path)
    if inside is None:
        return _field_error(problem, path, content, kind)
    place, family, number, rest = inside.groups()
    error = _refused(problem, rest, _nested(content, family, int(number)), NESTED[family])
    if error.field == "file":
        return SpecError(place, f"{error.message}; {SECTIONS[family]}")
    return SpecError(_joined(place, error.field), error.message)


def _nested(content: bytes, family: str, place: int) -> bytes:
    # The bytes of one entry, as if it were a file.
    try:
        return msgspec.json.encode(msgspec.json.decode(content)[family][place])
    except (msgspec.DecodeError, RecursionError):
        return b""


def _field_error(problem: str, path: str, content: bytes, kind: type[msgspec.Struct]) -> SpecError:
    field = path.replace("[...]", "") or "file"
    missing = re.search(r"missing required field `(.*?)`", problem)
    unknown = re.search(r"contains unknown field `(.*)`", problem, re.DOTALL)
    if missing:
        where = _joined(path, missing[1])
        return SpecError(where, f"is missing{_hint(where, content)}")
    if unknown:
        return SpecError(_joined(path, shown(unknown[1])), _unknown_field(unknown[1], path, content, kind))
    union = _union(field.removesuffix(".type"), content)
    if field.endswith(".type") and union is not None:
        return SpecError(field, _unknown_type(problem, union))
    if field == "fabriscope":
        return SpecError(field, f"must be {VERSION}, the supported version; {_lower(problem)}")
    return SpecError(shown(field), _lower(problem) + _hint(field, content))


def _unknown_field(name: str, path: str, content: bytes, kind: type[msgspec.Struct]) -> str:
    # "torus has no field 'dim'; did you mean dims? fields: dims, wrap, gbs"
    if not path:
        owner, names = OWNERS[kind], kind.__struct_fields__
    elif path in ("hosts", "measured"):
        owner, names = path, ("file",) if path == "hosts" else Measured.__struct_fields__
    else:
        owner, names = _tag(path, content) or path, ("type", *(field.name for field in _fields(path, content)))
    return f"{owner} has no field {shown(name)!r}; {known_names(name, names, 'fields')}"


def _family(section: str) -> str:
    # "faults[3]" belongs to the family "faults".
    return re.sub(r"\[\d+\]$", "", section)


def _tags(union: Any) -> str:
    return ", ".join(spec.tag() for spec in members(union))


def _unknown_type(problem: str, union: Any) -> str:
    value = re.search(r"Invalid value '(.*)'", problem, re.DOTALL)
    if value is None:
        return f"must be text; types: {_tags(union)}"
    return (
        f"unknown type {shown(value[1])!r}; {known_names(value[1], [spec.tag() for spec in members(union)], 'types')}"
    )


def _hint(field: str, content: bytes) -> str:
    place, _, name = field.rpartition(".")
    union = _union(place if name == "type" else field, content)
    if union is not None:
        types = f"types: {_tags(union)}"
        several = "a list of objects" if field == "faults" else "an object"
        return f"; {types}" if name == "type" else f"; give {several} with a type; {types}"
    if field == "fabriscope":
        return f'; a scenario file starts with "fabriscope": {VERSION}'
    section = "hosts" if field == "hosts.file" else _family(field)
    if section in HINTS:
        return f"; {HINTS[section]}"
    declared = _declared(place, name, content)
    if declared is None:
        return ""
    return f"; {declared.title if declared.choices else declared.description}: {values_text(declared)}"


def describe(field: Field) -> str:
    """Return a field's description and its possible values."""
    values = values_text(field)
    return f"{field.description}. {values[0].upper()}{values[1:]}"


def values_text(field: Field, *, several: bool = False) -> str:
    """Return the possible values of a field: ``a number above 0, up to 604,800 s``, ``one of 1, 2, 4``."""
    if field.choices:
        return f"one of {', '.join(map(str, field.choices))}"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "text", tuple: "a list"}
    words = names.get(field.kind, "a value")
    words = f"{words.removeprefix('a ')}s" if several and words.startswith("a ") else words
    if field.low is not None:
        least = "above" if field.low_excluded else "from" if field.high is not None else "of at least"
        words += f" {least} {figure(field.low)}"
    if field.high is not None:
        most = " of at most" if field.low is None else ", up to" if field.low_excluded else " to"
        words += f"{most} {figure(field.high)}"
    each = f" of {values_text(field.entry, several=True)}" if field.entry is not None else ""
    words = f"{words}{each} {field.unit}".rstrip() + (f", 0 for {field.zero}" if field.zero else "")
    return f"{words}, or a name" if field.or_name else words


def _union(place: str, content: bytes) -> Any:
    # The specs that are valid at a place such as job, faults[3] or job.parts[2], or None.
    parent, _, name = place.rpartition(".")
    if not parent:
        return FAMILIES.get(_family(name))
    declared = _declared(parent, name, content) if name.endswith("]") else None
    return declared.specs if declared is not None else None


def _declared(place: str, name: str, content: bytes) -> Field | None:
    # The field with this name of the spec at a place.
    return next((field for field in _fields(place, content) if field.name == _family(name)), None)


def _fields(place: str, content: bytes) -> tuple[Field, ...]:
    # The fields of the type that is named in an invalid object.
    tag, union = _tag(place, content), _union(place, content)
    matching: list[type[Spec]] = [spec for spec in members(union) if spec.tag() == tag] if tag else []
    return fields_of(matching[0]) if matching else ()


def _tag(place: str, content: bytes) -> str:
    # The type of the object at a place, or empty if it has none.
    if _union(place, content) is None:
        return ""
    try:
        tag = _at(msgspec.json.decode(content), place)["type"]
    except (msgspec.DecodeError, RecursionError, LookupError, TypeError, ValueError):
        return ""
    return tag if isinstance(tag, str) else ""


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _lower(text: str) -> str:
    text = text.replace("`", "").strip()
    return shown(text[:1].lower() + text[1:])
