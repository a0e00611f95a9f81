"""Made-up InfiniBand fabrics, written as ibnetdiscover does."""

from collections import defaultdict
from typing import NamedTuple

NEAR, FAR = 0x4000, 0x100000
"""GUIDs from `FAR` have LIDs as from `NEAR`, since LIDs have 16 bits."""


class Device(NamedTuple):
    """A switch or an adapter."""

    guid: int
    ports: int
    description: str
    switch: bool = False

    @property
    def id(self):
        return f"{'S' if self.switch else 'H'}-{self.guid:016x}"

    @property
    def lid(self):
        """A LID that differs from the GUID and from port numbers."""
        return self.guid + 1000 - (FAR - NEAR if self.guid >= FAR else 0)


class Cable(NamedTuple):
    """A cable between ports of two devices."""

    a: Device
    a_port: int
    b: Device
    b_port: int
    rate: str = "4xHDR"


def dump(devices, cables, lmc=0):
    """The output of ibnetdiscover for some devices and cables."""
    ends = defaultdict(dict)
    for a, a_port, b, b_port, rate in cables:
        ends[a.id][a_port] = b, b_port, rate
        ends[b.id][b_port] = a, a_port, rate
    blocks = ["#\n# Topology file: generated on Wed Jan  1 00:00:00 2025\n#"]
    for device in devices:
        kind = "switch" if device.switch else "ca"
        lines = ["vendid=0x2c9", "devid=0xd2f0", f"{kind}guid=0x{device.guid:x}"]
        port_0 = f" enhanced port 0 lid {device.lid} lmc 0" if device.switch else ""
        lines.append(f'{kind.title()}\t{device.ports} "{device.id}"\t\t# "{device.description}"{port_0}')
        for port, (peer, peer_port, rate) in sorted(ends[device.id].items()):
            own = "" if device.switch else f"({device.guid + port:x}) "
            far = "" if peer.switch else f"({peer.guid + peer_port:x}) "
            lid = "" if device.switch else f"lid {device.lid} lmc {lmc} "
            note = f'# {lid}"{peer.description}" lid {peer.lid} {rate}'
            lines.append(f'[{port}]{own}\t"{peer.id}"[{peer_port}]{far}\t\t{note}')
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def two_rails(hosts=64, leaves=8, spines=4):
    """Devices and cables of a two-level tree: two adapters per host, on different leaves.

    Every switch has a unit for SHARP; the first leaf has a loopback cable.
    """
    tops = [Device(0x300 + k, 65, f"MF0;spine{k}:MQM8700/U1", switch=True) for k in range(spines)]
    edges = [Device(0x400 + k, 65, f"MF0;leaf{k}:MQM8700/U1", switch=True) for k in range(leaves)]
    adapters = [Device(0x1000 + 16 * k, 1, f"node{k // 2:03d} mlx5_{k % 2}") for k in range(2 * hosts)]
    units = [Device(0x900000 + 16 * k, 1, "Mellanox Technologies Aggregation Node") for k in range(leaves + spines)]
    cables = [Cable(leaf, 41 + k, top, 1 + j, "4xNDR") for j, leaf in enumerate(edges) for k, top in enumerate(tops)]
    cables += [Cable(edges[k % leaves], 1 + k // leaves, adapter, 1) for k, adapter in enumerate(adapters)]
    cables += [Cable(switch, 65, unit, 1) for switch, unit in zip([*edges, *tops], units, strict=True)]
    cables.append(Cable(edges[0], 61, edges[0], 62))
    return [*edges, *tops, *adapters, *units], cables
