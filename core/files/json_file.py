"""JSON files as structs. Errors are a single line."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from core.files.atomic import shown
from core.spec import SpecError, control_words, read_hook
from core.text import CONTROL, control_in

MAX_BYTES = 32 << 20
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
"""An escape in a text of JSON."""
SHORT = {"\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r"}
LINE_ENDS = "\n\r"
NAMES = ("name", "job_name", "title")
"""Fields whose texts have a single line."""
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
        The expected kind of file: ``tour``.
    refusal
        Function that returns the error for valid JSON that does not fit `kind`, given msgspec's message.
    reason
        Function that returns why content is not JSON, given the error (default: the error's message).

    Raises SpecError: as returned by `refusal`; or under ``file``, if the content is too large or not JSON, or repeats a
    key in one object.
    """
    if len(content) > MAX_BYTES:
        raise SpecError("file", f"is larger than {MAX_BYTES >> 20} MiB, the limit for a {name}")
    try:
        read = msgspec.json.decode(content, type=kind, dec_hook=read_hook)
        # Decoders silently keep the last of two entries with the same key. Numbers are not converted, since very long
        # numbers would be refused.
        json.loads(content, object_pairs_hook=_each_once, parse_int=str, parse_float=str)
        _check_texts(content.decode())
    except msgspec.ValidationError as error:
        raise refusal(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SpecError("file", f"is not a valid {name}: {(reason or reason_of)(error)}") from error
    return read


def plain_of(content: bytes) -> Any:
    """Return the plain values in the bytes of a JSON file, or None if it is not JSON.

    Raises SpecError: under ``file``, if a key occurs twice in one object.
    """
    try:
        return json.loads(content, object_pairs_hook=_each_once)
    except SpecError:
        raise
    except (ValueError, RecursionError):
        return None


def without_controls(content: bytes) -> bytes:
    """Return the bytes of a JSON file without control characters in its texts, which readers refuse."""
    text = ESCAPE.sub(lambda match: "" if control_in(_mark(match)) else match[0], content.decode())
    return CONTROL.sub("", text).encode()


def _check_texts(text: str) -> None:
    """Refuse control characters in texts, and line ends in names, which could forge output."""
    marks = [(match.start(), _mark(match)) for match in ESCAPE.finditer(text)]
    marks += [(match.start(), match[0]) for match in CONTROL.finditer(text)]
    if not any(mark in LINE_ENDS or control_in(mark) for _, mark in marks if mark):
        return
    line = min((text.count("\n", 0, at) + 1 for at, mark in marks if control_in(mark)), default=0)
    for place, text_found in _texts(json.loads(text, parse_int=str, parse_float=str), ""):
        if control_in(text_found):
            raise SpecError(place, f"line {line:,} {control_words(text_found)}")
        if place.rpartition(".")[2] in NAMES and any(mark in text_found for mark in LINE_ENDS):
            raise SpecError(place, "must be a single line")


def _mark(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else SHORT.get(escape[0], "")


def _texts(plain: Any, place: str) -> Iterator[tuple[str, str]]:
    # All texts, including names of fields, with their places, such as neighbours[0].name.
    if isinstance(plain, str):
        yield place, plain
    for key, value in plain.items() if isinstance(plain, dict) else ():
        yield place or "file", key
        yield from _texts(value, f"{place}.{key}".lstrip("."))
    for number, value in enumerate(plain if isinstance(plain, list) else ()):
        yield from _texts(value, f"{place}[{number}]")


def reason_of(error: Exception) -> str:
    """Return why content is not JSON."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return shown(str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise SpecError("file", f"the key {shown(name)!r} occurs twice in one object; remove one of them")
        seen.add(name)
    return dict(pairs)
