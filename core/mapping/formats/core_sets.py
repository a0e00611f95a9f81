"""Cores of ranks in files: ``2``, ``0-3``, ``0,2``, ``*`` for all, or ``SOCKET:CORES``, sockets joined by ``;``.

A rank takes the slot of the first of its cores that no other rank has; the smallest sets choose first. Without sizes of
sockets in the scenario, the sockets in the file share a host's slots equally. Source: PRRTE's documentation of
rankfiles; Open MPI 1.4 marks physical numbers by ``p``.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.mapping.formats.ranks import NEXT, LaunchNodes, RankPlacement, at_line, shown, span
from core.mapping.mapping import MAX_CORES, CoreSet, cores_in
from core.text import plural

ITEM = re.compile(r"(?:(\d{1,9}):)?(\*|(\d{1,9})(?:-(\d{1,9}))?)")
PHYSICAL = re.compile(r"(?<!\w)p(?=\d)", re.IGNORECASE)
EXAMPLES = "write 2, 0-3, 0,2, SOCKET:CORES or *"
LOGICAL = "physical core numbers (p0) are read as logical numbers"


class RankLine(NamedTuple):
    """The place of a rank in a file."""

    line: int
    host: int
    cores: str
    """Cores as written in the file."""


class _Cores(NamedTuple):
    """Cores of a socket, or of a node."""

    socket: int | None
    first: int
    last: int | None
    """None for all cores."""


def on_cores(ranks: Sequence[RankLine], machine: LaunchNodes) -> RankPlacement:
    """Return ranks on cores of their nodes.

    Raises SpecError: naming the line of invalid or missing cores.
    """
    parts = [[*_parts(rank.line, PHYSICAL.sub("", rank.cores))] for rank in ranks]
    sockets = [max((part.socket for part in items if part.socket is not None), default=-1) for items in parts]
    each = _cores_per_socket(ranks, sockets, machine)
    sets = [_core_set(rank, items, each, machine) for rank, items in zip(ranks, parts, strict=True)]
    notes = [LOGICAL] * any(PHYSICAL.search(rank.cores) for rank in ranks)
    if max(sockets) >= 0 and not machine.network.cores:
        notes += [f"sockets are taken to have {_sizes(each)}; the field cores gives the cores per socket"]
    cores = _free_cores(ranks, sets, machine)
    several = any(len(cores_of) != 1 or cores_of[0][0] < cores_of[0][1] for cores_of in sets)
    return RankPlacement(
        [rank.host for rank in ranks],
        cores,
        [rank.line for rank in ranks],
        warnings=(*notes, *_notes(ranks, sets, machine)) if several else tuple(notes),
        core_sets=tuple(sets) if several else (),
    )


def text_of_cores(cores: CoreSet) -> str:
    """Return cores as in a rank file: ``0,2``, ``0-3``, ``*``."""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in cores) or "*"


def _parts(line: int, text: str) -> Iterator[_Cores]:
    for group in re.split(r"\s*;\s*", text.strip()):
        socket = None
        for item in group.split(","):
            match = ITEM.fullmatch(item.strip())
            first, last = (match[3], match[4] or match[3]) if match else (None, None)
            if match is None or (first and last and int(last) < int(first)):
                raise at_line(line, f"slot={shown(text)} is not a core; {EXAMPLES}")
            socket = int(match[1]) if match[1] else socket
            yield _Cores(socket, int(first or 0), int(last) if last else None)


def _cores_per_socket(ranks: Sequence[RankLine], sockets: Sequence[int], machine: LaunchNodes) -> dict[int, int]:
    # By host.
    named, count = machine.network.cores, max(*sockets, 0) + 1
    for rank, socket in zip(ranks, sockets, strict=True):
        slots = machine.room(rank.host)
        if (socket + 1) * (named or slots // count) > slots or (not named and slots % count and socket == count - 1):
            has = f"{slots} slots do not form {count} sockets" + (f" of {named}" if named else "")
            raise at_line(rank.line, f"no socket {socket}; {has}")
    return {rank.host: named or machine.room(rank.host) // count for rank in ranks}


def _core_set(
    rank: RankLine, parts: Sequence[_Cores], cores_per_socket: dict[int, int], machine: LaunchNodes
) -> CoreSet:
    # Empty for all cores of the host.
    ranges, each = [], cores_per_socket[rank.host]
    for socket, first, last in parts:
        if socket is None and last is None:
            return ()
        if (last or first) >= MAX_CORES:
            raise at_line(rank.line, f"no core {last or first:,}; cores are {span(MAX_CORES)}")
        if socket is not None and (last or first) >= each:
            most = f"socket {socket}, which has {plural(each, 'core')} ({span(each)})"
            raise at_line(rank.line, f"no core {first if first >= each else last} of {most}")
        start = (socket or 0) * each
        ranges.append((start + first, start + (each - 1 if last is None else last)))
    slots = machine.room(rank.host)
    if all(first >= slots for first, _ in ranges):
        host = machine.network.host_names[rank.host]
        raise at_line(rank.line, f"no core {ranges[0][0]} of {host}, which has {plural(slots, 'core')} ({span(slots)})")
    return tuple(ranges)


def _sizes(cores_per_socket: dict[int, int]) -> str:
    low, high = min(cores_per_socket.values()), max(cores_per_socket.values())
    return plural(low, "core") if low == high else f"{low} to {high} cores"


def _free_cores(ranks: Sequence[RankLine], sets: Sequence[CoreSet], machine: LaunchNodes) -> list[int]:
    cores = [NEXT] * len(ranks)
    rank_at: dict[tuple[int, int], int] = {}
    for rank in sorted((rank for rank, cores_of in enumerate(sets) if cores_of), key=lambda rank: cores_in(sets[rank])):
        line, host, _ = ranks[rank]
        ends = [(first, min(last + 1, machine.room(host))) for first, last in sets[rank]]
        wanted = [core for first, end in ends for core in range(first, end)]
        free = next((core for core in wanted if (host, core) not in rank_at), None)
        if free is None:
            noun, verb = ("core", "is") if len(wanted) == 1 else ("cores", "are")
            words = f"{noun} {text_of_cores(sets[rank])} of {machine.network.host_names[host]} {verb} already taken"
            raise at_line(line, f"{words} by rank {rank_at[host, wanted[0]]:,}")
        rank_at[host, free] = rank
        cores[rank] = free
    return cores


def _notes(ranks: Sequence[RankLine], sets: Sequence[CoreSet], machine: LaunchNodes) -> Iterator[str]:
    most = max(range(len(sets)), key=lambda rank: _end(sets[rank]) - machine.room(ranks[rank].host))
    host = ranks[most].host
    if _end(sets[most]) > machine.room(host):
        words = f"{machine.network.host_names[host]} has {plural(machine.room(host), 'slot')}"
        yield f"rank {most:,} has cores up to {_end(sets[most]) - 1:,}, but {words}; set one slot per core"
    largest = max(map(cores_in, sets))
    odd = next((rank for rank, cores in enumerate(sets) if _span(cores) != largest or cores_in(cores) != largest), None)
    if odd is not None:
        after = plural(largest, "successive core") if largest > 1 else "1 core"
        yield (
            f"cores such as {text_of_cores(sets[odd])} of rank {odd:,} are exported unchanged; "
            f"after a change of the mapping each rank gets {after}"
        )


def _span(cores: CoreSet) -> int:
    # The number of cores from the first to the last.
    return _end(cores) - min((first for first, _ in cores), default=0)


def _end(cores: CoreSet) -> int:
    return max((last for _, last in cores), default=-1) + 1
