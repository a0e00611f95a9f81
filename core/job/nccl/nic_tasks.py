"""Tasks that are the NICs of hosts, instead of ranks.

A message between hosts leaves by the NIC that the log names for its channel, and reaches the NIC that the receiver
prints. Messages between ranks of one host use its inner links and are omitted. Task ``h K + j`` is NIC j of host h,
with K NICs per host, and hosts in the order of their lowest ranks.
"""

import numpy as np

from core.job.logged_hosts import LoggedHosts
from core.job.nccl.communicator import Communicator
from core.job.nccl.graphs import ALL_RANKS, wrong
from core.job.nccl.lines import NONE
from core.job.nccl.messages import Messages
from core.spec import SpecError

INSTEAD = "or choose endpoints=ranks"


class NicTasks:
    """The tasks of the NICs of all hosts.

    Parameters
    ----------
    per_host
        NICs of every host; None for as many as the log names.

    Raises SpecError: if the log names no host of a rank, or a NIC beyond `per_host`.
    """

    def __init__(self, communicator: Communicator, per_host: int | None) -> None:
        hosts = communicator.hosts
        if "" in hosts:
            raise wrong(f"names no host of rank {hosts.index('')}; lines must begin with HOST:PID, {INSTEAD}")
        number = {host: k for k, host in enumerate(dict.fromkeys(hosts))}
        self._host = np.array([number[host] for host in hosts], np.int32)
        self._communicator = communicator
        highest = max((nic for ends in communicator.nics.values() for nic in ends), default=0)
        if per_host is not None and highest >= per_host:
            raise SpecError("job.nics_per_host", f"is {per_host}, but the log names NIC {highest}; give {highest + 1}")
        self._each = per_host or max(highest, 0) + 1
        self.count = len(number) * self._each
        """Number of tasks."""
        self.logged_hosts = LoggedHosts(
            tuple(host for host in number for _ in range(self._each)), tuple(range(self._each)) * len(number)
        )
        """Host and number of the NIC of each task."""

    def between(self, messages: Messages) -> Messages:
        """Return the messages between hosts, from NIC to NIC.

        Raises SpecError: if the log names no NIC for one of them.
        """
        outside = messages.at(np.flatnonzero(self._host[messages.src] != self._host[messages.dst]))
        links = zip(outside.channel.tolist(), outside.src.tolist(), outside.dst.tolist(), strict=True)
        nics = np.array([self._nics(*link) for link in links], np.int32).reshape(-1, 2)
        src, dst = (
            self._host[end] * np.int32(self._each) + nics[:, k] for k, end in enumerate((outside.src, outside.dst))
        )
        return outside._replace(src=src, dst=dst)

    def _nics(self, channel: int, src: int, dst: int) -> tuple[int, int]:
        out, into = self._communicator.nics.get((channel, src, dst), (NONE, NONE))
        if out == into == NONE:
            what = f"names no NIC for channel {channel} from rank {src} to rank {dst}"
            raise wrong(f"{what}; {ALL_RANKS}, with NET in NCCL_DEBUG_SUBSYS, {INSTEAD}")
        # Without the line of one end, its NIC is assumed to have the same number.
        return (into if out == NONE else out), (out if into == NONE else into)
