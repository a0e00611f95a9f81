"""Open MPI's rankfile: ``rank 0=n001 slot=0-3``, host and cores of each rank; the first core is the slot.

Used by ``mpirun --rankfile FILE``, from Open MPI 5 on (PRRTE) ``mpirun --map-by rankfile:file=FILE``. For cores see
`core.mapping.formats.core_sets`. ``+n1`` is the second of the job's hosts. Source: Open MPI 4.1.4; PRRTE's
documentation and its rmaps_rank_file.
"""

import re

from core.export_result import Exported
from core.mapping.formats.core_sets import RankLine, on_cores, text_of_cores
from core.mapping.formats.openmpi_hosts import host_in_file, login_notes
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, shown, wrong

LINE = re.compile(r"rank\s+(\d{1,9})\s*=\s*([^\s=]+)\s*(.*)")
SLOT = re.compile(r"slots?\s*=\s*(.*)")


def read_rankfile(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a rankfile.

    Raises SpecError: naming the invalid line.
    """
    places: dict[int, RankLine] = {}
    logins: list[str] = []
    for line, words in lines_of(text, "#", "//"):
        rank, host, cores = _parts(line, words)
        if rank in places:
            raise at_line(line, f"rank {rank} is already on line {places[rank].line}; list each rank once")
        logins += [host] * ("@" in host)
        places[rank] = RankLine(line, host_in_file(line, host, machine), cores)
    if not places:
        raise wrong("has no ranks")
    missing = next((rank for rank in range(len(places)) if rank not in places), None)
    if missing is not None:
        raise wrong(f"rank {missing} is missing; ranks 0 to {max(places)} are needed")
    ranks = on_cores([places[rank] for rank in range(len(places))], machine)
    return ranks._replace(warnings=(*ranks.warnings, *login_notes(logins)))


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


def write_rankfile(placed: Placed) -> Exported:
    """Return hosts and cores; ranks ascend, and the key is ``slot``, not ``slots``, as Open MPI 4 requires.

    Raises SpecError: if a host name cannot be read back, or the cores of a node do not suffice for its ranks.
    """
    places = enumerate(zip(placed.hosts, placed.core_sets, strict=True))
    return Exported(lines([f"rank {rank}={host} slot={text_of_cores(cores)}" for rank, (host, cores) in places]))
