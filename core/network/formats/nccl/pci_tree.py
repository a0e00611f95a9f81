"""Reads the servers of a topology file: CPUs, and the PCI devices below them down to GPUs and NICs."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from core.network.formats.nccl.elements import Element
from core.network.formats.nccl.nvlinks import add_nvlinks, needs_port
from core.network.formats.nccl.rates import ASSUMED_NET, NUMA, pcie_gbs, pcie_speed
from core.network.formats.nccl.server import Link, Net, Notes, Rates, Server
from core.network.formats.parsed_graph import at_line, wrong
from core.network.layouts.servers import Kind

GPU_CLASS, NIC_CLASS = "0x03", "0x02"
"""Beginnings of the classes of PCI devices that are GPUs or NICs, in files without <gpu> or <nic>."""


class ServersRead(NamedTuple):
    """The servers in a file: several only if NVLinks join them."""

    servers: list[Server]
    notes: tuple[str, ...]


def read_servers(system: Element, rates: Rates) -> ServersRead:
    """Return the servers in a file.

    Raises SpecError: naming the line of an invalid element, or if the file has no GPUs.
    """
    devices, notes = _Devices(system.children), Notes()
    if not devices.gpus:
        raise wrong("has no <gpu>, and no PCI device of class 0x03; give a file that NCCL_TOPO_DUMP_FILE names")
    cpus_of: dict[str, list[Element]] = {}
    for cpu in system.children:
        cpus_of.setdefault(cpu.get("host_hash"), []).append(cpu)
    servers = [_Reader(cpus, devices, rates, notes).server() for cpus in cpus_of.values()]
    return ServersRead(servers, (*devices.notes(), *notes.texts()))


def short_bus(pci: Element) -> str:
    """Return the unusual part of the bus ID of a PCI device: ``43`` for 0000:43:00.0."""
    return pci.get("busid").lower().removeprefix("0000:").removesuffix(".0").removesuffix(":00")


def _in_order(cpus: Sequence[Element]) -> Iterator[Element]:
    """Yield CPUs and the PCI devices below them, each before the devices below it, in the order of the file."""
    waiting = [*reversed(cpus)]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += reversed(element.all("pci"))


def _by_number(elements: Sequence[Element]) -> list[Element]:
    """Return GPUs or networks in the order of their device numbers; in the order of the file if some lack one."""
    numbers = _device_numbers(elements)
    return [*elements] if numbers is None else [elements[place] for place in np.argsort(numbers).tolist()]


def _device_numbers(elements: Sequence[Element]) -> list[int] | None:
    numbers = [element.number("dev") for element in elements]
    given = [number for number in numbers if number is not None]
    return given if len({*given}) == len(elements) else None


class _Devices:
    """The PCI devices of a file that are GPUs or NICs: by their elements, or by their class if the file has none."""

    def __init__(self, cpus: Sequence[Element]) -> None:
        every = [*_in_order(cpus)]
        self.gpus = {device: device.all("gpu") for device in every if device.all("gpu")}
        """The GPUs of a PCI device; without elements for GPUs the device itself."""
        self.nics = {device: device.all("nic") for device in every if device.all("nic")}
        """The NICs of a PCI device or a CPU; without elements for NICs none."""
        self.by_class = not self.gpus, not self.nics
        if not self.gpus:
            self.gpus = {device: [device] for device in every if device.get("class").startswith(GPU_CLASS)}
        if not self.nics:
            self.nics = {device: [] for device in every if device.get("class").startswith(NIC_CLASS)}
        self.used = set[Element]()
        """These devices, and all elements around them."""
        for device in (*self.gpus, *self.nics):
            inside: Element | None = device
            while inside is not None and inside not in self.used:
                self.used.add(inside)
                inside = inside.parent

    def notes(self) -> Iterator[str]:
        """Yield notes on devices that are recognised by their class."""
        gpus, nics = len(self.gpus), len(self.nics)
        if self.by_class[0]:
            yield f"has no <gpu>: the PCI devices of class 0x03 are GPUs ({gpus}), and their NVLinks are unknown"
        if self.by_class[1] and nics:
            yield f"has no <nic>: the PCI devices of class 0x02 are NICs ({nics}), of unknown bandwidth (gbs is used)"


class _Reader:
    """Reads one server."""

    def __init__(self, cpus: Sequence[Element], devices: _Devices, rates: Rates, notes: Notes) -> None:
        self._cpus, self._devices, self._rates, self._notes = cpus, devices, rates, notes
        self._server = Server()

    def server(self) -> Server:
        """Return the server.

        Raises SpecError: naming the line of an invalid element.
        """
        server, elements = self._server, [*_in_order(self._cpus)]
        gpus = _by_number([gpu for element in elements for gpu in self._devices.gpus.get(element, ())])
        for gpu, number in zip(gpus, _device_numbers(gpus) or range(len(gpus)), strict=True):
            server.add(f"gpu{number}", Kind.GPU, gpu)
        for place, cpu in enumerate(self._cpus):
            server.add(f"cpu{cpu.get('numaid') or place}", Kind.CPU, cpu)
        ports: dict[Element, Net] = {}
        for element in elements:
            if element.tag == "pci":
                self._add_device(element)
            if element in self._devices.nics:
                ports |= self._ports(element)
        server.nets = [ports[net] for net in _by_number([*ports])]
        add_nvlinks(server, gpus, self._rates.nvlink_gbs, self._notes)
        self._add_numa()
        return server

    def _add_device(self, pci: Element) -> None:
        """Add a bridge, or link GPUs to the vertex above them."""
        for _ in pci.all("pcilink"):
            self._notes.count("leaves out {}, as the file has no bandwidth for it", "<pcilink>")
        if pci not in self._devices.used:
            if not pci.children:
                self._notes.count("leaves out {} without a GPU or a NIC", "PCI device")
            return
        if not pci.get("busid"):
            raise at_line(pci.line, "<pci> has no busid")
        gpus = [self._server.vertex_of[gpu] for gpu in self._devices.gpus.get(pci, ())]
        if len(gpus) > 1 or (gpus and needs_port(pci)):
            self._attach(self._server.add(f"{self._server.names[gpus[0]]}-pcie", Kind.PORT, pci), pci)
            for gpu in gpus:
                self._server.attach(gpu, self._server.vertex_of[pci], pcie_gbs(pci))
        elif gpus:
            self._attach(gpus[0], pci)
        elif pci not in self._devices.nics:
            self._attach(self._server.add(f"pci-{short_bus(pci)}", Kind.BRIDGE, pci), pci)

    def _attach(self, vertex: int, pci: Element) -> None:
        assert pci.parent is not None  # CPUs are around PCI devices
        if pcie_speed(pci) is None or not pci.number("link_width"):
            self._notes.pcie.append(pci)
        self._server.attach(vertex, self._server.vertex_of[pci.parent], pcie_gbs(pci))

    def _ports(self, device: Element) -> dict[Element, Net]:
        """Return the network ports of a PCI device or a CPU, by their elements, and add their NIC."""
        nets = [net for nic in self._devices.nics[device] for net in nic.all("net")]
        rates = {net: self._net_gbs(net) for net in nets}
        name = next((net.get("name") for net in nets if net.get("name")), "")
        nic = self._other_function(device)
        if nic is None and device.tag == "pci":
            nic = self._server.add(name or f"nic-{short_bus(device)}", Kind.NIC, device)
            self._attach(nic, device)
        elif nic is None:
            # Only its networks limit a NIC outside of PCI devices, such as a virtual NIC.
            nic = self._server.add(name or "nic", Kind.NIC)
            self._server.attach(nic, self._server.vertex_of[device], sum(rates.values()) or ASSUMED_NET / 8000)
        return {net: Net(nic, rate) for net, rate in rates.items()} or {device: Net(nic, None)}

    def _other_function(self, device: Element) -> int | None:
        place = device.get("busid").rpartition(".")[0]
        for other in device.parent.all("pci") if place and device.parent is not None else ():
            if other is not device and other in self._devices.nics and other.get("busid").rpartition(".")[0] == place:
                return self._server.vertex_of.get(other)
        return None

    def _net_gbs(self, net: Element) -> float:
        # Some NICs have the speed -1.
        speed = 0 if net.get("speed").startswith("-") else net.number("speed")
        if not speed:
            self._notes.count("assumes 10 Gb/s for {} without a speed, as in NCCL", "network")
        return (speed or ASSUMED_NET) / 8000

    def _add_numa(self) -> None:
        cpus = [self._server.vertex_of[cpu] for cpu in self._cpus]
        gbs = NUMA if self._rates.numa_gbs is None else self._rates.numa_gbs
        if len(cpus) > 1 and self._rates.numa_gbs is None:
            self._notes.assume(f"{gbs:g} GB/s between two CPUs (numa_gbs)")
        self._server.links += [Link(first, second, "numa", gbs) for first, second in combinations(cpus, 2)]
