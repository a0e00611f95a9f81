"""Describes files of other kinds in words: by their beginning, or else by their suffix."""

import re
from pathlib import PurePath
from typing import NamedTuple

START = 1 << 12
"""Bytes examined."""
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
    ".graph": "a METIS graph",
    ".grf": "a Scotch graph",
}
OURS, JSON = "a scenario file", "a JSON file"
OTHERS = {
    b'"fabriscope_tour"': "a tour: open it in the window, or by fabriscope tour",
    b'"fabriscope_study"': "a study: open it in Study > Studies, or run it by fabriscope study",
    b'"fabriscope_recording"': "a recording: fabriscope film plays it",
}
"""Our other file formats, by their beginning."""
BINARY = "a binary file of no known kind"
ROOTS = {
    "gexf": "a GEXF graph",
    "graphml": "a GraphML graph",
    "platform": "a SimGrid platform",
    "svg": "an SVG drawing",
    "html": "a web page",
}
"""By the root element of XML."""


class Tool(NamedTuple):
    """A text format of another tool, recognised by its first lines."""

    form: str
    """Name of the format, as its readers use it."""
    choice: str
    """Choice of a scenario that is read from it."""
    title: str
    """Description."""
    begins: str
    """Pattern of its beginning, or of what follows comments; case-insensitive."""


TOOLS = (
    Tool("monitoring", "job", "the monitoring of Open MPI's messages", r"# POINT TO POINT"),
    Tool("ipm", "job", "IPM's map_data.txt", r"# region irank"),
    Tool("tau", "job", "a TAU profile", r"\d+ templated_functions"),
    Tool("goal", "job", "a GOAL schedule", r"num_ranks\s"),
    Tool("slurm-conf", "network", "a Slurm topology.conf", r"(switchname|ringname|blockname|nodes|switches)="),
    Tool("slurm-yaml", "network", "a Slurm topology.yaml", r"(---.*\n([ \t]*(#.*)?\n)*)?-\s+topology:"),
    Tool(
        "ibnetdiscover", "network", "what ibnetdiscover prints", r'(switch|ca|rt)\s+\d+\s+"|(vendid|devid|sysimgguid)='
    ),
    Tool("booksim-anynet", "network", "a BookSim anynet file", r"(router|node) \d+ (router|node) \d+"),
    Tool("dot", "network", "a DOT graph", r"(strict\s+)?(di)?graph\b[^{]*\{"),
    Tool(
        "scotch-target",
        "network",
        "a Scotch target file",
        r"((torus|mesh)[23x]d|hcub|cmplt|cmpltw|leaf|tleaf|ltleaf|deco|sub)\s+\d",
    ),
    Tool("netjson", "network", "a NetJSON network", r'\{[^{}]*"type"\s*:\s*"NetworkGraph"'),
    Tool("sst-json", "network", "an SST/macro network", r'\{[^{}]*"avg_num_hops"'),
    Tool("openmpi-rankfile", "mapping", "an Open MPI rankfile", r"rank\s+\d+\s*="),
    Tool("hostfile", "mapping", "an Open MPI hostfile", r"\S+[ \t].*\b(max[-_])?slots[ \t]*="),
    Tool(
        "task-geometry",
        "mapping",
        "a task geometry",
        r"(#.*\n\s*)*(#\s*@\s*|export\s+)?(LSB_)?task_geometry\s*=|\{\s*\(\s*\d",
    ),
    Tool("vcoord", "mapping", "a Fujitsu vcoordfile", r"\(\s*\d+(\s*,\s*\d+)*\s*\)([ \t]+core\S+)?[ \t]*$"),
    Tool("flux-taskmap", "mapping", "a Flux taskmap", r'\[\s*\[\s*\d+\s*[],]|\{[^{}]*"map"\s*:'),
)
_COMMENTS = re.compile(r"\A((#|//|%).*\n?\s*)+")


def tool_in(start: bytes) -> Tool | None:
    """Return the format of a text by its beginning; None: not recognised."""
    text = start.decode("utf-8-sig", "replace").replace("\r", "\n").strip()
    begins = (text, _COMMENTS.sub("", text))
    known = (tool for tool in TOOLS for one in begins if re.match(tool.begins, one, re.IGNORECASE | re.MULTILINE))
    return next(known, None)


def refusal(start: bytes, name: str, expected: str) -> str:
    """Return why a file is not what is `expected`, given its beginning; empty: it may be."""
    kind, tool = kind_of(start[:START], name), tool_in(start)
    if tool is not None and kind == tool.title:
        return f"this is {kind}: choose it as the {tool.choice}, and here {expected}"
    return f"this is {kind}: {expected}" if kind else ""


def kind_of(start: bytes, name: str) -> str:
    """Return the kind of a file, given its beginning; empty: not recognised."""
    known = next((kind for beginning, kind in BEGINNINGS if start.startswith(beginning)), "")
    known = known or ENDINGS.get(PurePath(name).suffix.lower(), "")
    if known or start.startswith((b"\xff\xfe", b"\xfe\xff")):  # text in UTF-16
        return known
    if b"\x00" in start:
        return BINARY
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"<"):
        return _xml(text)
    tool = None if b'"fabriscope' in start else tool_in(start)
    if tool is not None:
        return tool.title
    other = next((kind for name, kind in OTHERS.items() if re.match(rb"\{\s*" + name, text)), "")
    if other:
        return other
    if text.startswith(b"{"):
        return OURS if b'"fabriscope"' in start else JSON
    return ""


def _xml(text: bytes) -> str:
    plain = re.sub(rb"<!--.*?(-->|$)", b"", text, flags=re.DOTALL)
    root = re.search(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)", plain)
    name = root.group(1).decode().lower() if root else ""
    return ROOTS.get(name, f"an XML file of <{name}>" if name else "an XML file")
