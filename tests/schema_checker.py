"""A slow, plain JSON Schema checker with only the keywords of our schemas."""

import re

KINDS = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
LIMITS = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "minLength": lambda value, limit: len(value) >= limit,
    "maxLength": lambda value, limit: len(value) <= limit,
    "minItems": lambda value, limit: len(value) >= limit,
    "maxItems": lambda value, limit: len(value) <= limit,
}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "default", "unit"}
"""Keywords without a constraint."""


def fits(value, schema, root):
    """Return whether a value conforms to a schema; references refer to the root schema."""
    checks = {
        "$ref": lambda name: fits(value, root["$defs"][name.removeprefix("#/$defs/")], root),
        "anyOf": lambda schemas: any(fits(value, alternative, root) for alternative in schemas),
        "enum": lambda values: any(value == allowed and type(value) is type(allowed) for allowed in values),
        "type": lambda kind: KINDS[kind](value),
        "required": lambda names: all(name in value for name in names),
        "items": lambda item: all(fits(entry, item, root) for entry in value) if item else True,
        "prefixItems": lambda items: all(map(lambda entry, item: fits(entry, item, root), value, items)),
        "pattern": lambda pattern: re.search(pattern, value) is not None,
        "additionalProperties": lambda more: _fits_more(value, schema, more, root),
        "properties": lambda properties: all(
            fits(value[name], properties[name], root) for name in properties.keys() & value.keys()
        ),
    } | {name: lambda limit, holds=holds: holds(value, limit) for name, holds in LIMITS.items()}
    assert schema.keys() <= checks.keys() | ANNOTATIONS
    # Values of another type are not checked further.
    keys = sorted(schema.keys() - ANNOTATIONS, key=lambda key: key != "type")
    return all(checks[key](schema[key]) for key in keys)


def _fits_more(value, schema, more, root):
    others = set(value) - set(schema.get("properties", ()))
    return all(more if isinstance(more, bool) else fits(value[name], more, root) for name in others)
