"""The hosts of a fabric: which adapters a host has, and which adapters are not hosts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.network.formats.infiniband.dump import Cable, Dump
from core.network.formats.parsed_graph import some
from core.network.formats.patterns import compiled, searched
from core.spec import SpecError
from core.text import plural

NODE_OF = r"^(\S+)\s+(?:HCA|mlx[45](?:_bond)?|mthca|qib|hfi|ib)[-_ ]?\d+"
"""The host's name in a description such as ``n1 HCA-1`` or ``n1 mlx5_0``."""
LEAVE_OUT = "Aggregation Node"
"""In descriptions of the units of switches that reduce in the network (SHARP)."""
NODE_OF_FIELD, LEAVE_OUT_FIELD = "network.node_of", "network.leave_out"


class Adapter(NamedTuple):
    """An adapter of a host."""

    host: str
    """Name of the host; the id of the adapter if it is a host of its own."""
    name: str
    """Description without the host's name, such as ``HCA-1``."""


class Hosts(NamedTuple):
    """The adapters of all hosts."""

    adapters: dict[str, Adapter]
    """By device id, in the order of the file."""
    left_out: frozenset[str]
    """Ids of adapters that are not hosts."""
    notes: tuple[str, ...]


def hosts_of(dump: Dump, cables: Sequence[Cable], node_of: str, leave_out: str) -> Hosts:
    """Return the hosts of a fabric.

    `node_of` is a pattern whose first group is the host's name in an adapter's description, `leave_out` a pattern for
    descriptions of adapters that are not hosts; if empty, all are.

    Raises SpecError: naming the invalid pattern.
    """
    host, other = compiled(NODE_OF_FIELD, node_of), compiled(LEAVE_OUT_FIELD, leave_out)
    if not host.groups:
        raise SpecError(NODE_OF_FIELD, f"{some([node_of])} has no group; write the host's name as (...)")
    described = {key: device.description for key, device in dump.devices.items() if device.kind == "channel adapter"}
    others = searched(LEAVE_OUT_FIELD, other, described.values()) if leave_out else [None] * len(described)
    without = {key: text for (key, text), match in zip(described.items(), others, strict=True) if match}
    named = {key: text for key, text in described.items() if key not in without}
    matches = searched(NODE_OF_FIELD, host, named.values())
    adapters = {key: _adapter(key, named[key], match) for key, match in zip(named, matches, strict=True)}
    nameless = [described[key] for key, adapter in adapters.items() if adapter.host == key and described[key]]
    shared = _shared(adapters, cables) if node_of == NODE_OF else set()
    adapters = {
        key: adapter._replace(host=key) if adapter.host in shared else adapter for key, adapter in adapters.items()
    }
    notes = (
        _note("leaves out {}: {}", "channel adapter", list(without.values())),
        _note("{} without a host's name in the description, named by ID: {}", "channel adapter", nameless),
        _note("{} of several hosts, whose adapters are named by ID: {}", "name", sorted(shared)),
    )
    return Hosts(adapters, frozenset(without), tuple(filter(None, notes)))


def _adapter(device_id: str, description: str, match: re.Match[str] | None) -> Adapter:
    if match and (name := "-".join((match[1] or "").split())):
        return Adapter(name, (description[: match.start(1)] + description[match.end(1) :]).strip())
    words = description.split()
    return Adapter(words[0] if len(words) == 1 else device_id, "")


def _shared(adapters: Mapping[str, Adapter], cables: Sequence[Cable]) -> set[str]:
    """Return the names of hosts that have the same port of an adapter of one name twice, and so are several hosts."""
    ports = {port for cable in cables for port in (cable.first, cable.second)}
    count = Counter((adapters[key], number) for key, number in ports if key in adapters and adapters[key].name)
    return {adapter.host for (adapter, _), times in count.items() if times > 1}


def _note(words: str, noun: str, texts: Sequence[str]) -> str:
    return words.format(plural(len(texts), noun), some(list(dict.fromkeys(texts)))) if texts else ""
