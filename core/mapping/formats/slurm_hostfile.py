"""Slurm's hostfile: the hosts of successive ranks; ``n1*3`` is n1 three times.

Used by ``SLURM_HOSTFILE=FILE srun --distribution=arbitrary``. Flux (``--taskmap=hostfile:FILE``) and SST/macro read
lines without counts, too. Source: Slurm 22.05, slurm_read_hostfile.
"""

from core.export_result import Exported
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import HostsInOrder, LaunchNodes, RankPlacement, at_line, lines_of, shown

ONE = "write one host per line, or HOST*COUNT"


def read_slurm_hostfile(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a hostfile.

    Raises SpecError: naming the invalid line.
    """
    hosts = HostsInOrder(machine)
    for number, words in lines_of(text, "#"):
        if "[" in words or "]" in words:
            raise at_line(number, f"{shown(words)}: brackets are not expanded in a SLURM_HOSTFILE; {ONE}")
        for item in filter(None, (part.strip() for part in words.split(","))):
            if len(item.split()) > 1:
                raise at_line(number, f'"{shown(item)}": {ONE}')
            host, times, count = item.partition("*")
            hosts.add(number, host, count if times else None)
    return hosts.ranks()


def write_host_of_each(placed: Placed) -> Exported:
    """Return the host of each rank, with a line per rank.

    Raises SpecError: if a host name cannot be read back.
    """
    return Exported(lines(placed.hosts), placed.lost_cores)
