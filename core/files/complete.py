"""Checks that a file written by a library or another program is complete, by the structure of its format."""

import struct
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from mmap import mmap
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n"
PARQUET = b"PAR1"


def is_complete(content: bytes | mmap, form: str) -> bool:
    """Return whether a file with the ending `form` is complete; True for endings that are not in `CHECKS`."""
    check = CHECKS.get(form)
    return check is None or check(content)


def _png(content: bytes) -> bool:
    """Walk the chunks: length, name, data and checksum, up to IEND."""
    place, name = len(PNG), b""
    while content.startswith(PNG) and name != b"IEND" and place + 12 <= len(content):
        length = int.from_bytes(content[place : place + 4], "big")
        name, end = content[place + 4 : place + 8], place + 8 + length
        if zlib.crc32(content[place + 4 : end]).to_bytes(4, "big") != content[end : end + 4]:
            return False
        place = end + 4
    return name == b"IEND" and place == len(content)


def _pdf(content: bytes) -> bool:
    """Look for the cross-reference table at the offset given in the last lines."""
    head, _, tail = content.rstrip().rpartition(b"startxref")
    words = tail.split()
    if not content.startswith(b"%PDF-") or len(words) != 2 or words[1] != b"%%EOF" or not words[0].isdigit():
        return False
    table = head[int(words[0]) :]
    return table.startswith(b"xref") or b"/XRef" in table[:1000]


def _svg(content: bytes) -> bool:
    return content.startswith(b"<") and content.rstrip().endswith(b"svg>")


def _html(content: bytes) -> bool:
    return content.lstrip()[:9].lower() == b"<!doctype" and content.rstrip().endswith(b"</html>")


def _parquet(content: bytes) -> bool:
    """Compare the length of the metadata with the size of the file."""
    if len(content) < 12 or not content.startswith(PARQUET) or not content.endswith(PARQUET):
        return False
    return int.from_bytes(content[-8:-4], "little") <= len(content) - 12


def _npz(content: bytes) -> bool:
    try:
        return zipfile.ZipFile(BytesIO(content)).testzip() is None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return False


def _mp4(content: bytes | mmap) -> bool:
    """Walk the boxes, each with a length and a name; moov holds the index of the film."""
    place, names = 0, set()
    while place + 8 <= len(content):
        length, name = struct.unpack_from(">I4s", content, place)
        if length == 1 and place + 16 <= len(content):
            (length,) = struct.unpack_from(">Q", content, place + 8)
        elif length == 0:
            length = len(content) - place
        names.add(name)
        place += max(length, 8)
    return place == len(content) and {b"ftyp", b"moov", b"mdat"} <= names


def _gif(content: bytes | mmap) -> bool:
    return content[:6] in (b"GIF87a", b"GIF89a") and content[-1:] == b"\x3b"


CHECKS: dict[str, Callable[[Any], bool]] = {
    ".png": _png,
    ".pdf": _pdf,
    ".svg": _svg,
    ".html": _html,
    ".parquet": _parquet,
    ".npz": _npz,
    ".mp4": _mp4,
    ".gif": _gif,
}
"""The check of each format, by ending."""
