"""Made-up topology files of GPU servers, written as NCCL does."""


def _element(tag, inside=(), **attributes):
    given = "".join(f' {name.rstrip("_")}="{value}"' for name, value in attributes.items() if value is not None)
    return [f"<{tag}{given}>", *inside, f"</{tag}>"] if inside else [f"<{tag}{given}/>"]


def _joined(elements):
    return [f"  {line}" for element in elements for line in element]


def cpu(*inside, numaid=0, **attributes):
    """A CPU with the PCI devices and NICs below it."""
    return _element("cpu", _joined(inside), numaid=numaid, **attributes)


def pci(bus, *inside, speed="32.0 GT/s PCIe", width=16, class_="0x060400"):
    """A PCI device with the devices below it; `bus` is the middle of its bus ID, such as 43:00."""
    return _element("pci", _joined(inside), busid=f"0000:{bus}.0", class_=class_, link_speed=speed, link_width=width)


def gpu(dev, *links, sm=90):
    """A GPU with its NVLinks."""
    return _element("gpu", _joined(links), dev=dev, sm=sm, rank=dev)


def nvlink(bus, count=1, tclass="0x030200", tag="nvlink"):
    """Some links to the device on a bus."""
    return _element(tag, target=f"0000:{bus}.0", count=count, tclass=tclass)


def nvswitch(bus="07:00", count=18):
    """Some links to an NVSwitch."""
    return nvlink(bus, count, "0x068000")


def nic(*nets):
    """A NIC with its networks."""
    return _element("nic", _joined(nets))


def net(name, dev=None, speed=400_000):
    """A network."""
    return _element("net", name=name, dev=dev, speed=speed)


def system(*cpus, version=1):
    """A topology file."""
    return "\n".join(_element("system", _joined(cpus), version=version)) + "\n"


def gpu_on(bus, dev, *links, sm=90):
    """A GPU on a bus."""
    return pci(bus, gpu(dev, *links, sm=sm), class_="0x030200")


def nic_on(bus, *nets):
    """A NIC on a bus."""
    return pci(bus, nic(*nets), class_="0x020700")


def with_nvswitch(gpus=8, cpus=2):
    """A server whose GPUs have an NVSwitch, and a bridge each with a NIC."""
    each = gpus // cpus

    def bridge(dev):
        below = (
            gpu_on(f"{0x11 + 16 * dev:02x}:00", dev, nvswitch()),
            nic_on(f"{0x12 + 16 * dev:02x}:00", net(f"ib{dev}", dev)),
        )
        return pci(f"{0x10 + 16 * dev:02x}:00", *below)

    return system(
        *(cpu(*map(bridge, range(first, first + each)), numaid=k) for k, first in enumerate(range(0, gpus, each)))
    )


def in_pairs(gpus=4):
    """A server without an NVSwitch: two CPUs, a bridge for a NIC and half of the GPUs each, GPUs with links to all."""
    bus = [f"{0x20 + dev:02x}:00" for dev in range(gpus)]
    half = gpus // 2

    def bridge(place):
        own = range(place * half, (place + 1) * half)
        below = [
            gpu_on(bus[dev], dev, *(nvlink(bus[other], 2, tag="xgmi") for other in range(gpus) if other != dev))
            for dev in own
        ]
        return pci(
            f"{0x40 + place:02x}:00", *below, nic_on(f"{0x50 + place:02x}:00", net(f"ib{place}", place, 200_000))
        )

    return system(cpu(bridge(0)), cpu(bridge(1), numaid=1))
