"""Links of GPUs that are not PCIe: NVLink, xGMI and C2C, to other GPUs, NVSwitches and CPUs.

Links between two GPUs are listed at both ends, and count once. All NVSwitches of a server are one vertex, as in NCCL.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from core.network.formats.nccl.elements import Element
from core.network.formats.nccl.rates import XGMI, nvlink_gbs
from core.network.formats.nccl.server import Link, Notes, Server
from core.network.formats.parsed_graph import at_line, shown

NVSWITCH, CPU = "0x0680", "0x068001"
"""Classes of the targets of NVLinks: the beginning of the class of NVSwitches, and the class of CPUs."""


class _Ends(NamedTuple):
    tag: str
    gpu: int
    target: int


def needs_port(pci: Element) -> bool:
    """Return whether a path of two PCIe links leads from a GPU to a vertex to which it has a path of NVLinks.

    Then a switch between the GPU and the vertex above it makes paths of NVLinks the shortest, as NCCL prefers them.
    """
    above = pci.parent
    links = [link for gpu in pci.all("gpu") for link in gpu.children]
    if above is None or not links:
        return False
    siblings = (gpu for other in above.all("pci") if other is not pci for gpu in other.all("gpu"))
    return any(gpu.children for gpu in siblings) or (above.tag == "cpu" and any(map(_leads_to_cpu, links)))


def add_nvlinks(server: Server, gpus: Sequence[Element], each_gbs: float | None, notes: Notes) -> None:
    """Add the links of GPUs to a server; `each_gbs` is the bandwidth of an NVLink or xGMI link, None for the default.

    Raises SpecError: naming the line of a link to an unknown device, or with an invalid number of links.
    """
    on_bus = _by_bus(gpus)
    counts: Counter[_Ends] = Counter()
    nvswitches = set[str]()
    for gpu in gpus:
        vertex = server.vertex_of[gpu]
        for link in gpu.children:
            count = link.number("count", least=1) or 1
            if link.tag == "c2c":
                server.links.append(Link(vertex, server.cpu_above(vertex), "c2c", count * _megabytes(link) / 1000))
            else:
                target = _target(server, vertex, link, on_bus, nvswitches)
                counts[_Ends(link.tag, vertex, target)] += count
    if len(nvswitches) > 1:
        notes.assume(f"that {len(nvswitches)} NVSwitches are one switch, as in NCCL")
    sms = {server.vertex_of[gpu]: gpu.number("sm") for gpu in gpus}
    for ends, count in counts.items():
        joined = _joined(ends, count, counts, server.gpus, notes)
        if joined:
            gbs = each_gbs or _assumed_gbs(ends, sms, notes)
            server.links.append(Link(ends.gpu, ends.target, ends.tag, joined * gbs))


def _joined(ends: _Ends, count: int, counts: Counter[_Ends], gpus: int, notes: Notes) -> int:
    """Return the number of links between two vertices, 0 if they are listed at the other end already."""
    if ends.gpu == ends.target:
        notes.count("leaves out {} from a GPU to itself", "NVLink")
        return 0
    back = counts.get(_Ends(ends.tag, ends.target, ends.gpu))
    if back is None:
        if ends.target < gpus:
            notes.count("{} between GPUs listed at one end only", "NVLink")
        return count
    if ends.target < ends.gpu:
        return 0
    if back != count:
        notes.count("{} with different counts at both ends, of which the lower is used", "NVLink")
    return min(count, back)


def _assumed_gbs(ends: _Ends, sms: dict[int, int | None], notes: Notes) -> float:
    if ends.tag == "xgmi":
        gbs, what = XGMI, "xGMI link"
    else:
        gbs, what = nvlink_gbs(max((sms.get(end) or 0 for end in ends[1:]), default=0)), "NVLink"
    notes.assume(f"{gbs:g} GB/s per {what} and direction (nvlink_gbs)")
    return gbs


def _by_bus(gpus: Sequence[Element]) -> dict[str, Element]:
    by_bus: dict[str, Element] = {}
    for gpu in gpus:
        pci = gpu.parent if gpu.tag == "gpu" else gpu
        assert pci is not None  # GPUs are in PCI devices
        bus = pci.get("busid").lower()
        other = by_bus.setdefault(bus, gpu)
        if other.parent is not gpu.parent:
            line = other.parent.line if other.parent is not None else 0
            raise at_line(pci.line, f"bus {shown(bus)} has another GPU on line {line:,}; give each its own bus")
    return by_bus


def _target(server: Server, gpu: int, link: Element, on_bus: dict[str, Element], nvswitches: set[str]) -> int:
    bus = link.get("target").lower()
    if bus in on_bus:
        return server.vertex_of[on_bus[bus]]
    if _leads_to_cpu(link):
        return server.cpu_above(gpu)
    if link.get("tclass").lower().startswith(NVSWITCH):
        nvswitches.add(bus)
        return server.nvswitch()
    valid = f"give the bus of a GPU in the file, or tclass {NVSWITCH}00 for an NVSwitch"
    raise at_line(link.line, f"<{link.tag}> has the unknown target {shown(link.get('target'))}; {valid}")


def _leads_to_cpu(link: Element) -> bool:
    return link.tag == "c2c" or link.get("tclass").lower() == CPU


def _megabytes(link: Element) -> int:
    # NCCL gives the bandwidth of a C2C link in MB/s.
    mbs = link.number("bw", least=1)
    if mbs is None:
        raise at_line(link.line, "<c2c> has no bw; give MB/s")
    return mbs
