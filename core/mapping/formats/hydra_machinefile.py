"""Machinefile of MPICH's Hydra: ``n1:2`` puts the next two ranks on n1; hosts may be repeated.

Used by ``mpiexec -f FILE``. Source: Hydra 4.0.2.
"""

from itertools import groupby

from core.export_result import Exported
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import HostsInOrder, LaunchNodes, RankPlacement, at_line, lines_of, shown


def read_hydra(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a machinefile.

    Raises SpecError: naming the invalid line.
    """
    hosts = HostsInOrder(machine)
    bindings: list[str] = []
    for number, words in lines_of(text, "#"):
        first, *more = words.split()
        host, times, count = first.partition(":")
        for word in more:
            key, _, value = word.partition("=")
            if key == "slots":
                raise at_line(
                    number, f'"{shown(word)}" is Open MPI\'s spelling; Hydra writes {shown(host)}:{shown(value)}'
                )
            if key != "binding":
                raise at_line(number, f'"{shown(word)}": only binding= may follow the host')
        bindings += more
        hosts.add(number, host, count if times else None)
    return hosts.ranks(bindings)


def write_hydra(placed: Placed) -> Exported:
    """Return the hosts of successive ranks, with a line for each run of one host.

    Raises SpecError: if a host name cannot be read back.
    """
    runs = ((host, len(list(same))) for host, same in groupby(placed.hosts))
    return Exported(lines([f"{host}:{count}" if count > 1 else host for host, count in runs]), placed.lost_cores)
