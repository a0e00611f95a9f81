"""SimGrid: the same messages over the same links, played by SimGrid, where Debian's python3-simgrid is installed.

Casanova et al., "Versatile, scalable, and accurate simulation of distributed applications and platforms", 2014. Ranks
go through the steps as in `core.timing.fair_share`. Flows are SimGrid's (its model CM02) but for what it knows of TCP:
no windows, no headers, no acknowledgements on their way back. Three things differ from fair share:

- a message waits its latencies first, (h + 1) of them over h links, and is then sent; its sender goes on when it has
  arrived, not when it has been sent;
- where latencies are above 0, flows share a full link in inverse proportion to the latencies of their paths, as SimGrid
  has it of TCP;
- a message whose routing has several paths goes in parts, one for each path, with rates of their own.

Without latencies, over single paths, times are those of fair share to the last digits.
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
"""Each is a thread of SimGrid's."""
MAX_PATHS = 1 << 16
MAX_SECONDS = 300.0
"""Seconds that SimGrid may be estimated to take."""
PACE = 3e-7
"""Seconds for each link that a part crosses and each part that is sent at the same time, about: all share anew."""
PATHS = 0.5
"""Fraction of the work after which it is known which paths there are."""
PROGRESS_SECONDS = 0.1
"""Between two calls of progress."""
LONG, MANY = 1e3, 1e15
"""What SimGrid is told: as how many seconds the steps under a barrier, and as how many bytes the largest message. It
counts bytes in whole numbers, and takes times for equal that differ by less than 1e-9."""
NOTHING = 1e-9
"""A share below which a path is none."""


def pythons() -> tuple[str, ...]:
    """Return the system's Python if it knows SimGrid, else nothing."""
    python = shutil.which("python3", path=os.defpath)
    if python is None:
        return ()
    known = subprocess.run([python, "-I", "-c", "import simgrid"], capture_output=True, check=False)
    return (python,) if known.returncode == 0 else ()


class SimGrid(TimingSpec, frozen=True, tag="simgrid"):
    """SimGrid: a rank goes on when its own messages are sent and received, as SimGrid (python3-simgrid) has it."""

    title: ClassVar[str] = "SimGrid"

    def summary(self) -> str:
        """Return what counts."""
        return "each rank waits for its own messages, played by SimGrid"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs: from when its first message may start to when its last has arrived.

        Raises SpecError: where SimGrid is not installed, or fails, or a node stands for many. Raises TooLarge: if
        there is more than it can play in minutes. Raises Cancelled: when `progress` does.
        """
        found = pythons()
        if not found:
            raise SpecError("timing.type", f"simgrid needs SimGrid in the system's Python, which lacks it: {INSTALL}")
        counted, routed = routed_messages(self, case, progress)
        ways = _ways_of(case, routed, subprogress(progress, FOUND, PATHS))
        parts = _parts_of(routed, ways)
        _check(case, ways, parts)
        scale = LONG / (counted.seconds or 1.0)
        bytes_a_second = MANY / (float(routed.messages.volume.max(initial=0.0)) or 1.0) / scale
        given = {
            "ranks": case.job.tasks,
            "pauses": [phase.pause_seconds * scale for phase in case.job.phases],
            "wait": self.hop_seconds * scale,
            "waits": case.network.links,
            "capacity": (routed.capacity * bytes_a_second).tolist(),
            "paths": [path for some in ways for _, path in some],
            "parts": parts,
        }
        times = _played(found[0], given, subprogress(progress, PATHS, 1.0)) / scale
        return counted.retimed(*_begun_and_over(routed.messages, times), times)


Part = tuple[int, int, int, int, int]
"""Of a message: its step, who sends it, who receives it, its path, and how many bytes."""
Way = tuple[float, list[int]]
"""The share of a pair's messages that goes over a path, and the links of that."""


def _ways_of(case: Case, routed: RoutedMessages, progress: Progress) -> list[list[Way]]:
    # Of each pair of nodes.
    start, links, shares = routed.paths
    found, total = list[list[Way]](), 0
    for pair in range(start.size - 1):
        progress(pair / start.size)
        some = slice(start[pair], start[pair + 1])
        ways = _ways(case.network, int(routed.src[pair]), int(routed.dst[pair]), links[some], shares[some])
        total += len(ways)
        if total > MAX_PATHS:
            raise _too_large(f"{MAX_PATHS:,} paths, here are more")
        found.append(ways)
    return found


def _ways(network: Network, u: int, v: int, links: Nodes, shares: Volumes) -> list[Way]:
    # The paths that links with such shares make; what is no link of the network is of all paths.
    if (shares == 1.0).all():
        return [(1.0, links.tolist())]
    ours, ways = links < network.links, list[Way]()
    left: dict[int, list[list[float]]] = defaultdict(list)
    for link, share in zip(links[ours].tolist(), shares[ours].tolist(), strict=True):
        left[int(network.src[link])].append([share, link])
    while max((share for share, _ in left[u]), default=0.0) > NOTHING:
        taken, at = [], u
        while at != v:
            taken.append(max(left[at], default=[0.0, -1]))
            if taken[-1][0] <= NOTHING or len(taken) > links.size:
                words = "simgrid sends over paths, and here some lead in circles: choose fair-share"
                raise SpecError("timing.type", words)
            at = int(network.dst[int(taken[-1][1])])
        share = min(share for share, _ in taken)
        for hop in taken:
            hop[0] -= share
        ways.append((share, [*(int(link) for _, link in taken), *links[~ours].tolist()]))
    return ways


def _parts_of(routed: RoutedMessages, ways: list[list[Way]]) -> list[Part]:
    messages = routed.messages
    many = MANY / (float(messages.volume.max(initial=0.0)) or 1.0)
    first = np.append(0, np.cumsum([len(some) for some in ways])).tolist()
    columns = (messages.step, messages.src, messages.dst, messages.pair, messages.volume)
    return [
        (step, src, dst, first[pair] + number, max(round(volume * share * many), 1) if path else 1)
        for step, src, dst, pair, volume in zip(*(column.tolist() for column in columns), strict=True)
        for number, (share, path) in enumerate(ways[pair])
    ]


def _check(case: Case, ways: list[list[Way]], parts: list[Part]) -> None:
    if case.job.tasks > MAX_TASKS:
        raise _too_large(f"{MAX_TASKS:,} tasks, here are {case.job.tasks:,}")
    at_once = max(np.bincount([part[0] for part in parts]).tolist(), default=0)
    lengths = [len(path) + 1 for some in ways for _, path in some]
    seconds = PACE * len(parts) * at_once * float(np.mean(lengths or [0]))
    if seconds > MAX_SECONDS:
        raise _too_large(f"about {MAX_SECONDS / 60:.0f} minutes, here it would take {seconds / 60:,.0f}")


def _too_large(why: str) -> TooLarge:
    return TooLarge("timing.type", f"simgrid plays at most {why}: choose a smaller job, or fair-share")


def _played(python: str, given: dict[str, Any], progress: Progress) -> NDArray[np.float64]:
    # The process is gone in the end, however this ends.
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
        last = err.decode(errors="replace").strip().splitlines() or [f"it ended with {process.returncode}"]
        raise SpecError("timing.type", f"simgrid failed: {last[-1]}")
    progress(1.0)
    times: NDArray[np.float64] = np.array(json.loads(out.splitlines()[-1]), float)
    return times


def _begun_and_over(messages: Messages, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # A step begins when the first rank that sends begins it, and ends when the last message has arrived; one without
    # messages, when the first rank begins it and the last ends it.
    begin, end = np.full(len(times) - 1, inf), np.zeros(len(times) - 1)
    np.minimum.at(begin, messages.step, times[messages.step, messages.src])
    np.maximum.at(end, messages.step, times[messages.step + 1, messages.dst])
    silent = np.isinf(begin)
    return np.where(silent, times[:-1].min(axis=1), begin), np.where(silent, times[1:].max(axis=1), end)
