"""OTF2 traces of Score-P. The scenario names the anchor file; definitions and a folder of events are next to it.

MpiSend and MpiIsend are counted; their receiver is a rank of the communicator. The library otf2 reads the trace in a
separate process. Source: OTF2 3.2, Technische Universität Dresden and Forschungszentrum Jülich, 2025.
"""

import sys
from pathlib import Path
from typing import Any

from core.job.traffic.pairs import ParsedTraffic, TaskPairVolumes, wrong
from core.optional import missing
from core.text import plural

WORKER = Path(__file__).with_name("otf2_worker.py")
MAGIC = b"OTF2"
MAX_BYTES = 1 << 30
"""Maximum total size of the event files."""
COLLECTIVES = "{} ignored, since OTF2 does not record their messages between ranks"
UNKNOWN = "{} ignored, sent between two communicators or outside MPI ranks"


def read_otf2(path: Path) -> ParsedTraffic:
    """Read the bytes between ranks, and the number of ranks.

    Raises SpecError: if it is not a trace, or incomplete, or the library is not installed.
    """
    import importlib.util  # slow to import, rarely needed
    import json
    import subprocess

    if path.read_bytes()[2:6] != MAGIC:
        raise wrong("is not an OTF2 anchor file")
    folder, definitions = path.with_suffix(""), path.with_suffix(".def")
    if not (folder.is_dir() and definitions.is_file()):
        raise wrong(f"needs {definitions.name} and the folder {folder.name} in its folder; copy the complete trace")
    size = sum(file.stat().st_size for file in folder.iterdir())
    if size > MAX_BYTES:
        raise wrong(f"has {size >> 20:,} MiB of events; the limit is {MAX_BYTES >> 20:,} MiB")
    if importlib.util.find_spec("otf2") is None:
        raise missing("otf2", "otf2", "job.file")
    done = subprocess.run([sys.executable, "-P", WORKER, path], capture_output=True, check=False)
    if done.returncode:
        raise wrong("cannot be read by the otf2 library; the trace is incomplete or damaged")
    return _traffic(json.loads(done.stdout))


def _traffic(trace: dict[str, Any]) -> ParsedTraffic:
    if not trace["ranks"]:
        raise wrong("has no MPI ranks")
    pairs = TaskPairVolumes()
    for src, dst, volume in trace["sent"]:
        pairs.add(src, dst, float(volume))
    kinds = (("collectives", "collective operation", COLLECTIVES), ("unknown", "message", UNKNOWN))
    warnings = tuple(words.format(plural(trace[key], noun)) for key, noun, words in kinds if key in trace)
    return ParsedTraffic(pairs.flows(), trace["ranks"], warnings)
