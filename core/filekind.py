"""What a file of another kind is, in words: by how it begins, and where that says nothing by its ending."""

import re
from pathlib import PurePath

START = 1 << 12
"""Bytes that are looked at."""
BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"PK\x03\x04", "a ZIP archive, as spreadsheets (.xlsx) and NumPy's .npz are"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"CDF", "a NetCDF file"),
    (b"PAR1", "a Parquet table"),
    (b"ARROW1", "an Arrow table"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"\x93NUMPY", "a NumPy array (.npy)"),
    (b"\x80\x04", "a Python pickle"),
    (b"%%MatrixMarket", "a Matrix Market file (.mtx)"),
)
ENDINGS = {
    ".otf2": "the anchor of an OTF2 trace",
    ".def": "the definitions of an OTF2 trace",
    ".evt": "the events of an OTF2 trace",
    ".otf": "the anchor of an OTF trace",
    ".prv": "a Paraver trace",
    ".slog2": "a Jumpshot trace",
}
OURS, JSON = "a scenario file", "a JSON file"
BINARY = "a binary file of no known kind"
ROOTS = {"graphml": "a GraphML graph", "platform": "a SimGrid platform", "svg": "an SVG drawing", "html": "a web page"}
"""By the first element of XML."""


def kind_of(start: bytes, name: str) -> str:
    """Return what a file is that begins so; empty where it may be a text of any meaning."""
    known = next((kind for beginning, kind in BEGINNINGS if start.startswith(beginning)), "")
    known = known or ENDINGS.get(PurePath(name).suffix.lower(), "")
    if known or start.startswith((b"\xff\xfe", b"\xfe\xff")):  # text in UTF-16
        return known
    if b"\x00" in start:
        return BINARY
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"<"):
        return _xml(text)
    if text.startswith(b"{"):
        return OURS if b'"fabriscope"' in start else JSON
    return ""


def _xml(text: bytes) -> str:
    plain = re.sub(rb"<!--.*?(-->|$)", b"", text, flags=re.DOTALL)
    root = re.search(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)", plain)
    name = root.group(1).decode().lower() if root else ""
    return ROOTS.get(name, f"an XML file of <{name}>" if name else "an XML file")
