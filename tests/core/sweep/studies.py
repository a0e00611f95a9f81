"""Small studies for tests."""

import msgspec

from core.sweep.study import decode_study

BASE = {
    "network": {"type": "torus", "dims": [4, 4]},
    "job": {"type": "halo", "rows": 4, "cols": 4},
    "mapping": {"type": "sequential"},
    "routing": {"type": "dimension-order"},
}


def content(**fields):
    """The bytes of the smallest study file, with some fields changed."""
    return msgspec.json.encode({"fabriscope_study": 1, "base": BASE, "measure": ["throughput_gbs"], **fields})


def study(**fields):
    return decode_study(content(**fields))
