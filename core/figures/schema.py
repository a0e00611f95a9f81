"""JSON Schemas of the output of commands, generated from the declarations of their figures."""

from typing import Any

import msgspec

from core.figures.result import MEMBERS, figures_in
from core.files.schema import DRAFT, identifier


def result_schema(name: str, kinds: tuple[Any, ...]) -> dict[str, Any]:
    """Return the schema of the results of a command, one of `kinds`."""
    schemas, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for kind in _named(kinds):
        part = parts.get(kind.__name__)
        if part is not None:
            _describe(part, kind)
    for part in parts.values():
        part["description"] = part.get("description", "").partition(MEMBERS)[0].strip()
    body = schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}
    return {
        "$schema": DRAFT,
        "$id": identifier(f"{name}:output"),
        "title": f"fabriscope {name} --json",
        **body,
        "$defs": parts,
    }


def _named(kinds: tuple[Any, ...]) -> list[type]:
    return [kind for kind in kinds if isinstance(kind, type)]


def _describe(part: dict[str, Any], kind: type) -> None:
    for name, figure in figures_in(kind).items():
        field = part["properties"].get(name)
        if field is not None:
            field["description"] = figure.meaning
            if figure.unit:
                field["unit"] = figure.unit
