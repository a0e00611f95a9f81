"""Hosts of LSF with their numbers of slots: ``n1 2``, in lines of a file or in one line, ``n1 2 n2 4``.

``bsub -hostfile FILE`` takes lines of a host and a count (1 if missing), which place successive ranks; hosts may be
repeated. The variable LSB_MCPU_HOSTS holds the pairs in one line. LSB_DJOB_HOSTFILE and LSB_HOSTS list a host for each
rank. Source: IBM's documentation of Spectrum LSF 10.1.
"""

import re
from collections.abc import Iterator

from core.mapping.formats.ranks import HostsInOrder, LaunchNodes, RankPlacement, at_line, lines_of, shown

VARIABLE = re.compile(r"(?:export\s+|setenv\s+)?LSB_(MCPU_HOSTS|HOSTS)\s*[=\s]\s*")


def read_lsf_hosts(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a host list.

    Raises SpecError: naming the invalid line.
    """
    hosts = HostsInOrder(machine)
    for number, line in lines_of(text, "#"):
        for host, count in _pairs(number, line):
            hosts.add(number, host, count)
    return hosts.ranks()


def _pairs(number: int, line: str) -> Iterator[tuple[str, str | None]]:
    variable = VARIABLE.match(line)
    words = (line[variable.end() :].strip("\"'") if variable else line).split()
    if variable and variable[1] == "HOSTS":
        return ((host, None) for host in words)
    if len(words) > 1 and len(words) % 2:
        raise at_line(number, f'"{shown(line)}" is not a list of hosts, each with its number of slots')
    return zip(words[::2], words[1::2] or (None,), strict=True)
