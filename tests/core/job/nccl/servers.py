"""The log of a job on servers whose GPUs have a NIC each: in channel c all servers are joined by NIC c.

The ring of channel c enters a server at GPU c, passes all GPUs downwards, and leaves it at GPU c + 1. Half of the
channels have a binary tree of servers, the others its mirror image, as in NCCL; in each server GPUs form a chain.
"""

import re
from itertools import pairwise

from tests.core.job.nccl.logs import Made, lines

STYLE = "2.28"
ALTERNATING = 0, 4, 1, 5, 2, 6, 3, 7
"""An order of hosts that alternates between two halves."""


class OnServers(Made):
    """Rings and trees of NCCL on servers with one NIC per GPU."""

    def __init__(self, servers=8, gpus=8, hosts=()):
        super().__init__(servers * gpus, gpus, per_host=gpus, nics=gpus)
        self.hosts = [*hosts] or [*range(servers)]
        self.rings = [_ring(servers, gpus, channel) for channel in range(gpus)]
        self.up = [_tree(servers, gpus, channel) for channel in range(gpus)]
        self.down = self.up

    def host(self, rank):
        """Name of a rank's host."""
        return f"gpu{self.hosts[rank // self.per_host] + 1:02d}"

    def nic(self, channel, rank):
        """NIC of its host that a rank uses in a channel."""
        return channel


def text(made):
    """A log with the trees, and with the rings by the messages that ranks send."""
    after = made.next_ranks()
    sends = {(c, rank, after[c][rank]) for c in range(made.channels) for rank in range(made.ranks)}
    kept = (line for line in lines(made, STYLE) if _is_kept(line, sends))
    return "\n".join(["NCCL version 2.28.9+cuda12.9", *dict.fromkeys(kept), ""])


def _is_kept(line, sends):
    sent = re.search(r"Channel (\d+)/0 : (\d+)\[.*-> (\d+)\[", line)
    if sent is not None:
        return "[receive]" not in line and tuple(map(int, sent.groups())) in sends
    return "Trees" in line or "nNodes" in line


def _chain(server, gpus, channel):
    return [server * gpus + (channel - place) % gpus for place in range(gpus)]


def _ring(servers, gpus, channel):
    ring = [rank for server in range(servers) for rank in _chain(server, gpus, channel)]
    start = ring.index(0)
    return ring[start:] + ring[:start]


def _tree(servers, gpus, channel):
    """The parent of each rank, -1 for the root."""
    parents = [-1] * (servers * gpus)
    for server in range(servers):
        chain = _chain(server, gpus, channel)
        for above, below in pairwise(chain):
            parents[below] = above
        if channel < gpus // 2:
            parent = _parent(server, servers)
        else:
            parent = _parent(servers - 1 - server, servers)
            parent = servers - 1 - parent if parent >= 0 else -1
        if parent >= 0:
            parents[chain[0]] = parent * gpus + channel
    return parents


def _parent(server, servers):
    """The parent in a binary tree of servers with root 0, whose odd servers are leaves; -1 for the root."""
    if server == 0:
        return -1
    lowest = server & -server
    above = (server ^ lowest) | (lowest << 1)
    return above if above < servers else server - lowest
