"""The data of a page as its script reads it."""

import json
import re
import zlib
from base64 import b64decode

import numpy as np


def page_data(content):
    """Return the data in the bytes of a page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', content.decode(), re.S)[1])


def unpacked(blob):
    """Return the array of a blob, or its lines."""
    content = zlib.decompress(b64decode(blob["data"]))
    if blob["type"] == "text":
        return content.decode().split("\n")
    size = int(blob["type"][1])
    grouped = np.frombuffer(content, np.uint8).reshape(size, -1)
    values = np.ascontiguousarray(grouped.T).view(f"<{blob['type']}").ravel()
    return np.cumsum(values, dtype=values.dtype) if blob["delta"] else values


def curves_of(curves, places, dimensions):
    """Return start, control and end of each curve, shape ``(n, 3, dimensions)``."""
    src, dst = unpacked(curves["src"]), unpacked(curves["dst"])
    bends = unpacked(curves["bends"]).reshape(3, dimensions, -1).transpose(2, 0, 1) * curves["step"]
    ends = places[src], places[dst]
    return np.stack([ends[0], (ends[0] + ends[1]) / 2, ends[1]], axis=1) + bends
