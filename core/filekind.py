"""Describes the kind of a file in words, by its beginning or else by its suffix."""

import re
from pathlib import PurePath

from core.formats import by_ending, by_root, recognised

START = 1 << 12
"""Number of bytes examined."""
BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "compressed with gzip (decompress it first)"),
    (b"BZh", "compressed with bzip2 (decompress it first)"),
    (b"\xfd7zXZ\x00", "compressed with xz (decompress it first)"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd (decompress it first)"),
    (b"PK\x03\x04", "a ZIP archive, such as a spreadsheet (.xlsx) or NumPy's .npz"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"CDF", "a NetCDF file"),
    (b"PAR1", "a Parquet table"),
    (b"ARROW1", "an Arrow table"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "an executable program"),
    (b"\x93NUMPY", "a NumPy array (.npy)"),
    (b"\x80\x04", "a Python pickle"),
    (b"%%MatrixMarket", "a Matrix Market file (.mtx)"),
)
ENDINGS = {
    ".def": "the definitions of an OTF2 trace",
    ".evt": "the events of an OTF2 trace",
    ".otf": "the anchor of an OTF trace",
    ".prv": "a Paraver trace",
    ".slog2": "a Jumpshot trace",
}
OURS, JSON = "a scenario file", "a JSON file"
OTHERS = {
    b'"fabriscope_tour"': "a tour (open it in the window, or with fabriscope tour)",
    b'"fabriscope_study"': "a study (open it in Study > Studies, or run it with fabriscope study)",
    b'"fabriscope_recording"': "a recording (convert it with fabriscope film)",
}
"""Our other file formats, by their beginning."""
BINARY = "a binary file of unknown kind"
WEB_PAGE = "a web page"
ROOTS = {"svg": "an SVG image", "html": WEB_PAGE}
"""By the root element of XML."""


def refusal(start: bytes, name: str, expected: str) -> str:
    """Return why a file is not of the `expected` kind, given its beginning; empty if it may be."""
    kind, form = kind_of(start[:START], name), recognised(start)
    if form is not None and kind == form.title:
        choice = f"the job {form.job}" if form.job else f"it as the {form.part}"
        return f"this is {kind} (choose {choice}); {expected}"
    return f"this is {kind}; {expected}" if kind else ""


def is_html(content: bytes) -> bool:
    """Return whether a file is an HTML document, given its beginning or all of it."""
    return content.lstrip()[:1] == b"<" and kind_of(content[:START], "") == WEB_PAGE


def kind_of(start: bytes, name: str) -> str:
    """Return the kind of a file, given its beginning; empty if not recognised."""
    name_of_kind = next((kind for beginning, kind in BEGINNINGS if start.startswith(beginning)), "")
    name_of_kind = name_of_kind or ENDINGS.get(PurePath(name).suffix.lower(), "") or _by_name_only(name)
    if name_of_kind or start.startswith((b"\xff\xfe", b"\xfe\xff")):  # text in UTF-16
        return name_of_kind
    if b"\x00" in start:
        return BINARY
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"<"):
        return _xml(text)
    form = None if b'"fabriscope' in start else recognised(start)
    if form is not None:
        return form.title
    other = next((kind for name, kind in OTHERS.items() if re.match(rb"\{\s*" + name, text)), "")
    if other:
        return other
    if text.startswith(b"{"):
        return OURS if b'"fabriscope"' in start else JSON
    return ""


def _by_name_only(name: str) -> str:
    # Formats without a recognisable beginning.
    form = by_ending(name)
    return form.title if form is not None and not (form.begins or form.may_begin or form.root) else ""


def _xml(text: bytes) -> str:
    plain = re.sub(rb"<!--.*?(-->|$)", b"", text, flags=re.DOTALL)
    root = re.search(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)", plain)
    name = root.group(1).decode().lower() if root else ""
    form = by_root(name)
    if form is not None:
        return form.title
    return ROOTS.get(name, f"an XML file with the root <{name}>" if name else "an XML file")
