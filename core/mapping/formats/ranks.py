"""Placements returned by readers of mapping files, and checks that the readers share."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from core.job.job import MAX_TASKS
from core.mapping.mapping import CoreSet, Slots
from core.network.network import Ints, Network
from core.spec import SpecError, error_at_line
from core.text import examples, plural

FIELD = "mapping.file"
wrong = partial(SpecError, FIELD)
at_line = partial(error_at_line, FIELD)

SPARE_LINES = 1 << 16
"""Number of lines a file may have in addition to one per rank and slot, for comments."""
NEXT = -1
"""Core of a rank that takes its host's next free slot."""


@dataclass(frozen=True, eq=False)
class LaunchNodes:
    """The hosts on which a file may place ranks."""

    network: Network
    hosts: Ints
    """The job's hosts, in the order assumed by files with numbers instead of names."""
    tasks: int
    per_host: int
    """Ranks per host for files that only give an order of ranks."""

    def host(self, line: int, name: str) -> int:
        """Return the host with a name.

        Raises SpecError: if it does not exist.
        """
        host = self.network.host_named(name)
        if host is None:
            raise at_line(line, f"{shown(name)} is not a {self.network.host_word} of this network")
        return host

    def room(self, host: int) -> int:
        """Return the number of slots of a host."""
        return int(self.network.host_slots.room[host])


class RankPlacement(NamedTuple):
    """The places of ranks in a file, by rank."""

    host: Sequence[int]
    core: Sequence[int] = ()
    """Slot of each rank's host; `NEXT` for the next free slot; empty for `NEXT` throughout."""
    line: Sequence[int] = ()
    """Line of each rank in the file; empty unless each rank has its own line."""
    place: Callable[[int], str] | None = None
    """Describes the place of a rank in the file's terms, or None for host and core."""
    spare: bool = False
    """Whether the file may have more places than the job has tasks."""
    warnings: tuple[str, ...] = ()
    """Ambiguities of the file."""
    core_sets: tuple[CoreSet, ...] = ()
    """Cores of each rank, as in `core.mapping.mapping.Mapping`."""


def slots_of_ranks(ranks: RankPlacement, machine: LaunchNodes) -> Slots:
    """Return the slot of each task; ranks without a core take the next free slot of their host, in rank order.

    Raises SpecError: if two ranks share a slot, a host has too many, or there are more or fewer ranks than tasks.
    """
    hosts, some = machine.network.host_slots, machine.tasks if ranks.spare else None
    host = np.asarray(ranks.host[:some], np.int64)
    core = np.asarray(ranks.core[:some], np.int64) if len(ranks.core) else np.full(host.size, NEXT)
    # Slots are numbered host by host here.
    start = hosts.first.astype(np.int64) * machine.network.slots_per_node
    sits = core != NEXT
    slot = np.where(sits, start[host] + core, NEXT)
    taken = np.bincount(slot[sits], minlength=machine.network.slots)
    if taken.max(initial=0) > 1:
        first, second = _first_clash(slot, sits)
        raise _at(ranks, second, f"{_place(ranks, machine, second)} is already taken by rank {first:,}")
    free = np.flatnonzero(taken == 0)
    first_free = np.searchsorted(free, np.append(start, machine.network.slots))
    rest = np.flatnonzero(~sits)
    order = rest[np.argsort(host[rest], kind="stable")]
    mine = host[order]
    turn = first_free[mine] + np.arange(order.size) - np.searchsorted(mine, mine)
    full = turn >= first_free[mine + 1]
    if full.any():
        rank = int(order[full].min())
        where = int(host[rank])
        name = ranks.place(rank) if ranks.place else machine.network.host_names[where]
        raise _at(ranks, rank, full_text(name, machine.room(where)))
    slot[order] = free[turn]
    if host.size != machine.tasks:
        raise wrong(f"places {plural(host.size, 'rank')}; the job has {plural(machine.tasks, 'task')}")
    return hosts.slots_at(host.astype(np.int32), (slot - start[host]).astype(np.int32))


class HostsInOrder:
    """Collects the hosts of successive ranks."""

    def __init__(self, machine: LaunchNodes) -> None:
        self._machine = machine
        self._host: list[int] = []
        self._line: list[int] = []

    def add(self, line: int, name: str, count: str | None = None) -> None:
        """Add the host of the next rank, or of the next `count`.

        Raises SpecError: if the host is unknown, or the count invalid.
        """
        host = self._machine.host(line, name)
        # One more than needed shows the excess without the memory for a huge count.
        many = 1 if count is None else min(count_of(line, count), self._machine.tasks + 1 - len(self._host))
        self._host += [host] * many
        self._line += [line] * many

    def ranks(self, ignored: Iterable[str] = ()) -> RankPlacement:
        """Return the ranks, with a note on ignored words.

        Raises SpecError: if there are none.
        """
        if not self._host:
            raise wrong("has no hosts")
        return RankPlacement(self._host, line=self._line, spare=True, warnings=ignored_notes(ignored))


def ignored_notes(words: Iterable[str]) -> tuple[str, ...]:
    """Return the note on words of a file that are not used, if there are any."""
    different = [shown(word) for word in dict.fromkeys(words)]
    return (f"ignored words of the file: {examples(different)}",) * bool(different)


def check_all(tasks: Iterable[int]) -> None:
    """Check that distinct tasks are 0, 1, 2, ... without a gap.

    Raises SpecError: naming the first missing task.
    """
    numbers = set(tasks)
    missing = next((number for number in range(len(numbers)) if number not in numbers), None)
    if missing is not None:
        raise wrong(f"task {missing} is missing; tasks 0 to {max(numbers)} are needed")


def full_text(name: str, room: int) -> str:
    """Return ``n001 is full; all 4 slots have ranks`` for a host or NIC with `room` slots."""
    return f"{name} is full; {'its slot has a rank' if room == 1 else f'all {room} slots have ranks'}"


def check_lines(text: str, machine: LaunchNodes) -> None:
    """Refuse a text with many more lines than tasks and slots, before they are parsed.

    Raises SpecError: naming both.
    """
    lines, most = text.count("\n"), SPARE_LINES + 2 * (machine.tasks + machine.network.slots)
    if lines > most:
        job = f"the job has {plural(machine.tasks, 'task')}, the network {plural(machine.network.slots, 'slot')}"
        raise wrong(f"has {lines:,} lines; {job}")


def lines_of(text: str, *comments: str) -> Iterator[tuple[int, str]]:
    """Yield non-empty lines without comments, with their numbers from 1."""
    for number, line in enumerate(text.split("\n"), 1):
        for mark in comments:
            line = line.partition(mark)[0]
        if words := line.strip():
            yield number, words


def number_in(word: str) -> int | None:
    """Parse a whole number >= 0 in the range of ranks, slots and counts, or None if invalid."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


def count_of(line: int, word: str) -> int:
    """Parse the number of ranks on a host.

    Raises SpecError: if it is not a number >= 1.
    """
    count = number_in(word)
    if not count:
        raise at_line(line, f'"{shown(word)}" is not a number of ranks')
    return min(count, MAX_TASKS)


def rank_range(line: int, item: str) -> range:
    """Parse a rank or a range of ranks: ``3``, ``0-3``.

    Raises SpecError: if it is neither.
    """
    first, dash, last = item.partition("-")
    low, high = number_in(first), number_in(last if dash else first)
    if low is None or high is None or max(low, high) >= MAX_TASKS:
        raise at_line(line, f'"{shown(item)}" is not a rank')
    if high < low:
        raise at_line(line, f"{item} runs backwards; write {last}-{first}")
    return range(low, high + 1)


def span(count: int) -> str:
    """Return the range of `count` numbers: ``0`` or ``0 to 3``."""
    return "0" if count == 1 else f"0 to {count - 1:,}"


def shown(text: str) -> str:
    """Return a word of a file for a message: shortened, without control characters."""
    safe = "".join(mark if mark.isprintable() else "?" for mark in text[:40])
    return safe if len(text) <= 40 else safe[:39] + "…"


def _first_clash(slot: Slots, sits: Slots) -> tuple[int, int]:
    # The first pair of ranks in the same place.
    ranks = np.flatnonzero(sits)
    order = ranks[np.argsort(slot[ranks], kind="stable")]
    again = np.flatnonzero(slot[order[1:]] == slot[order[:-1]])
    second = int(order[again + 1].min())
    return int(np.flatnonzero(slot == slot[second])[0]), second


def _place(ranks: RankPlacement, machine: LaunchNodes, rank: int) -> str:
    if ranks.place is not None:
        return ranks.place(rank)
    return f"core {ranks.core[rank]} of {machine.network.host_names[ranks.host[rank]]}"


def _at(ranks: RankPlacement, rank: int, what: str) -> SpecError:
    return at_line(ranks.line[rank], what) if len(ranks.line) else wrong(f"rank {rank:,}: {what}")
