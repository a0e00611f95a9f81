"""Study files (JSON, version 1): a scenario, fields to vary, and figures to record.

Every error is a single line that names the field and its valid values.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from core.files.atomic import shown
from core.files.digest import digest_of_files
from core.files.json_file import decoded
from core.files.scenario_file import FAMILIES, PLACES, content_of, decode
from core.load.scenario import Scenario
from core.network import AnyFault
from core.optimise.method import AnyMethod, Portfolio
from core.optimise.move_constraints import ANYWHERE, TASK, MoveConstraints
from core.optimise.objective import MAX_CABLES, AnyObjective, Throughput
from core.optimise.request import Request
from core.optimise.robust import counting
from core.spec import Spec, SpecError, fields_of, from_plain, members, place_in
from core.sweep.conditions import parse_condition
from core.sweep.measures import RequestedMeasures, parse_measures
from core.sweep.paths import PATH, Plain, keys_of, replaced
from core.sweep.results import CPU
from core.sweep.values import MAX_VALUES, table_value, values_of
from core.text import known_names

SUFFIX = ".fabriscope-study.json"
FAULTS = "faults"
"""Path of the list of failed and slow components."""


class Optimise(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Search for a better mapping before each point is measured."""

    seconds: Annotated[float, Meta(gt=0, le=604_800)] | None = None
    steps: Annotated[int, Meta(ge=1, le=10**15)] | None = None
    seed: Annotated[int, Meta(ge=0, le=(1 << 31) - 1)] = 0
    objective: AnyObjective = Throughput()
    method: AnyMethod = Portfolio()
    unit: str = TASK
    """Level whose groups move at once, with all their tasks: node, host, server ..."""
    within: str = ANYWHERE
    """Level within whose groups tasks stay."""
    failures: Annotated[int, Meta(ge=1, le=MAX_CABLES)] | tuple[AnyFault, ...] = ()
    """Failures that the objective counts, or the number of worst cables of the initial mapping."""

    @property
    def request(self) -> Request:
        """Return the search request."""
        constraints = MoveConstraints(self.unit, self.within)
        request = Request(self.objective, self.method, constraints, self.seconds, self.steps, self.seed)
        return counting(request, self.failures) if self.failures else request

    def __post_init__(self) -> None:
        if self.seconds is None and self.steps is None:
            raise ValueError("Give seconds or steps to limit the search")


class StudyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The file format."""

    fabriscope_study: Literal[1]
    base: dict[str, Any]
    """A scenario without its version."""
    measure: Annotated[list[str], Meta(min_length=1)]
    vary: dict[str, Any] = {}
    """A list of values or a range, by path."""
    combine: Literal["product", "zip"] = "product"
    where: list[str] = []
    """Conditions on every point, as in `core.sweep.conditions`."""
    optimise: Optimise | None = None
    note: str = ""


Point = tuple[Any, ...]
"""A value for each varied path, in the file's order."""


@dataclass(frozen=True)
class Study:
    """A study, read and validated."""

    file: StudyFile
    content: bytes
    """The file's bytes."""
    folder: Path | None
    """Folder of the files of its scenario."""
    paths: tuple[str, ...]
    points: tuple[Point, ...]
    """Points by number; in a product the last path varies fastest."""
    measures: RequestedMeasures

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of its table."""
        return ("point", *self.paths, *self.measures.paths, CPU, "seconds", "error")

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Return the names of the files that its scenarios read."""
        return files_in(self.file.base, self.file.vary)

    @cached_property
    def digest(self) -> str:
        """Return a digest that identifies its results, independent of the note.

        If scenarios read files, a hyphen and a digest of their contents follow.
        """
        file = self.file
        parts = [file.base, list(file.vary.items()), file.combine, file.where, file.measure, file.optimise]
        own = blake2b(msgspec.json.encode(parts, order="sorted"), digest_size=8).hexdigest()
        return f"{own}-{digest_of_files(self.files, self.folder)}" if self.files else own

    def plain(self, point: Point) -> Plain:
        """Return the scenario of a point in its file form."""
        return scenario_of(self.file.base, self.paths, point)

    def scenario(self, point: Point) -> Scenario:
        """Return the scenario of a point.

        Raises SpecError: naming the invalid field.
        """
        if self.paths == (FAULTS,):
            with suppress(msgspec.ValidationError):  # `decode` words the error
                return replace(self._intact, faults=from_plain(point[0], tuple[AnyFault, ...]))
        return decode(msgspec.json.encode({"fabriscope": 1, **self.plain(point)}), self.folder)

    @cached_property
    def _intact(self) -> Scenario:
        # The scenario without faults, since decoding it takes longer than computing a failure.
        return decode(msgspec.json.encode({"fabriscope": 1, **self.file.base, FAULTS: []}), self.folder)

    def cells(self, number: int) -> dict[str, Any]:
        """Return the varied values of a point by path, as in the table."""
        return dict(zip(self.paths, map(table_value, self.points[number]), strict=True))


def read_study(path: Path) -> Study:
    """Read a study from a file.

    Raises SpecError: naming the invalid field and its valid values, or ``file`` if the file is not a study.
    """
    return decode_study(content_of(path), path.parent)


def decode_study(content: bytes, folder: Path | None = None) -> Study:
    """Read a study from the bytes of a file; files of its scenario are in `folder`.

    Raises SpecError: naming the invalid field and its valid values.
    """
    file = decoded(content, StudyFile, "study", _refusal)
    values = {path: values_of(f"vary.{path}", given) for path, given in file.vary.items()}
    _check_paths(file.base, values)
    points = tuple(_points(file, values))
    if not points:
        raise SpecError("where", "excludes all points; give conditions that some points meet")
    study = Study(file, content, folder, tuple(values), points, parse_measures(file.measure, file.optimise is not None))
    _check_base(study)
    return study


def _refusal(message: str) -> SpecError:
    problem, place = place_in(message)
    words = problem.replace("`", "")
    return SpecError(place or "file", shown(words[:1].lower() + words[1:]) + _right(place, problem))


def _right(place: str, problem: str) -> str:
    # The expected form, for messages about an invalid study file.
    if not place:
        unknown = re.search("unknown field `(.*)`", problem, re.DOTALL)
        names = StudyFile.__struct_fields__
        return f"; {known_names(unknown[1], names, 'fields')}" if unknown else f"; fields: {', '.join(names)}"
    choices = get_args(StudyFile.__annotations__.get(place))
    return f"; it must be {' or '.join(map(str, choices))}" if choices and "enum" in problem else ""


def _points(file: StudyFile, values: dict[str, list[Any]]) -> Iterator[Point]:
    conditions = [parse_condition(f"where[{number}]", text) for number, text in enumerate(file.where)]
    for point in _combined(file.combine, values):
        if not conditions:
            yield point
            continue
        plain = scenario_of(file.base, tuple(values), point)
        if all(condition.holds(plain) for condition in conditions):
            yield point


def _combined(how: str, values: dict[str, list[Any]]) -> Iterator[Point]:
    if how == "product" or not values:
        count = prod(map(len, values.values()))
        if count > MAX_VALUES:
            raise SpecError("vary", f"makes {count:,} points; the limit is {MAX_VALUES:,}")
        return product(*values.values())
    lengths = {path: len(given) for path, given in values.items()}
    if len(set(lengths.values())) > 1:
        lengths_text = ", ".join(f"{path} {length}" for path, length in lengths.items())
        raise SpecError("combine", f"zip needs the same number of values for every path, not {lengths_text}")
    return zip(*values.values(), strict=True)


def scenario_of(base: Plain, paths: tuple[str, ...], point: Point) -> Plain:
    """Return the base with the values of a point; objects are set before their fields."""
    plain = base
    for path, value in sorted(zip(paths, point, strict=True), key=lambda pair: len(keys_of(pair[0]))):
        plain = replaced(plain, path, value)
    return plain


def _check_paths(base: Plain, values: dict[str, list[Any]]) -> None:
    # A misspelled path would be an error in every point.
    for path in values:
        section, *names = keys_of(path) or [""]
        if not re.fullmatch(PATH, path) or section not in (*FAMILIES, *PLACES):
            first_keys = ", ".join((*FAMILIES, *PLACES))
            raise SpecError(
                f"vary.{shown(path)}", f"is not a field of a scenario; paths begin with one of {first_keys}"
            )
        if names and section in FAMILIES and section != "faults":
            _check_field(path, section, names, base, values)
        if not any(keys_of(path)[: len(keys)] == keys for keys in map(keys_of, values) if keys != keys_of(path)):
            _check_leads(base, path)


def _check_leads(base: Plain, path: str) -> None:
    # Unless the parents of a path are varied, it exists in all points or in none.
    try:
        replaced(base, path, None)
    except SpecError as error:
        raise SpecError(f"vary.{path}", error.message) from error


def _check_field(path: str, section: str, names: list[str], base: Plain, values: dict[str, list[Any]]) -> None:
    choices = [*values.get(section, []), base.get(section)]
    tags = {choice.get("type") for choice in choices if isinstance(choice, dict)}
    tags |= {value for value in values.get(f"{section}.type", []) if isinstance(value, str)}
    specs: list[type[Spec]] = [spec for spec in members(FAMILIES[section]) if spec.tag() in tags]
    lists = {"type": False} | {field.name: field.kind is tuple for spec in specs for field in fields_of(spec)}
    if specs and names[0] not in lists:
        owner = " or ".join(sorted(spec.tag() for spec in specs))
        raise SpecError(f"vary.{path}", f"{owner} has no field {names[0]!r}; fields: {', '.join(lists)}")
    if specs and names[1:] and not lists[names[0]]:
        raise SpecError(f"vary.{path}", f"does not exist; {section}.{names[0]} is a single value, so vary it instead")


def _check_base(study: Study) -> None:
    # An error in the base is an error in every point; an error in a varied value only affects its points.
    for point in islice(study.points, 1):
        try:
            study.scenario(point)
        except SpecError as error:
            wrong = keys_of(error.field)
            varied = [keys_of(path) for path in study.paths]
            if not any(wrong[: len(keys)] == keys[: len(wrong)] for keys in varied):
                raise SpecError(f"base.{error.field}", error.message) from error


def files_in(base: Plain, vary: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of all files in a base scenario and in the varied values, sorted and without repetitions."""
    varied = [{keys_of(path)[-1]: values} for path, values in vary.items()]
    return tuple(sorted(set(_file_names([base, varied]))))


def _file_names(plain: Plain) -> Iterator[str]:
    if isinstance(plain, list):
        for part in plain:
            yield from _file_names(part)
    elif isinstance(plain, dict):
        for name, value in plain.items():
            if name in _file_fields():
                yield from (name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))
            yield from _file_names(value)


@cache
def _file_fields() -> frozenset[str]:
    specs = (spec for union in FAMILIES.values() for spec in members(union))
    return frozenset(field.name for spec in specs for field in fields_of(spec) if field.is_file)
