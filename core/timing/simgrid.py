"""SimGrid: the same messages over the same links, simulated by SimGrid, if Debian's python3-simgrid is installed.

Casanova et al., "Versatile, scalable, and accurate simulation of distributed applications and platforms", 2014. Ranks
go through the steps as in `core.timing.fair_share`. Flows follow SimGrid's model CM02 without its TCP effects: no
windows, no headers, no acknowledgements. It differs from fair share in three ways:

- a message first waits its latencies, (h + 1) over h links, and is then sent; its sender continues when the message
  has arrived, not when it has been sent;
- with latencies above 0, flows share a full link in inverse proportion to the latencies of their paths, as SimGrid
  models TCP;
- a message routed over several paths is split into parts, one per path, with separate rates.

Without latencies, over single paths, times equal fair share up to rounding.
"""

import json
import os
import shutil
import subprocess
from collections import defaultdict
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.load.scenario import Case
from core.network.network import Network
from core.routing.flows import Nodes, Volumes
from core.spec import Progress, SpecError, TooLarge, no_progress, subprogress
from core.timing.replay import Messages
from core.timing.routed import FOUND, RoutedMessages, routed_messages
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

WORKER = Path(__file__).with_name("simgrid_worker.py")
INSTALL = "sudo apt install python3-simgrid"
MAX_TASKS = 1 << 12
"""Limit on tasks: each is a thread of SimGrid."""
MAX_PATHS = 1 << 16
MAX_SECONDS = 300.0
"""Estimated seconds of simulation."""
PACE = 3e-7
"""Approximate seconds per path link of a part and per part sent at the same time: all shares are recomputed."""
PATHS = 0.5
"""Fraction of the progress when paths are known."""
PROGRESS_SECONDS = 0.1
"""Seconds between two calls of progress."""
LONG, MANY = 1e3, 1e15
"""Scale given to SimGrid: the whole job under a barrier as LONG seconds, the largest message as MANY bytes. SimGrid
counts whole bytes, and treats times as equal that differ by less than 1e-9."""
MIN_SHARE = 1e-9
"""Shares below this do not make a path."""


def pythons() -> tuple[str, ...]:
    """Return the system's Python if it can import SimGrid, else nothing."""
    python = shutil.which("python3", path=os.defpath)
    if python is None:
        return ()
    completed = subprocess.run([python, "-I", "-c", "import simgrid"], capture_output=True, check=False)
    return (python,) if completed.returncode == 0 else ()


class SimGrid(TimingSpec, frozen=True, tag="simgrid"):
    """SimGrid: a rank continues when its own messages are sent and received, as simulated by python3-simgrid."""

    title: ClassVar[str] = "SimGrid"

    def summary(self) -> str:
        """Return the model in words."""
        return "each rank waits for its own messages, simulated by SimGrid"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs: from the earliest start of a message to the last arrival.

        Raises SpecError: if SimGrid is not installed or fails, or nodes are aggregated. Raises TooLarge: if it would
        simulate for more than minutes. Raises Cancelled: when `progress` does.
        """
        if case.job.order is not None:
            words = f"simgrid runs jobs rank by rank, and {case.job.source} has its own order; choose fair-share"
            raise SpecError("timing.type", words)
        available = pythons()
        if not available:
            raise SpecError("timing.type", f"simgrid needs SimGrid for the system's Python; install it with: {INSTALL}")
        counted, routed = routed_messages(self, case, progress)
        paths = _paths_of(case, routed, subprogress(progress, FOUND, PATHS))
        parts = _parts_of(routed, paths)
        _check(case, paths, parts)
        scale = LONG / (counted.seconds or 1.0)
        bytes_a_second = MANY / (float(routed.messages.volume.max(initial=0.0)) or 1.0) / scale
        given = {
            "ranks": case.job.tasks,
            "pauses": [phase.pause_seconds * scale for phase in case.job.phases],
            "wait": self.hop_seconds * scale,
            "waits": case.network.links,
            "capacity": (routed.capacity * bytes_a_second).tolist(),
            "paths": [path for some in paths for _, path in some],
            "parts": parts,
        }
        times = _played(available[0], given, subprogress(progress, PATHS, 1.0)) / scale
        return counted.retimed(*_begun_and_over(routed.messages, times), times)


Part = tuple[int, int, int, int, int]
"""Part of a message: step, sending rank, receiving rank, path, bytes."""
PathShare = tuple[float, list[int]]
"""A path: its share of a pair's messages, and its links."""


def _paths_of(case: Case, routed: RoutedMessages, progress: Progress) -> list[list[PathShare]]:
    # The paths of each pair of nodes.
    start, links, shares = routed.paths
    by_pair, total = list[list[PathShare]](), 0
    for pair in range(start.size - 1):
        progress(pair / start.size)
        some = slice(start[pair], start[pair + 1])
        paths = _paths(case.network, int(routed.src[pair]), int(routed.dst[pair]), links[some], shares[some])
        total += len(paths)
        if total > MAX_PATHS:
            raise _too_large(f"simulates at most {MAX_PATHS:,} paths, and this job has more")
        by_pair.append(paths)
    return by_pair


def _paths(network: Network, u: int, v: int, links: Nodes, shares: Volumes) -> list[PathShare]:
    # Decompose the links and shares of a pair into paths; limits of nodes belong to every path.
    if (shares == 1.0).all():
        return [(1.0, links.tolist())]
    ours, paths = links < network.links, list[PathShare]()
    left: dict[int, list[list[float]]] = defaultdict(list)
    for link, share in zip(links[ours].tolist(), shares[ours].tolist(), strict=True):
        left[int(network.src[link])].append([share, link])
    while max((share for share, _ in left[u]), default=0.0) > MIN_SHARE:
        taken, at = [], u
        while at != v:
            taken.append(max(left[at], default=[0.0, -1]))
            if taken[-1][0] <= MIN_SHARE or len(taken) > links.size:
                words = "simgrid needs paths without cycles, and this routing has some with cycles; choose fair-share"
                raise SpecError("timing.type", words)
            at = int(network.dst[int(taken[-1][1])])
        share = min(share for share, _ in taken)
        for hop in taken:
            hop[0] -= share
        paths.append((share, [*(int(link) for _, link in taken), *links[~ours].tolist()]))
    return paths


def _parts_of(routed: RoutedMessages, paths: list[list[PathShare]]) -> list[Part]:
    messages = routed.messages
    many = MANY / (float(messages.volume.max(initial=0.0)) or 1.0)
    first = np.append(0, np.cumsum([len(some) for some in paths])).tolist()
    columns = (messages.step, messages.src, messages.dst, messages.pair, messages.volume)
    return [
        (step, src, dst, first[pair] + number, max(round(volume * share * many), 1) if path else 1)
        for step, src, dst, pair, volume in zip(*(column.tolist() for column in columns), strict=True)
        for number, (share, path) in enumerate(paths[pair])
    ]


def _check(case: Case, paths: list[list[PathShare]], parts: list[Part]) -> None:
    if case.job.tasks > MAX_TASKS:
        raise _too_large(f"simulates at most {MAX_TASKS:,} tasks, and this job has {case.job.tasks:,}")
    at_once = max(np.bincount([part[0] for part in parts]).tolist(), default=0)
    lengths = [len(path) + 1 for some in paths for _, path in some]
    seconds = PACE * len(parts) * at_once * float(np.mean(lengths or [0]))
    if seconds > MAX_SECONDS:
        raise _too_large(
            f"runs for at most {MAX_SECONDS / 60:.0f} minutes, and this job would need {seconds / 60:,.0f}"
        )


def _too_large(why: str) -> TooLarge:
    return TooLarge("timing.type", f"simgrid {why}; choose a smaller job, or fair-share")


def _played(python: str, given: dict[str, Any], progress: Progress) -> NDArray[np.float64]:
    # The worker process never outlives this call.
    with TemporaryFile() as file:
        file.write(json.dumps(given).encode())
        file.seek(0)
        process = subprocess.Popen([python, "-I", WORKER], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        while True:
            try:
                out, err = process.communicate(timeout=PROGRESS_SECONDS)
                break
            except subprocess.TimeoutExpired as waiting:
                progress((waiting.output or b"").partition(b"\n")[0].count(b".") / 101)
    finally:
        process.kill()
        process.communicate()
    if process.returncode:
        last = err.decode(errors="replace").strip().splitlines() or [f"exit status {process.returncode}"]
        raise SpecError("timing.type", f"simgrid failed: {last[-1]}")
    progress(1.0)
    times: NDArray[np.float64] = np.array(json.loads(out.splitlines()[-1]), float)
    return times


def _begun_and_over(messages: Messages, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # A step begins when the first rank that sends begins it, and ends when the last message has arrived; a step without
    # messages, when the first rank begins it and the last ends it.
    begin, end = np.full(len(times) - 1, inf), np.zeros(len(times) - 1)
    np.minimum.at(begin, messages.step, times[messages.step, messages.src])
    np.maximum.at(end, messages.step, times[messages.step + 1, messages.dst])
    silent = np.isinf(begin)
    return np.where(silent, times[:-1].min(axis=1), begin), np.where(silent, times[1:].max(axis=1), end)
