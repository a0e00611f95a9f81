"""Hostile scenarios are refused within bounded memory: a child process with little memory must not run out of it."""

import json
import subprocess
import sys
from pathlib import Path

from tests import patience

ROOT = Path(__file__).parents[3]
LIMIT = 3 << 30
"""Bytes of address space: numba and numpy alone map about one gigabyte."""

CHILD = """
import resource, sys
if sys.platform == "linux":  # elsewhere the limit is not kept, and the test shows less
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from core.files import decode
from core.spec import SpecError
for line in sys.stdin:
    try:
        decode(line.encode()).build()
    except SpecError as error:
        print(error.field)
    else:
        print("built")
"""

PERCS = {"type": "percs"}
HALO = {"type": "halo"}
SEQUENTIAL = {"type": "sequential"}
DIRECT = {"type": "percs-direct"}
ADAPTIVE = {"type": "adaptive"}

HOSTILE = (
    ("network.supernodes", {"type": "percs", "supernodes": 10**9}, HALO, SEQUENTIAL, DIRECT),
    ("network.supernodes", {"type": "percs", "supernodes": 4096, "d_links": 32}, HALO, SEQUENTIAL, DIRECT),
    ("network.dims", {"type": "torus", "dims": [65536] * 8}, HALO, SEQUENTIAL, ADAPTIVE),
    ("network.dims", {"type": "mesh", "dims": [2048, 2048, 64]}, HALO, SEQUENTIAL, ADAPTIVE),
    ("job.rows", PERCS, {"type": "halo", "rows": 1 << 20, "cols": 1 << 20}, SEQUENTIAL, DIRECT),
    ("job.rows", PERCS, {"type": "transpose", "rows": 1 << 20, "cols": 2}, SEQUENTIAL, DIRECT),
    ("mapping", PERCS, {"type": "all-to-all", "tasks": 1 << 22}, SEQUENTIAL, DIRECT),
    (
        "job.tasks",
        {"type": "torus", "dims": [512, 512]},
        {"type": "all-to-all", "tasks": 1 << 18},
        SEQUENTIAL,
        ADAPTIVE,
    ),
    ("mapping", PERCS, {"type": "permutation", "tasks": 1 << 22}, SEQUENTIAL, DIRECT),
    ("mapping.slots", PERCS, HALO, {"type": "explicit", "slots": list(range(500_000))}, DIRECT),
    ("mapping", PERCS, {"type": "flows", "src": [(1 << 22) - 1], "dst": [0], "volume": [1]}, SEQUENTIAL, DIRECT),
)


def test_hostile_scenarios_are_refused_in_little_memory():
    names = ("network", "job", "mapping", "routing")
    lines = [json.dumps({"fabriscope": 1, **dict(zip(names, choices, strict=True))}) for _, *choices in HOSTILE]
    command = [sys.executable, "-c", CHILD, str(LIMIT)]
    done = subprocess.run(
        command, cwd=ROOT, input="\n".join(lines), capture_output=True, text=True, timeout=patience.SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [field for field, *_ in HOSTILE]
