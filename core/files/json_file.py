"""Files of JSON as structs. One that cannot be read is refused in one line."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from core.files.atomic import shown
from core.spec import SpecError, read_hook

MAX_BYTES = 32 << 20
Read = TypeVar("Read")


def decoded(
    content: bytes,
    kind: type[Read],
    name: str,
    refusal: Callable[[str], SpecError],
    reason: Callable[[Exception], str] | None = None,
) -> Read:
    """Return a struct from the bytes of a file.

    Parameters
    ----------
    name
        What the file should be, in a word: ``tour``.
    refusal
        Returns the error for JSON that is none of `kind`, given what msgspec says of it.
    reason
        Returns why content is not even JSON, given the error (default: what the error says).

    Raises SpecError: what `refusal` returns; or under ``file``, if the content is too large or no JSON, or a key
    stands twice in one object.
    """
    if len(content) > MAX_BYTES:
        raise SpecError("file", f"is larger than {MAX_BYTES >> 20} MiB; no {name} is")
    try:
        read = msgspec.json.decode(content, type=kind, dec_hook=read_hook)
        # Decoders keep the last of two entries with one key, and nobody is told of the other. Numbers are not made: of
        # some thousand digits they would be refused.
        json.loads(content, object_pairs_hook=_each_once, parse_int=str, parse_float=str)
    except msgspec.ValidationError as error:
        raise refusal(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SpecError("file", f"is no {name}: {(reason or reason_of)(error)}") from error
    return read


def reason_of(error: Exception) -> str:
    """Return why content is no JSON."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return shown(str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__)


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise SpecError("file", f"{shown(name)!r} stands twice in one object; leave one of them out")
        seen.add(name)
