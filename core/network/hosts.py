"""Hosts of a machine, their names, NICs and sockets, as its scheduler and launchers use them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from core.hostlist import HostListError, expand
from core.network.formats.parsed_graph import shown
from core.network.network import Network
from core.network.nics import HOST
from core.spec import Spec, SpecError, declare, error_at_line, name_of, parsing, path_in_folder, text_of
from core.text import plural

FIELD = "hosts"
MAX_BYTES = 64 << 20


class HostsFile(Spec, frozen=True, tag=False):
    """A file of host names in the order of the hosts: host list expressions, one or more per line, ``#`` comments."""

    file: Annotated[
        str, declare("Host names", "file of host names in the scenario's folder", is_file=True, max_length=1024)
    ]


Hosts = Annotated[str, msgspec.Meta(max_length=1 << 20)] | HostsFile
"""Names of the hosts in order, as a host list expression or in a file."""
Cores = Annotated[int, declare("Cores per socket", "slots per socket of a host", ge=1, le=1024)]


def named(network: Network, hosts: Hosts, folder: Path | None) -> Network:
    """Return the network with names of its hosts, which its nodes have as labels.

    Raises SpecError: if a name is repeated, or the numbers of names and hosts differ.
    """
    names, count = _names(hosts, folder), network.host_slots.count
    if len(names) != count or network.aggregation > 1:
        who = "" if isinstance(hosts, str) else f"{name_of(Path(hosts.file))} "
        has = f"the network has {plural(count * network.aggregation, network.host_word)}{_folded(network)}"
        raise SpecError(FIELD, f"{who}has {plural(len(names), 'name')}; {has}")
    twice = first_twice(names)
    if twice is not None:
        raise SpecError(FIELD, f"has {shown(twice)} twice; give each host a unique name")
    if network.devices and network.nics is not None:
        return _with_servers(network, names)
    levels = tuple(replace(level, names=names) if level.name == HOST else level for level in network.levels)
    renamed = replace(network, hosts=names, levels=levels)
    label, labels = network.label, renamed.node_names
    return replace(renamed, label=lambda vertex: labels[vertex] if vertex < len(labels) else label(vertex))


def _with_servers(network: Network, names: tuple[str, ...]) -> Network:
    """Return servers with these names, also in the names of their devices: ``s0-gpu3`` becomes ``n0001-gpu3``."""
    new_name, label = dict(zip(network.host_names, names, strict=True)), network.label

    def _renamed(text: str) -> str:
        server, dash, device = text.partition("-")
        return f"{new_name[server]}{dash}{device}" if server in new_name else text

    levels = tuple(replace(level, names=tuple(map(_renamed, level.names))) for level in network.levels)
    return replace(network, hosts=names, levels=levels, label=lambda vertex: _renamed(label(vertex)))


def with_sockets(network: Network, cores: int) -> Network:
    """Return the network with `cores` slots in each socket of a host.

    Raises SpecError: if `cores` does not divide the slots of every host.
    """
    room = network.host_slots.room
    if (room % cores).any():
        slots = int(np.gcd.reduce(room))
        divisors = ", ".join(str(size) for size in range(1, slots + 1) if slots % size == 0)
        raise SpecError("cores", f"is {cores}; must divide the {slots} slots of a {network.host_word}: {divisors}")
    return replace(network, cores=cores)


def hosts_expanded(field: str, text: str) -> list[str]:
    """Expand a host list expression.

    Raises SpecError: under `field`, if it is invalid.
    """
    try:
        return expand(text)
    except HostListError as error:
        raise SpecError(field, str(error)) from error


def first_twice(names: Sequence[str]) -> str | None:
    """Return the first repeated name, or None if all are different."""
    seen = set[str]()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _names(hosts: Hosts, folder: Path | None) -> tuple[str, ...]:
    if isinstance(hosts, str):
        return tuple(hosts_expanded(FIELD, hosts))
    field = f"{FIELD}.file"
    path = path_in_folder(field, hosts.file, folder, MAX_BYTES)
    names: list[str] = []
    with parsing(field, path, "host names"):
        for number, line in enumerate(text_of(field, path).splitlines(), 1):
            try:
                names += expand(line.partition("#")[0], before=len(names))
            except HostListError as error:
                raise error_at_line(field, number, str(error)) from error
    return tuple(names)


def _folded(network: Network) -> str:
    return " and is aggregated, so host names are not supported" if network.aggregation > 1 else ""
