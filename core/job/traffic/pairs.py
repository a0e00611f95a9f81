"""Sums volumes between pairs of tasks while a file is read."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core import spec
from core.job.job import MAX_TASKS, FlowBlock
from core.job.measure import Counted
from core.spec import SpecError

FIELD = "job.file"
MAX_PAIRS = 1 << 24

text_of = partial(spec.text_of, FIELD)
wrong = partial(SpecError, FIELD)
at_line = partial(spec.error_at_line, FIELD)


OtherFile = Callable[[str], Path | None]
"""Returns the path of another file of the trace, under the same rules as the first, or None if it is missing."""


class ParsedTraffic(NamedTuple):
    """The contents of a traffic file."""

    flows: FlowBlock
    tasks: int
    """Number of tasks, or 0 for the largest task in the flows plus one."""
    warnings: tuple[str, ...] = ()
    """Notes on ignored or ambiguous parts of the file."""
    counted: Counted = "auto"
    """Unit of volumes; auto if the file gives none."""
    factor: float = 1.0
    """Factor that converts the numbers in the file to this unit."""
    source: str = ""
    """Format of the file: ``a GOAL schedule``."""


class TaskPairVolumes:
    """Volume by source and destination task."""

    def __init__(self) -> None:
        self._volume: dict[tuple[int, int], float] = {}

    def add(self, src: int, dst: int, volume: float) -> None:
        """Add a volume to the volume of a pair.

        Raises SpecError: if there are too many tasks or pairs.
        """
        if max(src, dst) >= MAX_TASKS:
            raise wrong(f"refers to task {max(src, dst):,}; the limit is {MAX_TASKS:,} tasks")
        if volume > 0:
            self._volume[src, dst] = self._volume.get((src, dst), 0.0) + volume
            if len(self._volume) > MAX_PAIRS:
                raise wrong(f"has more than {MAX_PAIRS:,} pairs of tasks, the limit")

    def flows(self) -> FlowBlock:
        """Return the flows, sorted by source and then destination."""
        each = sorted(self._volume)
        ends = np.array(each, np.int32).reshape(-1, 2)
        return FlowBlock(ends[:, 0], ends[:, 1], np.array([self._volume[pair] for pair in each], np.float64))


def is_whole(word: str, most: int = MAX_TASKS) -> bool:
    """Return whether a word is a whole number from 0 up to, but not including, `most`."""
    return word.isdecimal() and len(word) < 19 and int(word) < most
