"""Keys that stand twice in an object of a JSON file: decoders keep the last one, and nobody is told of the other."""

import json
from typing import Any

from core.files.atomic import shown
from core.spec import SpecError


def check_keys(content: bytes) -> None:
    """Check that no key stands twice in one object of valid JSON.

    Raises SpecError: under ``file``, naming the key.
    """
    # Numbers are not made: of some thousand digits they would be refused.
    json.loads(content, object_pairs_hook=_each_once, parse_int=str, parse_float=str)


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise SpecError("file", f"{shown(name)!r} stands twice in one object; leave one of them out")
        seen.add(name)
