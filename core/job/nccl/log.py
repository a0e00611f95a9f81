"""Reads logs of NCCL and assigns their lines to communicators.

Most lines do not name their communicator. The lines of a thread are about one communicator until a line begins another,
by the start of its initialisation or by another number of ranks. The ranks of a communicator have a common `commId`; in
logs without it, the k-th communicators with equal numbers of ranks in each process are the same.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from core.job.nccl.communicator import Communicator
from core.job.nccl.graphs import FIELD, SHORTENED, wrong
from core.job.nccl.lines import NONE, Connection, Line, Member, Next, RingList, Sender, TreeNodes, lines_of
from core.spec import parsing, path_in_folder

MAX_BYTES = 1 << 29
EXPECTED = "give the output of a program that ran with NCCL_DEBUG=INFO"


def read_log(name: str | None, folder: Path | None) -> tuple[Communicator, ...]:
    """Return the communicators in the log `name` in `folder`, in the order of their first lines.

    Raises SpecError: if the file is missing or has no lines about rings or trees.
    """
    path = path_in_folder(FIELD, name, folder, MAX_BYTES)
    with parsing(FIELD, path, "a log of NCCL", EXPECTED):
        state = path.stat()
        return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=2)
def _read(path: Path, modified: int, size: int) -> tuple[Communicator, ...]:
    """Read a file, once for each state of it."""
    return communicators_in(path.read_bytes().decode("utf-8", "replace"))


def communicators_in(text: str) -> tuple[Communicator, ...]:
    """Return the communicators in the text of a log.

    Raises SpecError: if no line is about rings or trees.
    """
    printed = _printed(lines_of(text))
    if not any(some.describes_graph for some in printed):
        if "CCL INFO " not in text:
            raise wrong(f"has no line with NCCL INFO; {EXPECTED}")
        raise wrong("has NCCL INFO, but no lines Channel 00/02 : 0 1 ...; NCCL_DEBUG_SUBSYS must include INIT")
    groups = _merged(printed)
    return tuple(_communicator(group) for group in groups if any(some.describes_graph for some in group))


@dataclass(eq=False)
class _Printed:
    """The lines of one thread about one communicator."""

    sender: Sender
    first: int
    """Number of the first line."""
    ranks: int = 0
    """Number of ranks; 0 if unknown."""
    is_counted: bool = False
    """Whether a line gives the number of ranks, rather than a list of them."""
    channels: int = 0
    rank: int = NONE
    id: str = ""
    pointer: str = ""
    is_complete: bool = False
    lines: list[Line] = field(default_factory=list)

    @property
    def describes_graph(self) -> bool:
        """Return whether there are lines about rings or trees."""
        messages = [line.message for line in self.lines]
        return any(m.up if isinstance(m, TreeNodes) else isinstance(m, RingList | Next) for m in messages)

    def continues_with(self, line: Line) -> bool:
        """Return whether a line is about the same communicator."""
        message, of = line.message, line.of
        if isinstance(message, Member):
            return message.state != "START" and self._is(message)
        if of is not None and not self._is(of):
            return False
        if isinstance(message, RingList | Next | TreeNodes) and self.is_complete:
            return False
        return not isinstance(message, RingList) or self._has(message)

    def _is(self, member: Member) -> bool:
        same = not (self.pointer and self.sender.host) or member.pointer == self.pointer
        return same and member.ranks == (self.ranks or member.ranks)

    def _has(self, ring: RingList) -> bool:
        listed = len(ring.ranks)
        fits = listed <= self.ranks if self.is_counted or ring.shortened else listed == self.ranks
        return (fits or not self.ranks) and ring.channels == (self.channels or ring.channels)

    def add(self, line: Line) -> None:
        """Add a line."""
        message, of = line.message, line.of or line.message
        self.lines.append(line)
        if isinstance(message, RingList):
            self.channels = message.channels
            is_whole = not message.shortened and len(message.ranks) != SHORTENED
            self.ranks = self.ranks or len(message.ranks) * is_whole
        if isinstance(of, Member):
            self.ranks, self.is_counted, self.pointer = of.ranks, True, of.pointer
            self.id, self.rank = self.id or of.id, of.rank if self.rank == NONE else self.rank
            self.is_complete |= of.state == "COMPLETE" and bool(self.sender.host)


def _printed(lines: Iterable[Line]) -> list[_Printed]:
    by_thread, by_process = dict[Sender, _Printed](), dict[Sender, _Printed]()
    printed = list[_Printed]()
    for line in lines:
        process = line.sender._replace(thread="")
        current = by_thread.get(line.sender)
        if current is None and isinstance(line.message, Connection):
            current = by_process.get(process)
        if current is None or not current.continues_with(line):
            current = by_thread[line.sender] = by_process[process] = _Printed(line.sender, line.number)
            printed.append(current)
        current.add(line)
    return printed


def _merged(printed: Iterable[_Printed]) -> list[list[_Printed]]:
    # The lines about each communicator, by the first of them.
    groups: dict[object, list[_Printed]] = {}
    seen: Counter[object] = Counter()
    key: object = None
    for some in printed:
        if some.id:
            key = some.id, some.ranks
        elif some.ranks:
            process = some.sender._replace(thread=""), some.ranks
            key = some.ranks, seen[process]
            # Without senders, lines of several communicators may alternate.
            seen[process] += bool(some.sender.host)
        # Lines that do not give the number of ranks are about the communicator before.
        groups.setdefault(key, []).append(some)
    return list(groups.values())


def _communicator(group: list[_Printed]) -> Communicator:
    communicator = Communicator(max(some.ranks for some in group))
    for some in group:
        for line in some.lines:
            communicator.add(line, some.rank)
    return communicator
