"""Open MPI's hostfile: ``n001 slots=4 max-slots=4``, the number of ranks that a host may take.

It gives only capacities, and mpirun chooses the host of each rank (ompi issue 13199). It is read as ranks filling host
by host, and only such mappings can be written. Source: Open MPI 4.1.4; PRRTE's documentation.
"""

import re
from itertools import groupby

from core.export_result import Exported
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, number_in, shown, wrong
from core.spec import SpecError

BLOCKS = "an Open MPI hostfile gives only capacities; ranks are assumed to fill its hosts one after the other"
KEYS = ("slots", "max-slots", "max_slots")


def read_openmpi_hostfile(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks that fill the hosts of a hostfile in its order.

    Raises SpecError: naming the invalid line.
    """
    node: list[int] = []
    line: list[int] = []
    for number, words in lines_of(text, "#"):
        host, *more = re.sub(r"\s*=\s*", "=", words).split()
        if ":" in host:
            plain, _, count = host.partition(":")
            raise at_line(number, f'"{shown(host)}" is not a host; Open MPI writes {shown(plain)} slots={shown(count)}')
        slots = _slots(number, host, more)
        host_node = machine.node(number, host)
        many = min(slots, machine.tasks + 1 - len(node))
        node += [host_node] * many
        line += [number] * many
    if not node:
        raise wrong("has no hosts")
    return RankPlacement(node, line=line, spare=True, warnings=(BLOCKS,))


def _slots(line: int, host: str, words: list[str]) -> int:
    given: dict[str, int] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if key not in KEYS or not equals:
            raise at_line(line, f'"{shown(word)}" is neither slots= nor max-slots=')
        count = number_in(value)
        if count is None:
            raise at_line(line, f"{key}= needs a number")
        given[key] = count
    if "slots" not in given:
        raise at_line(line, f"missing slots=; write {shown(host)} slots=COUNT")
    return given["slots"]


def write_openmpi_hostfile(placed: Placed) -> Exported:
    """Return the number of ranks per host.

    Raises SpecError: unless ranks fill the job's hosts in order, or if a host name cannot be read back.
    """
    if (placed.turn[1:] < placed.turn[:-1]).any():
        words = "does not fill one host after the other, which a hostfile requires"
        raise SpecError("mapping", f"{words}; export an openmpi-rankfile or a slurm-hostfile")
    counts = ((host, len(list(same))) for host, same in groupby(placed.hosts))
    return Exported(lines([f"{host} slots={count}" for host, count in counts]), placed.lost_cores)
