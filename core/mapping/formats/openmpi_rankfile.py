"""Open MPI's rankfile: ``rank 0=n001 slot=0``, host and cores of each rank; the first core is the slot.

Used by ``mpirun --rankfile FILE``, from Open MPI 5 on (PRRTE) ``mpirun --map-by rankfile:file=FILE``. Cores are ``2``,
``0-3``, ``0,2``, ``*`` or ``SOCKET:CORES``. Without sizes of sockets in the scenario, the sockets in the file share a
node's slots equally. ``+n1`` is the second of the job's hosts. Source: Open MPI 4.1.4; PRRTE's documentation and its
rmaps_rank_file.
"""

import re

from core.export_result import Exported
from core.mapping.formats.openmpi_hosts import host_in_file
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import NEXT, LaunchNodes, RankPlacement, at_line, lines_of, shown, span, wrong
from core.text import plural

LINE = re.compile(r"rank\s+(\d{1,9})\s*=\s*([^\s=]+)\s*(.*)")
SLOT = re.compile(r"slots?\s*=\s*(.*)")
CORES = r"(?:(\d{1,9}):)?(\*|\d{1,9})(?:-\d{1,9})?"
LIST = re.compile(rf"{CORES}(?:[,;](?:\d{{1,9}}:)?(?:\*|\d{{1,9}})(?:-\d{{1,9}})?)*")


def read_rankfile(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a rankfile.

    Raises SpecError: naming the invalid line.
    """
    places: dict[int, tuple[int, int, int, int]] = {}
    for line, words in lines_of(text, "#", "//"):
        rank, host, slot = _parts(line, words)
        if rank in places:
            raise at_line(line, f"rank {rank} is already on line {places[rank][0]}; list each rank once")
        places[rank] = (line, host_in_file(line, host, machine), *_first_core(line, slot))
    if not places:
        raise wrong("has no ranks")
    missing = next((rank for rank in range(len(places)) if rank not in places), None)
    if missing is not None:
        raise wrong(f"rank {missing} is missing; ranks 0 to {max(places)} are needed")
    lines, nodes, sockets, cores = zip(*(places[rank] for rank in range(len(places))), strict=True)
    return RankPlacement(nodes, _cores(lines, nodes, sockets, cores, machine), lines)


def _parts(line: int, words: str) -> tuple[int, str, str]:
    match = LINE.fullmatch(words)
    if match is None:
        first = words.split()[0].partition("=")[0]
        hint = "write keywords in lower case" if first.lower() == "rank" != first else "write rank 0=HOST slot=CORES"
        raise at_line(line, f'"{shown(first)}" is not a rank line; {hint}')
    rank, host, rest = match.groups()
    slot = SLOT.fullmatch(rest)
    if slot is None:
        raise at_line(line, f"missing slot=; write rank {rank}=HOST slot=CORES")
    return int(rank), host, slot[1]


def _first_core(line: int, slot: str) -> tuple[int, int]:
    # Socket and core, each `NEXT` if not given.
    match = LIST.fullmatch(slot.strip())
    if match is None:
        raise at_line(line, f"slot={shown(slot)} is not a core; write 2, 0-3, 0,2, SOCKET:CORES or *")
    socket, core = match.groups()
    return (NEXT if socket is None else int(socket)), (NEXT if core == "*" else int(core))


def _cores(
    lines: tuple[int, ...],
    hosts: tuple[int, ...],
    sockets: tuple[int, ...],
    cores: tuple[int, ...],
    machine: LaunchNodes,
) -> list[int]:
    named, count = machine.network.cores, max(*sockets, 0) + 1
    places = [*zip(lines, hosts, sockets, cores, strict=True)]
    for line, host, socket, _ in places:
        slots = machine.room(host)
        if (socket + 1) * (named or slots // count) > slots or (not named and slots % count and socket == count - 1):
            has = f"{slots} slots do not form {count} sockets" + (f" of {named}" if named else "")
            raise at_line(line, f"no socket {socket}; {has}")
    host_cores: list[int] = []
    for line, host, socket, core in places:
        each = named or machine.room(host) // count
        most = machine.room(host) if socket == NEXT else each
        if core >= most:
            where = machine.network.host_names[host] if socket == NEXT else f"socket {socket}"
            raise at_line(line, f"no core {core} of {where}, which has {plural(most, 'core')} ({span(most)})")
        host_cores.append(NEXT if core == NEXT else max(socket, 0) * each + core)
    return host_cores


def write_rankfile(placed: Placed) -> Exported:
    """Return hosts and cores; ranks ascend, and the key is ``slot``, not ``slots``, as Open MPI 4 requires.

    Raises SpecError: if a host name cannot be read back.
    """
    places = enumerate(zip(placed.hosts, placed.core.tolist(), strict=True))
    return Exported(lines([f"rank {rank}={host} slot={core}" for rank, (host, core) in places]))
