"""Hosts in files of Open MPI and PRRTE: ``n001``, ``alice@n001``, and ``+n1`` for the second of the job's hosts.

Source: PRRTE's documentation, its hostfile.c and its rmaps_rank_file.c.
"""

import re
from collections.abc import Collection

from core.mapping.formats.ranks import LaunchNodes, at_line
from core.text import examples

RELATIVE = re.compile(r"\+n(\d{1,9})")


def host_in_file(line: int, name: str, machine: LaunchNodes) -> int:
    """Return the host with a name, regardless of the user's name.

    Raises SpecError: if it does not exist.
    """
    host = name.rpartition("@")[2]
    relative = RELATIVE.fullmatch(host)
    if relative is None:
        return machine.host(line, host)
    if int(relative[1]) >= machine.hosts.size:
        raise at_line(line, f"no host {host}; the job's hosts are +n0 to +n{machine.hosts.size - 1}")
    return int(machine.hosts[int(relative[1])])


def login_notes(words: Collection[str]) -> tuple[str, ...]:
    """Return the note on words of a file that give users or ports, if there are any."""
    return (f"users and ports are ignored ({examples(words)})",) * bool(words)
