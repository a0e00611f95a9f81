"""Volumes between pairs of tasks, added up as they are read."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from core import spec
from core.job.job import MAX_TASKS, FlowBlock
from core.spec import SpecError

FIELD = "job.file"
MAX_PAIRS = 1 << 24


class ParsedTraffic(NamedTuple):
    """What is read from a file."""

    flows: FlowBlock
    tasks: int
    """How many there are at least; 0: as many as the flows name."""
    warnings: tuple[str, ...] = ()
    """What is left out, or may be meant otherwise."""
    in_bytes: bool = False
    """Whether the file says that it counts bytes."""


class TaskPairVolumes:
    """What is sent from which task to which."""

    def __init__(self) -> None:
        self._volume: dict[tuple[int, int], float] = {}

    def add(self, src: int, dst: int, volume: float) -> None:
        """Add a volume to what one task sends to another.

        Raises SpecError: if there are too many tasks or pairs.
        """
        if max(src, dst) >= MAX_TASKS:
            raise wrong(f"names task {max(src, dst):,}; at most {MAX_TASKS:,} tasks fit")
        if volume > 0:
            self._volume[src, dst] = self._volume.get((src, dst), 0.0) + volume
            if len(self._volume) > MAX_PAIRS:
                raise wrong(f"has more than {MAX_PAIRS:,} pairs of tasks, the most that are read")

    def flows(self) -> FlowBlock:
        """Return it all, by source and then destination."""
        each = sorted(self._volume)
        ends = np.array(each, np.int32).reshape(-1, 2)
        return FlowBlock(ends[:, 0], ends[:, 1], np.array([self._volume[pair] for pair in each], np.float64))


def wrong(what: str) -> SpecError:
    """Return the error to raise for a file that is not right."""
    return SpecError(FIELD, what)


def at_line(line: int, what: str) -> SpecError:
    """Return the error to raise for a line, counted from 1."""
    return wrong(f"line {line:,}: {what}")


def text_of(path: Path) -> str:
    """Return the text of a file.

    Raises SpecError: naming the line that is no text in UTF-8.
    """
    return spec.text_of(FIELD, path)


def is_whole(word: str, most: int = MAX_TASKS) -> bool:
    """Return whether a word is a whole number from 0 up, below `most`."""
    return word.isdecimal() and len(word) < 19 and int(word) < most
