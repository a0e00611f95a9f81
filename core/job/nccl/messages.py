"""The messages of a step along all rings, or along all trees."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.nccl.communicator import Communicator, Ranks
from core.job.nccl.lines import NONE

CHANNEL = "channel"


class Messages(NamedTuple):
    """Messages of equal size, as arrays of equal length."""

    channel: Ranks
    src: Ranks
    dst: Ranks
    part: Ranks
    """Index of each message's label."""

    def at(self, where: NDArray[np.intp]) -> "Messages":
        """Return the messages at some indices."""
        return Messages(*(column[where] for column in self))


def ring_messages(communicator: Communicator, root: int | None) -> tuple[Messages, list[str]]:
    """Return a message from each rank to the next in every channel, and a label for each channel.

    `root`: the rank from which a broadcast begins, to which nobody sends; None if all ranks receive.

    Raises SpecError: if a ring is invalid.
    """
    after = communicator.next_ranks
    if root is not None:
        after = np.where(after == root, NONE, after)
    channel, rank, following = _links(after)
    return Messages(channel, rank, following, channel), [f"{CHANNEL} {k}" for k in range(communicator.channels)]


def tree_messages(communicator: Communicator) -> tuple[Messages, list[str]]:
    """Return a message up and a message down each link of all trees, and two labels for each channel.

    Raises SpecError: if a tree is invalid.
    """
    up, down = communicator.parents
    channel, rank, parent = _links(up)
    upwards = Messages(channel, rank, parent, 2 * channel)
    channel, rank, parent = _links(down)
    downwards = Messages(channel, parent, rank, 2 * channel + 1)
    both = Messages(*(np.concatenate(columns) for columns in zip(upwards, downwards, strict=True)))
    return both, [f"{CHANNEL} {k}, {way}" for k in range(communicator.channels) for way in ("up", "down")]


def _links(other: Ranks) -> tuple[Ranks, Ranks, Ranks]:
    # The channel, the rank and the other rank of each link.
    channel, rank = np.nonzero(other != NONE)
    return channel.astype(np.int32), rank.astype(np.int32), other[channel, rank].astype(np.int32)
