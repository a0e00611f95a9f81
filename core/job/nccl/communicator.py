"""A communicator of NCCL as its ranks have logged it: rings, trees, hosts and NICs."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.job.logged_hosts import LoggedHosts
from core.job.nccl.graphs import at_line, ring_of, tree_of, wrong
from core.job.nccl.lines import NONE, Connection, Line, Next, RingList, TreeNode, TreeNodes
from core.text import plural

MAX_ENTRIES = 1 << 24
"""Maximum number of ranks times channels."""

Ranks = NDArray[np.int32]


class Communicator:
    """The lines about one communicator.

    Parameters
    ----------
    ranks
        Number of ranks; 0 if no line gives it.
    """

    def __init__(self, ranks: int) -> None:
        self._given = ranks
        self.channels = 0
        """Number of channels."""
        self.nics: dict[tuple[int, int, int], list[int]] = {}
        """NICs of the source and the destination of connections over the network, by channel, source and destination;
        `NONE` if unknown."""
        self._top = NONE
        """Largest rank in any line."""
        self._lists: dict[int, tuple[RingList, int]] = {}
        """By channel, with the number of the line."""
        self._next: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        """By channel and rank: the next rank in the ring, and the number of the line."""
        self._connected: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        """The same by the first connection from a rank, which belongs to its ring."""
        self._trees: tuple[dict[tuple[int, int], tuple[TreeNode, int]], ...] = {}, {}
        """For reducing and for broadcasting: by channel and rank, with the number of the line."""
        self._last = 0
        """The last line."""
        self._cut_off = 0
        """The first line that ends in the middle of a tree."""
        self._host: dict[int, str] = {}
        """Empty for a rank with several."""
        self._gpu: dict[int, int] = {}
        """Number of a rank's GPU on its host."""

    def add(self, line: Line, rank: int) -> None:
        """Add a line, which `rank` has printed, or an unknown rank, `NONE`.

        Raises SpecError: if it contradicts a line before.
        """
        self._last = max(self._last, line.number)
        match line.message:
            case RingList() as ring:
                self._add_list(ring, line.number)
            case Next() as step:
                self.channels = max(self.channels, step.channel + 1)
                self._next[step.channel].setdefault(step.rank, (step.after, line.number))
                rank = step.rank
            case TreeNodes() as trees:
                rank = self._add_trees(trees, line.number, rank)
            case Connection() as connection:
                rank = self._add_connection(connection, line.number, rank)
        self._see(rank, line=line.number)
        if rank != NONE and line.sender.host and self._host.setdefault(rank, line.sender.host) != line.sender.host:
            self._host[rank] = ""
        if rank != NONE and line.sender.gpu:
            self._gpu.setdefault(rank, int(line.sender.gpu))

    def _see(self, *ranks: int, line: int) -> None:
        self._top = max(self._top, *ranks)
        if self._top >= self._given > 0:
            raise at_line(line, f"names rank {self._top}; the communicator has ranks 0 to {self._given - 1}")

    def _add_list(self, ring: RingList, number: int) -> None:
        self.channels = max(self.channels, ring.channels, ring.channel + 1)
        self._see(*ring.ranks, line=number)
        before, line = self._lists.setdefault(ring.channel, (ring, number))
        if before.ranks != ring.ranks:
            what = f"channel {ring.channel} lists other ranks than on line {line:,}"
            raise at_line(number, f"{what}; keep the lines with comm 0x..., which distinguish communicators")

    def _add_trees(self, trees: TreeNodes, number: int, rank: int) -> int:
        for nodes, channels in zip(self._trees, (trees.up, trees.down), strict=True):
            for channel, node in channels.items():
                self.channels = max(self.channels, channel + 1)
                before, line = nodes.setdefault((channel, node.rank), (node, number))
                if before != node:
                    what = f"rank {node.rank} has other neighbours in channel {channel} than on line {line:,}"
                    raise at_line(number, f"{what}; keep the lines with comm 0x..., which distinguish communicators")
                rank = node.rank
        self._cut_off = self._cut_off or number * trees.cut_off
        return rank

    def _add_connection(self, connection: Connection, number: int, rank: int) -> int:
        channel, src, dst, side, by_network, nic = connection
        # Connections within a host are printed by their source.
        sends = side == "send" or not (side or by_network)
        self._see(src, dst, line=number)
        if sends:
            self._connected[channel].setdefault(src, (dst, number))
        if by_network:
            ends = self.nics.setdefault((channel, src, dst), [NONE, NONE])
            ends[not sends] = nic if ends[not sends] == NONE else ends[not sends]
        return (src if sends else dst) if rank == NONE else rank

    @cached_property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return self._given or self._top + 1

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Return the host of each rank; empty if it is unknown, or the lines name several."""
        return tuple(self._host.get(rank, "") for rank in range(self.ranks))

    @property
    def logged_hosts(self) -> LoggedHosts | None:
        """Return the host and the GPU of each rank; None if the host of one is unknown."""
        if "" in self.hosts:
            return None
        return LoggedHosts(self.hosts, tuple(self._gpu.get(rank, NONE) for rank in range(self.ranks)))

    @property
    def words(self) -> str:
        """Return ``16 ranks, 8 channels``."""
        return f"{plural(self.ranks, 'rank')}, {plural(self.channels, 'channel')}"

    @cached_property
    def next_ranks(self) -> Ranks:
        """Return the rank after each rank in the ring of each channel, shape ``(channels, ranks)``.

        Raises SpecError: if a ring is incomplete, or does not lead through each rank once.
        """
        return np.array([*self._rings()], np.int32).reshape(self.channels, self.ranks)

    def _rings(self) -> Iterator[list[int]]:
        self._check_size()
        for channel in range(self.channels):
            sources = self._next.get(channel, {}), self._connected.get(channel, {})
            yield ring_of(channel, self.ranks, self._lists.get(channel), sources, self._last)

    @cached_property
    def parents(self) -> tuple[Ranks, Ranks]:
        """Return the parent of each rank in the tree of each channel, for reducing and for broadcasting.

        Both have shape ``(channels, ranks)`` and `NONE` for roots. They differ in NCCL 2.5 to 2.7 only.

        Raises SpecError: if a tree is incomplete, or not a tree.
        """
        self._check_size()
        by_channel = [[dict[int, tuple[TreeNode, int]]() for _ in range(self.channels)] for _ in self._trees]
        for some, nodes in zip(by_channel, self._trees, strict=True):
            for (channel, rank), node in nodes.items():
                some[channel][rank] = node
        up, down = (
            np.array(
                [tree_of(channel, self.ranks, nodes, self._last, self._cut_off) for channel, nodes in enumerate(some)],
                np.int32,
            )
            for some in by_channel
        )
        return up, down

    def _check_size(self) -> None:
        if self.ranks * self.channels > MAX_ENTRIES:
            raise wrong(f"has {self.words}; the limit is {MAX_ENTRIES:,} ranks times channels")
