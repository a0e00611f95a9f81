"""Scotch (Debian package scotch) as a command: a job as its source graph, a torus as its target, its mapping read back.

Formats: Scotch and libScotch user's guide, sections on graph, target architecture and mapping files.
"""

import re
import shutil
import subprocess
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PROGRAMS = ("scotch_gmap", "gmap")
"""Debian's name, and Scotch's own."""
STRATEGIES = {"default": (), "quality": ("-cq",)}
"""`-c q`: privilege quality over speed."""


class Placed(NamedTuple):
    """What Scotch found."""

    nodes: NDArray[np.int32]
    """(tasks,) the node of each task."""
    hop_bytes: float
    """Volume times hops, as Scotch counts it: its communication expansion."""
    seconds: float
    """Of the command, from its start to its end."""


def program() -> str | None:
    """Return the path of Scotch's mapper; None if it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def place(mapper: str, folder: Path, volume: NDArray[np.float64], dims: tuple[int, ...], strategy: str) -> Placed:
    """Return what one of the `STRATEGIES` finds on a torus with as many nodes as tasks.

    `volume`, shape ``(tasks, tasks)``, is what tasks send to each other, in whole numbers. Scotch numbers a torus
    with its first dimension fastest, we with the last: reversed dimensions give the same numbers.
    """
    source, target, mapped = (folder / name for name in ("job.src", "torus.tgt", "found.map"))
    source.write_text(source_graph(volume))
    target.write_text(f"torus{len(dims)}D {' '.join(map(str, reversed(dims)))}\n")
    command = [mapper, "-vm", *STRATEGIES[strategy], source, target, mapped]
    begun = perf_counter()
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    seconds = perf_counter() - begun
    return Placed(read_mapping(mapped.read_text(), len(volume)), read_expansion(told), seconds)


def source_graph(volume: NDArray[np.float64]) -> str:
    """Return the source graph of what tasks send to each other: an edge weighs both ways, neighbours ascend."""
    both = np.rint(volume + volume.T).astype(np.int64)
    np.fill_diagonal(both, 0)
    # Version 0; vertices and arcs; numbers from 0 on, and three flags: no labels, weights of edges, none of vertices.
    lines = ["0", f"{len(both)} {np.count_nonzero(both)}", "0 010"]
    for row in both:
        others = np.flatnonzero(row)
        lines.append(f"{others.size} " + " ".join(f"{row[other]} {other}" for other in others))
    return "\n".join(lines) + "\n"


def read_mapping(text: str, tasks: int) -> NDArray[np.int32]:
    """Return the node of each task: below their number, the lines of the file are a task and its node."""
    table = np.array(text.split()[1:], np.int32).reshape(tasks, 2)
    node = np.empty(tasks, np.int32)
    node[table[:, 0]] = table[:, 1]
    return node


def read_expansion(text: str) -> float:
    """Return the total in ``CommExpan=1.33 (682)``: weights of edges times hops."""
    total = re.search(r"CommExpan=\S+\s+\((\d+)\)", text)
    assert total is not None, text
    return float(total[1])
