"""Clocks of benchmarks, and the text of their figures."""

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
PR_SET_CHILD_SUBREAPER = 36
"""Option of Linux's prctl: this process adopts orphaned descendants."""
TURN = 0.02
"""Seconds for which a short call is repeated in its turn."""


def timed(call: Callable[..., Any], *args: Any, clock: Callable[[], float] = perf_counter) -> float:
    """Return the seconds of a call."""
    begun = clock()
    call(*args)
    return clock() - begun


def medians(rounds: int, *calls: Callable[[], Any], clock: Callable[[], float] = perf_counter) -> list[float]:
    """Return the median seconds of each call; the calls take turns, so that other load affects all of them."""
    turns = [[_turn(call, clock) for call in calls] for _ in range(rounds)]
    return [median(spent) for spent in zip(*turns, strict=True)]


def _turn(call: Callable[[], Any], clock: Callable[[], float]) -> float:
    spent = [timed(call, clock=clock)]
    while sum(spent) < TURN:
        spent.append(timed(call, clock=clock))
    return median(spent)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, of its children, and of the processes that they have waited for."""
    processes = [psutil.Process(), *psutil.Process().children()]
    return sum(sum(process.cpu_times()[:4]) for process in processes)


def run_to_the_end(arguments: list[str], environment: dict[str, str]) -> None:
    """Run this Python in the project's folder, and wait for processes that it leaves behind, such as a fork server."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    before = psutil.Process().children()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True, capture_output=True)
    psutil.wait_procs([child for child in psutil.Process().children() if child not in before])


def seconds_text(seconds: float) -> str:
    """Return seconds with three digits and a unit."""
    unit, scale = ("µs", 1e-6) if seconds < 1e-3 else ("ms", 1e-3) if seconds < 1 else ("s", 1.0)
    return f"{digits(seconds / scale)} {unit}"


def faster(baseline: float, ours: float) -> str:
    """Return the ratio of our time to a baseline: ``33.9× faster``."""
    return f"{digits(baseline / ours)}× faster" if ours <= baseline else f"{digits(ours / baseline)}× slower"


def digits(number: float) -> str:
    """Return a number with three digits, or rounded to an integer from 100 on."""
    return f"{number:,.0f}" if number >= 100 else f"{float(f'{number:.3g}'):g}"
