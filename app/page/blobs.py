"""Arrays and texts as short strings in a page: bytes grouped by significance, deflated, base64.

Neighbouring values of loads and positions often share their first bytes: grouped by significance, the bytes compress to
a fraction of their size.
"""

import zlib
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

LEVEL = 7
"""Level of compression: higher levels take several times as long, and save a few percent."""
TEXT = "text"
SHORT = np.iinfo(np.int16).max


class PageStruct(msgspec.Struct, frozen=True, rename="camel"):
    """Base of the structs in a page; their fields have names in camel case."""


class Blob(PageStruct, frozen=True):
    """An array, or lines of text."""

    type: str
    """Kind and bytes of the values, such as ``f4``, or `TEXT` for lines."""
    data: str
    """The bytes of the values, little-endian: first the first bytes of all values, then the second ones, and so on."""
    delta: bool = False
    """Whether each value is the difference to the previous one."""

    @property
    def size(self) -> int:
        """Return the number of characters."""
        return len(self.data)


def array_blob(values: NDArray[Any], type_name: str, *, delta: bool = False) -> Blob:
    """Return an array of any shape as values of a type, row by row."""
    flat = np.ascontiguousarray(values).ravel().astype(f"<{type_name}")
    if delta:
        flat = np.diff(flat, prepend=flat.dtype.type(0))
    grouped = flat.view(np.uint8).reshape(flat.size, flat.itemsize).T
    return Blob(type_name, _packed(grouped.tobytes()), delta)


def text_blob(lines: Iterable[str]) -> Blob:
    """Return texts without line ends."""
    return Blob(TEXT, _packed("\n".join(lines).encode(errors="replace")))


def _packed(content: bytes) -> str:
    return b64encode(zlib.compress(content, LEVEL)).decode()


def rounded_blob(values: NDArray[np.floating]) -> tuple[float, Blob]:
    """Return a step, and numbers as 16-bit multiples of it; the error is at most half a step."""
    step = float(np.abs(values).max(initial=0.0)) / SHORT
    return step, array_blob(np.rint(values / (step or 1.0)), "i2")
