"""JSON Schema (draft 2020-12) of scenario files, generated from the declarations that read them.

JSON Schema: A Media Type for Describing JSON Documents, draft 2020-12 (A. Wright, H. Andrews, B. Hutton, G. Dennis,
2022).
"""

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

from core.files.scenario_file import FAMILIES, NESTED, SECTIONS, ScenarioFile
from core.optimise.method import AnyMethod
from core.optimise.objective import AnyObjective
from core.spec import CompactList, Spec, fields_of, members

DRAFT = "https://json-schema.org/draft/2020-12/schema"
EMPTY = [("title", ""), ("description", "")]
SEARCHED: dict[str, Any] = {"objective": AnyObjective, "method": AnyMethod}
"""Choices of searches and study files, which are not part of scenarios."""


def identifier(name: str) -> str:
    """Return the ``$id`` of a schema."""
    return f"urn:fabriscope:schema:{name}"


def file_schema(name: str, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of files of another kind, such as studies and tours."""
    schema = {"$schema": DRAFT, "$id": identifier(name), "title": f"Fabriscope {name}"}
    cleaned: dict[str, Any] = _cleaned(schema | msgspec.json.schema(kind, schema_hook=_list))
    return cleaned


def scenario_schema() -> dict[str, Any]:
    """Return the schema of scenario files; its definitions include objectives and methods of searches.

    The ``unit`` of a field is the unit of its value. Conditions between fields, or between choices, are not expressed,
    so files that fit the schema may still be refused with a message.
    """
    kinds = [ScenarioFile, *SEARCHED.values()]
    (scenario, *searched), parts = msgspec.json.schema_components(
        kinds, schema_hook=_list, ref_template="#/$defs/{name}"
    )
    for kind in ("ScenarioFile", *(spec.__name__ for spec in NESTED.values())):
        for name, field in parts[kind]["properties"].items():
            if name in SECTIONS:
                field["description"] = SECTIONS[name]
    for spec in _specs():
        parts[spec.__name__]["title"] = spec.title or spec.tag()
    definitions = parts | dict(zip(SEARCHED, searched, strict=True))
    cleaned: dict[str, Any] = _cleaned(
        {
            "$schema": DRAFT,
            "$id": identifier("scenario"),
            "title": "Fabriscope scenario",
            **scenario,
            "$defs": definitions,
        }
    )
    return cleaned


def _specs() -> Iterator[type[Spec]]:
    """Yield every spec, including nested specs."""
    seen = set[type[Spec]]()
    unions = [*FAMILIES.values(), *SEARCHED.values()]
    while unions:
        for spec in members(unions.pop()):
            if spec not in seen:
                seen.add(spec)
                unions += [field.specs for field in fields_of(spec) if field.specs is not None]
                yield spec


def _list(kind: type) -> dict[str, Any]:
    # Schema of types unknown to msgspec.
    if not issubclass(kind, CompactList):
        raise NotImplementedError(kind)
    return msgspec.json.schema(list[kind.entry])  # type: ignore[name-defined]


def _cleaned(schema: Any) -> Any:
    # Drop empty texts, and OpenAPI's discriminator, which repeats the tags of the choices.
    if isinstance(schema, list | tuple):
        return [_cleaned(entry) for entry in schema]
    if not isinstance(schema, dict):
        return inspect.cleandoc(schema) if isinstance(schema, str) else schema
    words = {key: value for key, value in schema.items() if key != "discriminator" and (key, value) not in EMPTY}
    return {key: _cleaned(value) for key, value in words.items()}
