"""An MSCCL schedule: thread blocks of GPUs, each with steps that send, receive, reduce and copy chunks.

Source: the interpreter of these files in RCCL, msccl_parser.cc and msccl_kernel_impl.h.
"""

from typing import NamedTuple


class StepKind(NamedTuple):
    """The use of chunks by a step: the chunks that it receives and reads are summed."""

    receives: bool = False
    """From the peer of its thread block."""
    reads: bool = False
    """From its source."""
    accumulates: bool = False
    """Also reads its target."""
    writes: bool = False
    """The sum to its target."""
    sends: bool = False
    """The sum to the peer of its thread block."""


KINDS = {
    "s": StepKind(reads=True, sends=True),
    "r": StepKind(receives=True, writes=True),
    "rcs": StepKind(receives=True, writes=True, sends=True),
    "rrs": StepKind(receives=True, reads=True, sends=True),
    "rrc": StepKind(receives=True, reads=True, writes=True),
    "rrcs": StepKind(receives=True, reads=True, writes=True, sends=True),
    "cpy": StepKind(reads=True, writes=True),
    "re": StepKind(reads=True, accumulates=True, writes=True),
    "nop": StepKind(),
}
"""Kinds of steps by type; nop only waits for another step."""


class Place(NamedTuple):
    """The first of consecutive chunks in a buffer of a GPU."""

    buffer: str
    """i (input), o (output) or s (scratch)."""
    first: int


class Step(NamedTuple):
    """A step of a thread block."""

    number: int
    """Position in its thread block."""
    type: str
    chunks: int
    """Number of chunks that it moves."""
    source: Place
    target: Place
    after: tuple[int, int] | None
    """Thread block and number of the step of the same GPU that it waits for."""
    line: int
    """Line in the file."""

    @property
    def kind(self) -> StepKind:
        """Return its kind."""
        return KINDS[self.type]


class ThreadBlock(NamedTuple):
    """A thread block of a GPU, which executes its steps in order."""

    gpu: int
    number: int
    send: int
    """GPU that it sends to; -1 for none."""
    receive: int
    """GPU that it receives from; -1 for none."""
    channel: int
    steps: tuple[Step, ...]

    def name(self, step: Step) -> str:
        """Return the name of one of its steps: ``gpu 4 tb 2 step 7 (rrcs)``."""
        return f"gpu {self.gpu} tb {self.number} step {step.number} ({step.type})"


class Schedule(NamedTuple):
    """The contents of a file."""

    collective: str
    """Name of the collective: ``allreduce``; empty if the file does not give it."""
    gpus: int
    chunks: int
    """Chunks in the larger of the input and output buffer of a GPU (``nchunksperloop``)."""
    in_place: tuple[bool, ...]
    """Whether input and output share memory; both values if the schedule supports both."""
    sizes: tuple[int, int]
    """Least and largest message in bytes for which it is meant; 0 for no limit."""
    blocks: tuple[ThreadBlock, ...]
    """Sorted by GPU, then number."""
