"""Made-up fabrics with made-up forwarding tables."""

from hypothesis import strategies as st

from core.network import Edges
from core.routing import Tables
from tests.core.network.formats.fabrics import Cable, Device, dump

LMC = 1
HOST = 0x100000
"""GUID of the first host, in `discovered`."""


@st.composite
def fabrics(draw):
    """A connected fabric of two to five switches, with hosts of one or two NICs: its devices and cables."""
    switches = [Device(k + 1, 12, f"s{k}", switch=True) for k in range(draw(st.integers(2, 5)))]
    free = {switch: list(range(1, 13)) for switch in switches}
    join = lambda a, b: Cable(a, free[a].pop(0), b, free[b].pop(0))  # noqa: E731
    cables = [join(draw(st.sampled_from(switches[:k])), switches[k]) for k in range(1, len(switches))]
    for _ in range(draw(st.integers(0, 3))):
        a, b = draw(st.lists(st.sampled_from(switches), min_size=2, max_size=2, unique=True))
        cables.append(join(a, b))
    adapters = []
    for host in range(draw(st.integers(2, 6))):
        for nic in range(draw(st.integers(1, 2))):
            adapters.append(Device(0x100 + 16 * len(adapters), 1, f"n{host} mlx5_{nic}"))
            leaf = draw(st.sampled_from([switch for switch in switches if free[switch]]))
            cables.append(Cable(leaf, free[leaf].pop(0), adapters[-1], 1))
    return [*switches, *adapters], cables


def text_of(tables, names=None):
    """A dump as OpenSM writes it, given the port by LID of each switch's GUID."""
    blocks = []
    for guid, ports in tables.items():
        rows = [f"0x{lid:04x} {port:03d} # Channel Adapter" for lid, port in sorted(ports.items())]
        heading = f"Unicast lids [0-65535] of switch Lid 1 guid 0x{guid:016x} ('{(names or {}).get(guid, 's')}'):"
        blocks.append("\n".join([heading, *rows, f"{len(rows)} lids dumped"]))
    return "\n".join(blocks) + "\n"


@st.composite
def tables(draw, devices, cables):
    """A port by LID of each switch: mostly ports with cables, some without, and some LIDs without a port."""
    switches = [device for device in devices if device.switch]
    lids = [device.lid + k for device in devices if not device.switch for k in range(1 << LMC)]
    cabled = {switch: [] for switch in switches}
    for a, a_port, b, b_port, _ in cables:
        for end, port in ((a, a_port), (b, b_port)):
            if end.switch:
                cabled[end].append(port)
    port = lambda switch: st.sampled_from([*cabled[switch] * 4, 0, 12, 200, None])  # noqa: E731
    drawn = {switch.guid: {lid: draw(port(switch)) for lid in lids} for switch in switches}
    return {guid: {lid: port for lid, port in rows.items() if port is not None} for guid, rows in drawn.items()}


def routed(folder, fabric, ports, **fields):
    """The network and the router of a fabric with tables."""
    devices, cables = fabric
    (folder / "fabric.txt").write_text(dump(devices, cables, lmc=LMC))
    (folder / "lfts.dump").write_text(text_of(ports))
    network = Edges(file="fabric.txt").build(folder)
    return network, Tables(file="lfts.dump", **fields).build(network, folder)


def discovered(spec, hosts=1):
    """The devices and cables of a network as a fabric; nodes without switches become switches with `hosts` hosts."""
    network = spec.build()
    direct = network.nodes == network.vertices
    is_switch = [direct or vertex >= network.nodes for vertex in range(network.vertices)]
    devices = [
        Device(1 + vertex if switch else HOST + 4 * vertex, 254, f"{'s' if switch else 'n'}{vertex:04}", switch)
        for vertex, switch in enumerate(is_switch)
    ]
    free = {device: iter(range(1, 255)) for device in devices}
    ends = sorted(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    pairs = [(devices[u], devices[v]) for u, v in ends if u < v]
    if direct:
        added = [Device(HOST + 4 * k, 1, f"n{k:04}") for k in range(hosts * network.nodes)]
        pairs = [(host, devices[k // hosts]) for k, host in enumerate(added)] + pairs
        devices += added
        free |= {host: iter([1]) for host in added}
    return devices, [Cable(a, next(free[a]), b, next(free[b])) for a, b in pairs]


def built(folder, fabric, lmc=0):
    """The network of a fabric."""
    (folder / "fabric.txt").write_text(dump(*fabric, lmc=lmc))
    return Edges(file="fabric.txt").build(folder)
