"""Collectives along the rings and trees that NCCL or RCCL has chosen and printed in its log.

A message of B bytes is divided among C channels. In the ring of a channel of n ranks, every rank sends ``B / (C n)`` to
the next in each step: allgather and reduce-scatter have n - 1 steps, allreduce 2 (n - 1). In an allgather and a
reduce-scatter, B is the size of the complete data. A broadcast sends ``B / C`` along the ring, from the root to the
rank before it, and an allreduce by trees sends ``B / C`` up and down each link of a tree. Both are pipelined: all links
are in use at once, in a single step.
"""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from core.formats import format_of_job
from core.job.collectives.allgather import Allgather
from core.job.collectives.allreduce import Allreduce
from core.job.collectives.binomial import Broadcast
from core.job.collectives.reduce_scatter import ReduceScatter
from core.job.collectives.steps import MAX_STEPS, empty_phase
from core.job.flow_parts import FlowParts
from core.job.flows import ListedPhase
from core.job.job import FlowBlock, Job, JobSpec, Phase, check_tasks
from core.job.measure import MEASURES
from core.job.message import BYTES_PER_GB, MessageBytes
from core.job.nccl.communicator import Communicator
from core.job.nccl.graphs import FIELD, wrong
from core.job.nccl.log import read_log
from core.job.nccl.messages import CHANNEL, ring_messages, tree_messages
from core.job.nccl.nic_tasks import NicTasks
from core.job.ranks import RankedJob
from core.spec import SpecError, declare, errors_naming
from core.text import plural

NOT_GIVEN = (
    "the log does not give the protocol, the chunk size or the channels of a message; whole messages are divided "
    "among all channels"
)
RANKS_NOTE = "the NICs in the log are not used; if nodes of the network are NICs, choose nics as tasks"
MAX_LISTED = 8
"""Communicators listed in a message."""

File = Annotated[
    str,
    declare(
        "Log",
        "output of a program with NCCL_DEBUG=INFO, of NCCL 2.4 or later or RCCL, in the scenario's folder",
        is_file=True,
        max_length=1024,
    ),
]


class Nccl(RankedJob, frozen=True, tag="nccl"):
    """NCCL: a collective along the rings or trees that NCCL or RCCL has printed in a log."""

    title: ClassVar[str] = "Collective from an NCCL log"

    log: File | None = None
    collective: Annotated[
        Literal["allreduce", "allgather", "reduce-scatter", "broadcast"],
        declare("Collective", "operation of all ranks; only allreduce uses trees"),
    ] = "allreduce"
    algorithm: Annotated[
        Literal["ring", "tree"], declare("Algorithm", "ring or tree; a log does not say which one a message uses")
    ] = "ring"
    message_bytes: MessageBytes = 1e8
    communicator: Annotated[
        int, declare("Communicator", "number of the communicator, in the order of the log", ge=0, le=1 << 20)
    ] = 0
    root: Annotated[int, declare("Root", "rank that sends the data of a broadcast", ge=0)] = 0
    endpoints: Annotated[
        Literal["ranks", "nics"],
        declare(
            "Tasks",
            "ranks, or nics of hosts as the log numbers them, for networks whose nodes are NICs: every message between "
            "hosts then leaves by its NIC, and messages within hosts are not counted",
        ),
    ] = "ranks"
    nics_per_host: (
        Annotated[int, declare("NICs per host", "NICs of each host (default: as many as the log names)", ge=1, le=64)]
        | None
    ) = None

    @property
    def unused(self) -> frozenset[str]:
        """Return the root, except in a broadcast, and the NICs per host, unless NICs are tasks."""
        used = {"root": self.collective == "broadcast", "nics_per_host": self.endpoints == "nics"}
        return frozenset(name for name, is_used in used.items() if not is_used)

    def summary(self) -> str:
        """Return the collective and the file."""
        return f"{self.collective} by {self.algorithm}, from {self.log}" if self.log else "no log chosen"

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: equal steps of a ring, or a single pipelined step.

        Raises SpecError: if the log is invalid, or lacks the communicator or its trees.
        """
        communicator, notes = self._chosen(folder)
        ranks, channels = communicator.ranks, communicator.channels
        check_tasks(FIELD, ranks, ranks * channels)
        if self.collective == "broadcast" and self.root >= ranks:
            raise SpecError("job.root", f"is {self.root:,}; ranks are 0 to {ranks - 1:,}")
        parts = channels * (1 if self._pipelined else ranks)
        steps = self.steps(ranks)
        with errors_naming(FIELD, Path(self.log or "")):
            nics = NicTasks(communicator, self.nics_per_host) if self.endpoints == "nics" else None
            phase, more = self._step(communicator, nics, self.message_bytes / BYTES_PER_GB / parts)
            if steps > MAX_STEPS:
                raise wrong(f"has rings of {ranks:,} ranks with {steps:,} steps; the limit is {MAX_STEPS:,}")
        hosts = len(set(communicator.hosts) - {""})
        return Job(
            self,
            phase.tasks,
            (phase,) * steps if ranks > 1 else (empty_phase(phase.tasks),),
            None,
            unit=False,
            quantum=Fraction(self.message_bytes) / BYTES_PER_GB / parts,
            measure=MEASURES["MB"],
            warnings=(*notes, *more, NOT_GIVEN),
            source=format_of_job(self.tag()).title,
            contents=(f"{communicator.words}, {plural(hosts, 'host')}" if hosts else communicator.words,),
            logged_hosts=(nics or communicator).logged_hosts,
        )

    def textbook(self, folder: Path | None = None) -> JobSpec | None:
        """Return the collective along a single ring in the order of ranks; None for NICs.

        Instead of trees it has recursive doubling, and for a broadcast a binomial tree.

        Raises SpecError: if the log is invalid.
        """
        if self.endpoints == "nics":
            return None
        communicator, _ = self._chosen(folder)
        ranks, size = communicator.ranks, self.message_bytes
        match self.collective:
            case "allgather":
                return Allgather(tasks=ranks, message_bytes=size / ranks, algorithm="ring")
            case "reduce-scatter":
                return ReduceScatter(tasks=ranks, message_bytes=size, algorithm="ring")
            case "broadcast":
                return Broadcast(tasks=ranks, message_bytes=size, root=self.root)
        algorithm: Literal["ring", "recursive-doubling"] = "ring" if self.algorithm == "ring" else "recursive-doubling"
        return Allreduce(tasks=ranks, message_bytes=size, algorithm=algorithm)

    def steps(self, ranks: int) -> int:
        """Return the number of steps among a number of ranks."""
        if self._pipelined:
            return 1
        return (ranks - 1) * (2 if self.collective == "allreduce" else 1)

    @property
    def _pipelined(self) -> bool:
        return self.algorithm == "tree" or self.collective == "broadcast"

    def _chosen(self, folder: Path | None) -> tuple[Communicator, tuple[str, ...]]:
        if self.algorithm == "tree" and self.collective != "allreduce":
            raise SpecError("job.algorithm", f"is tree, but NCCL's {self.collective} uses rings; choose ring")
        communicators = read_log(self.log, folder)
        count = plural(len(communicators), "communicator")
        if self.communicator >= len(communicators):
            numbers = "only 0" if len(communicators) == 1 else f"0 to {len(communicators) - 1}"
            raise SpecError("job.communicator", f"is {self.communicator}; the log has {count}, {numbers}")
        listed = "; ".join(f"{k}: {some.words}" for k, some in enumerate(communicators[:MAX_LISTED]))
        more = "; ..." if len(communicators) > MAX_LISTED else ""
        notes = (f"the log has {count} ({listed}{more}); {self.communicator} is used",) * (len(communicators) > 1)
        return communicators[self.communicator], notes

    def _step(self, communicator: Communicator, nics: NicTasks | None, volume: float) -> tuple[Phase, tuple[str, ...]]:
        # The phase, and notes on it.
        messages, labels = (
            tree_messages(communicator)
            if self.algorithm == "tree"
            else ring_messages(communicator, self.root if self.collective == "broadcast" else None)
        )
        tasks, notes = communicator.ranks, (RANKS_NOTE,) * bool(communicator.nics)
        if nics is not None:
            total = messages.src.size
            tasks, messages = nics.count, nics.between(messages)
            left_out = total - messages.src.size
            notes = (f"{left_out:,} of {total:,} messages stay within a host and are not counted",) * (left_out > 0)
        flows = FlowBlock(messages.src, messages.dst, np.full(messages.src.size, volume))
        return ListedPhase(tasks, flows, FlowParts(CHANNEL, labels, messages.part)), notes
