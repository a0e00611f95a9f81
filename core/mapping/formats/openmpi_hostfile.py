"""Open MPI's hostfile: ``n001 slots=4 max-slots=4``, the number of ranks that a host may take.

It gives only capacities, and mpirun chooses the host of each rank (ompi issue 13199). It is read as ranks filling host
by host in the order of the file, and only such mappings can be written. A host without a number takes all slots of its
node or, if listed several times, as many as it has lines. ``^n001`` excludes a host. Source: Open MPI 4.1.4; PRRTE's
documentation and its hostfile.c.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from core.export_result import Exported
from core.mapping.formats.openmpi_hosts import host_in_file, login_notes
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, number_in, shown, wrong
from core.spec import SpecError
from core.text import examples, plural

BLOCKS = "an Open MPI hostfile gives only capacities; ranks are assumed to fill its hosts one after the other"
ORDER = "the order of the hosts, unless mpirun follows the file (openmpi-sequence keeps it)"
"""Loss if ranks do not fill the hosts in the order of the machine."""
KEY = re.compile(r"(slots|count|cpu)|(?:slots|count|cpu)[-_]max|max[-_](?:slots|count|cpu)")
"""Keys of the number of slots (group 1), or of their maximum."""
LOGIN = re.compile(r"(user[-_]?name|port)=\S+")


@dataclass(slots=True)
class _Host:
    """A host of the file, with the lines that list it."""

    name: str
    line: int
    slots: int = 0
    given: bool = False
    """Whether the file gives a number of slots."""

    def add(self, line: int, slots: int | None) -> None:
        """Add a line with this number of slots, or None for one without a number.

        Raises SpecError: if there are two numbers.
        """
        if slots is not None and self.slots:
            raise at_line(line, f"{shown(self.name)} is already on line {self.line:,}; give its slots once")
        self.given |= slots is not None or self.slots > 0
        self.slots += 1 if slots is None else slots


def read_openmpi_hostfile(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks that fill the hosts of a hostfile in its order.

    Raises SpecError: naming the invalid line.
    """
    hosts: dict[int, _Host] = {}
    excluded: set[int] = set()
    logins: list[str] = []
    for number, words in lines_of(text, "#", "//"):
        host, *more = re.sub(r"\s*=\s*", "=", words).split()
        logins += [host] * ("@" in host) + [word for word in more if LOGIN.fullmatch(word)]
        node, slots = host_in_file(number, _plain(number, host.removeprefix("^")), machine), _slots(number, more)
        if host.startswith("^"):
            excluded.add(node)
        else:
            hosts.setdefault(node, _Host(host, number)).add(number, slots)
    taking = {node: host for node, host in hosts.items() if node not in excluded}
    if not taking:
        raise wrong("has no hosts")
    return _filled(taking, machine, login_notes(logins))


def _filled(hosts: dict[int, _Host], machine: LaunchNodes, notes: tuple[str, ...]) -> RankPlacement:
    node: list[int] = []
    line: list[int] = []
    for place, host in hosts.items():
        slots = host.slots if host.given else machine.room(place)
        some = min(slots, machine.tasks + 1 - len(node))
        node += [place] * some
        line += [host.line] * some
    return RankPlacement(node, line=line, spare=True, warnings=(BLOCKS, *_assumed(hosts.values(), machine), *notes))


def _assumed(hosts: Iterable[_Host], machine: LaunchNodes) -> tuple[str, ...]:
    names = [shown(host.name) for host in hosts if not host.given]
    word, rooms = machine.network.host_word, machine.network.host_slots.room
    slots = f"the {plural(int(rooms[0]), 'slot')} of a {word}" if (rooms == rooms[0]).all() else "all slots"
    return (f"hosts without slots= take {slots} ({examples(names)})",) * bool(names)


def _plain(line: int, host: str) -> str:
    if ":" in host:
        plain, _, count = host.partition(":")
        raise at_line(line, f'"{shown(host)}" is not a host; Open MPI writes {shown(plain)} slots={shown(count)}')
    return host


def _slots(line: int, words: list[str]) -> int | None:
    given: dict[bool, int] = {}
    for word in words:
        key, _, value = word.partition("=")
        match, count = KEY.fullmatch(key), number_in(value)
        if match is None and not LOGIN.fullmatch(word):
            raise at_line(line, f'"{shown(word)}" is neither slots= nor max-slots=')
        if match is not None:
            if count is None:
                raise at_line(line, f"{key}= needs a number")
            given[bool(match[1])] = count
    if given.get(True, 0) > given.get(False, given.get(True, 0)):
        raise at_line(line, f"{given[True]:,} slots, but at most {given[False]:,}")
    return given.get(True, given.get(False))


def write_openmpi_hostfile(placed: Placed) -> Exported:
    """Return the number of ranks per host, hosts in the order of their ranks.

    Raises SpecError: unless ranks fill one host after the other, or if a host name cannot be read back.
    """
    turns = [turn for turn, _ in groupby(placed.turn.tolist())]
    if len(set(turns)) < len(turns):
        words = "does not fill one host after the other, which a hostfile requires"
        raise SpecError("mapping", f"{words}; export an openmpi-rankfile or a slurm-hostfile")
    counts = ((host, len(list(same))) for host, same in groupby(placed.hosts))
    reordered = turns != sorted(turns)
    losses = (*placed.lost_cores, *(ORDER,) * reordered)
    return Exported(lines([f"{host} slots={count}" for host, count in counts]), losses)
