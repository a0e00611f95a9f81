"""Lists of ports, a line for each, that describe both ends of a cable."""

from collections.abc import Hashable
from typing import NamedTuple

from core.network.formats.infiniband.dump import CableEnd, Device, Dump, Kind, Lid, SkippedLines
from core.network.formats.parsed_graph import wrong


class SeenPort(NamedTuple):
    """A port, as a line describes it."""

    device: Hashable
    """Key of the device: a GUID or a LID. A port of an adapter has its own, and counts as a device."""
    number: int
    description: str
    lid: int
    guid: int = 0
    kind: Kind | None = None
    """None if the line does not specify it."""


class SeenCable(NamedTuple):
    """A line about a port; `far` is None if it has no cable."""

    line: int
    near: SeenPort
    far: SeenPort | None
    rate: str


def dump_of(seen: list[SeenCable], skipped: SkippedLines) -> Dump:
    """Return the fabric of some lines.

    Devices with lines of their own come first. A device of unspecified kind is a switch if it has several ports or a
    cable to an adapter.

    Raises SpecError: if a port has several cables, or a LID several ports.
    """
    ports: dict[Hashable, list[SeenPort]] = {}
    for port in (*(line.near for line in seen), *(line.far for line in seen if line.far is not None)):
        ports.setdefault(port.device, []).append(port)
    above = {line.far.device for line in seen if line.far is not None and line.near.kind == "channel adapter"}
    # All ports of a device have lines, if it has any.
    listed = {near.device: near.number for near in sorted((line.near for line in seen), key=lambda near: near.number)}
    dump, ids = Dump(both_ends=False, skipped=skipped), dict[Hashable, str]()
    for key, every in ports.items():
        kind = next((port.kind for port in every if port.kind), None)
        kind = kind or ("switch" if key in above or len({port.number for port in every}) > 1 else "channel adapter")
        guids = list(dict.fromkeys(port.guid for port in every if port.guid))
        if len(guids) > 1:
            some = " and ".join(f"0x{guid:016x}" for guid in guids[:2])
            raise wrong(f"LID {every[0].lid:,} is the LID of {some}; use the output of iblinkinfo -l")
        description = next((port.description for port in every if port.description), "").strip()
        ids[key] = f"{'S' if kind == 'switch' else 'H'}-{guids[0]:016x}" if guids else f"lid-{every[0].lid}"
        dump.devices[ids[key]] = Device(kind, description, guids[0] if guids else 0, listed.get(key, 0))
        for port in every:
            at = ids[key], 0 if kind == "switch" else port.number
            dump.lids[at], dump.port_guids[at] = Lid(port.lid), port.guid
    for line, near, far, rate in seen:
        if far is not None:
            dump.connect((ids[near.device], near.number), CableEnd(line, (ids[far.device], far.number), rate))
    return dump
