"""Run Scotch (Debian package scotch): write a job as its source graph and a machine as its target, read its mapping.

Formats: Scotch and libScotch user's guide, sections on graph, target architecture and mapping files.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PROGRAMS = ("scotch_gmap", "gmap")
"""Debian's name, and Scotch's own."""
STRATEGIES = {"default": (), "quality": ("-cq",)}
"""Option ``-c q``: prefer quality to speed."""
BALANCED = ("-b0",)
"""Option ``-b0``: as many tasks on each node."""


class Placed(NamedTuple):
    """A mapping found by Scotch."""

    nodes: NDArray[np.int32]
    """(tasks,) the node of each task."""
    hop_bytes: float
    """Volume × hops as counted by Scotch, which calls it communication expansion."""
    seconds: float
    """Wall-clock time of the command."""


def program() -> str | None:
    """Return the path of Scotch's mapper, or None if it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def torus(dims: tuple[int, ...]) -> str:
    """Return the target of a torus.

    Scotch numbers a torus with its first dimension fastest, we with the last, so reversed dimensions give the same
    numbers.
    """
    return f"torus{len(dims)}D {' '.join(map(str, reversed(dims)))}\n"


def tree(*levels: tuple[int, int]) -> str:
    """Return the target of a tree: the branches of each level from the root, and the relative cost of its links."""
    return f"tleaf {len(levels)} {' '.join(f'{branches} {cost}' for branches, cost in levels)}\n"


def place(mapper: str, folder: Path, volume: NDArray[np.float64], target: str, options: Sequence[str]) -> Placed:
    """Map a job on a target with as many nodes as tasks; `volume` has integer values, shape ``(tasks, tasks)``."""
    source, machine, mapped = (folder / name for name in ("job.src", "machine.tgt", "found.map"))
    source.write_text(source_graph(volume))
    machine.write_text(target)
    command = [mapper, "-vm", *options, source, machine, mapped]
    begun = perf_counter()
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    seconds = perf_counter() - begun
    return Placed(read_mapping(mapped.read_text(), len(volume)), read_expansion(output), seconds)


def source_graph(volume: NDArray[np.float64]) -> str:
    """Return the source graph of a job; edges have the sum of both directions, neighbours ascend."""
    both = np.rint(volume + volume.T).astype(np.int64)
    np.fill_diagonal(both, 0)
    # Version 0; vertices and arcs; base 0, and three flags: no labels, edge weights, no vertex weights.
    lines = ["0", f"{len(both)} {np.count_nonzero(both)}", "0 010"]
    for row in both:
        others = np.flatnonzero(row)
        lines.append(f"{others.size} " + " ".join(f"{row[other]} {other}" for other in others))
    return "\n".join(lines) + "\n"


def read_mapping(text: str, tasks: int) -> NDArray[np.int32]:
    """Return the node of each task; after the number of tasks, each line has a task and its node."""
    table = np.array(text.split()[1:], np.int32).reshape(tasks, 2)
    node = np.empty(tasks, np.int32)
    node[table[:, 0]] = table[:, 1]
    return node


def read_expansion(text: str) -> float:
    """Return the total in ``CommExpan=1.33 (682)``: weights of edges times hops."""
    total = re.search(r"CommExpan=\S+\s+\((\d+)\)", text)
    assert total is not None, text
    return float(total[1])
