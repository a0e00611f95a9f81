"""Paths into a scenario in its file form: ``network.d_links``, ``job.parts[2].tasks``."""

import re
from typing import Any

from core.files.atomic import shown
from core.spec import SpecError

PATH = r"[a-z][\w-]*(?:\.[\w-]+|\[\d+\])*"
Plain = Any
"""JSON data: dicts, lists, strings and numbers."""


def keys_of(path: str) -> list[str]:
    """Return the keys and indices of a path, in order."""
    return re.findall(r"[\w-]+", path)


def value_at(plain: Plain, path: str) -> Plain:
    """Return the value at a path.

    Raises KeyError: if there is no value; the message lists the possible keys.
    """
    for key in keys_of(path):
        if isinstance(plain, list | tuple):
            plain = {str(number): part for number, part in enumerate(plain)}
        if not isinstance(plain, dict) or key not in plain:
            choices = f"; choices: {shown(', '.join(plain))}" if isinstance(plain, dict) and plain else ""
            raise KeyError(f"no key {key}{choices}")
        plain = plain[key]
    return plain


def replaced(plain: Plain, path: str, value: Plain) -> Plain:
    """Return the data with another value at a path; missing parent objects are added.

    Raises SpecError: naming the path, if it does not exist.
    """
    return _replaced(plain, keys_of(path), value, path)


def _replaced(plain: Plain, keys: list[str], value: Plain, path: str) -> Plain:
    if not keys:
        return value
    key, *rest = keys
    if isinstance(plain, dict):
        return {**plain, key: _replaced(plain.get(key, {}), rest, value, path)}
    if isinstance(plain, list) and key.isdigit() and int(key) < len(plain):
        number = int(key)
        return [*plain[:number], _replaced(plain[number], rest, value, path), *plain[number + 1 :]]
    raise SpecError(path, f"does not exist; no {key}")
