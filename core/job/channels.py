"""Channels of a collective: rings, chains or trees along which its messages are sent, as its labelled parts say."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.job.flow_parts import FlowParts

Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Channels:
    """The messages of one step, by channel; all arrays have the shape ``(messages,)``."""

    parts: FlowParts
    """The part of every message: a ring, or one direction of a tree."""
    src: Numbers
    """The task that sends."""
    dst: Numbers

    @classmethod
    def of(cls, parts: FlowParts | None, src: Numbers, dst: Numbers) -> "Channels | None":
        """Return the channels of a step; None without parts, or if no part has several messages."""
        if parts is None or np.unique(parts.of_flow).size == src.size:
            return None
        return cls(parts, src, dst)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the name of each channel: ``channel 3``."""
        return tuple(dict.fromkeys(map(self.parts.channel_of, self.parts.labels)))

    def number(self, channel: int) -> str:
        """Return the number of a channel as its name gives it: ``3`` for ``channel 3``."""
        return self.names[channel].rpartition(" ")[2]

    @cached_property
    def of_message(self) -> Numbers:
        """Return the number of the channel of every message, an index into `names`."""
        number = {name: k for k, name in enumerate(self.names)}
        of_part = np.array([number[self.parts.channel_of(label)] for label in self.parts.labels], np.int32)
        return np.asarray(of_part[self.parts.of_flow], np.int32)

    @cached_property
    def rings(self) -> bool:
        """Return whether in each part every task that sends or receives does both, once."""
        part = self.parts.of_flow.astype(np.int64) * (1 + int(max(self.src.max(), self.dst.max())))
        senders, receivers = (np.unique(part + ends) for ends in (self.src, self.dst))
        return senders.size == part.size and np.array_equal(senders, receivers)

    def between(self, source: int, destination: int) -> NDArray[np.intp]:
        """Return the messages from one task to another, in the order of channels."""
        messages = np.flatnonzero((self.src == source) & (self.dst == destination))
        return messages[np.argsort(self.parts.of_flow[messages], kind="stable")]

    def hop(self, message: int) -> tuple[int, int]:
        """Return the number of a message on its path, from 1, and the length of the path; 0 for a tree that branches.

        The path of a ring begins at its lowest task, and of a chain at its first. In a tree that branches, the number
        is the level below the root, for messages in both directions.
        """
        (same,) = np.nonzero(self.parts.of_flow == self.parts.of_flow[message])
        src, dst = self.src[same].tolist(), self.dst[same].tolist()
        start, end = int(self.src[message]), int(self.dst[message])
        branches = len(set(src)) < len(src) or len(set(dst)) < len(dst)
        if len(set(dst)) < len(dst):  # they lead to the root
            src, dst, start = dst, src, end
        before, number = dict(zip(dst, src, strict=True)), 1
        first = min(src) if set(src) == set(dst) else None
        while start in before and start != first and number < len(src):
            start, number = before[start], number + 1
        return number, 0 if branches else len(src)
