"""Cables added to a network, as declared in scenario files: what an extension would bring."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.faults import Named, numbered_vertex
from core.network.layout import Floats, Layout
from core.network.network import LinkClass, Network, check_size
from core.network.ports import Ports
from core.spec import SpecError, declare
from core.text import figure

FIELD = "cables"
NAME = "added"
"""Name of the class of added links."""
MAX_BANDWIDTHS = 24
"""Different bandwidths of added cables, each of which is a link class."""
BOW = 0.12
"""Distance of the middle of an added link from the straight line, as a fraction of its length."""


Width = Annotated[
    float,
    declare(
        "Bandwidth",
        "bandwidth per direction (default: of the fastest link at the slower end)",
        unit="GB/s",
        ge=1e-6,
        le=1e6,
    ),
]


class AddedCable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A cable between two nodes or switches: a link in each direction."""

    src: Annotated[Named, declare("From", "number or name of the node or switch at one end")]
    dst: Annotated[Named, declare("To", "number or name of the node or switch at the other end")]
    gbs: Width | None = None

    def ends(self, network: Network) -> tuple[int, int]:
        """Return the numbers of the vertices at both ends.

        Raises SpecError: naming the field, if a vertex does not exist, or both are the same.
        """
        src, dst = numbered_vertex("src", self.src, network), numbered_vertex("dst", self.dst, network)
        if src == dst:
            raise SpecError("dst", f"is {self.dst}, the same as src; give two different nodes or switches")
        return src, dst

    def numbered(self, network: Network) -> Self:
        """Return the cable with numbers instead of names.

        Raises SpecError: naming the field, if a vertex does not exist.
        """
        src, dst = self.ends(network)
        return msgspec.structs.replace(self, src=src, dst=dst)

    def what(self, network: Network) -> str:
        """Return the labels of the ends."""
        return " – ".join(map(network.label, self.ends(network)))


def with_cables(network: Network, cables: Sequence[AddedCable]) -> Network:
    """Return the network with further cables; links of the network keep their numbers, and added links follow.

    Facts that follow from the family (symmetries, cuts, the tree) no longer hold and are dropped.

    Raises SpecError: naming the field, if an end does not exist, or the network is aggregated.
    """
    if not cables:
        return network
    if network.aggregation > 1:
        words = f"do not support aggregated networks, such as this one with {network.real_links:,} links"
        raise SpecError(FIELD, f"{words}; remove the cables, or choose a smaller network")
    check_size(FIELD, "the network and its added cables", network.links + 2 * len(cables))
    ends = np.array([_ends(network, number, cable) for number, cable in enumerate(cables)], np.int32)
    classes, order = _classes(network, _bandwidths(network, cables, ends))
    ends = ends[order]
    tails, heads = ends.ravel(), ends[:, ::-1].ravel()
    tail_ports, head_ports = _ports(network, tails)
    return replace(
        network,
        plain=network,
        src=np.concatenate([network.src, tails]),
        dst=np.concatenate([network.dst, heads]),
        classes=(*network.classes, *classes),
        src_ports=tail_ports,
        dst_ports=head_ports,
        lay_out=lambda _: _laid_out(network),
        cuts=(),
        symmetry=None,
        find_alike=None,
        find_tree=None,
        find_counts=None,
    )


def cable_links(network: Network, cables: Sequence[AddedCable]) -> NDArray[np.intp]:
    """Return the two links of each of the cables that were added to a network, shape ``(cables, 2)``."""
    plain, links = network.without_cables, np.arange(2 * len(cables)).reshape(-1, 2)
    ends = np.array([cable.ends(plain) for cable in cables], np.int32).reshape(-1, 2)
    _, order = _classes(plain, _bandwidths(plain, cables, ends))
    links[order] = plain.links + links
    return links


def fitting_cables(network: Network, cables: Sequence[AddedCable]) -> tuple[AddedCable, ...]:
    """Return the cables whose ends exist in the network."""
    return tuple(cable for cable in cables if network.aggregation == 1 and _fits(network, cable))


def _fits(network: Network, cable: AddedCable) -> bool:
    try:
        cable.ends(network)
    except SpecError:
        return False
    return True


def _ends(network: Network, number: int, cable: AddedCable) -> tuple[int, int]:
    try:
        return cable.ends(network)
    except SpecError as error:
        raise SpecError(f"{FIELD}[{number}].{error.field}", error.message) from error


def _bandwidths(network: Network, cables: Sequence[AddedCable], ends: NDArray[np.int32]) -> NDArray[np.float64]:
    gbs = np.array([cable.gbs or 0.0 for cable in cables])
    return np.where(gbs > 0, gbs, usual_gbs(network, ends))


def usual_gbs(network: Network, ends: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the bandwidth of the fastest link at the slower end of each cable, shape ``(cables,)``.

    `ends`, of shape ``(cables, 2)``, are the vertices that they join. Vertices without links are ignored.
    """
    fastest = np.zeros(network.vertices)
    for end in (network.src, network.dst):
        np.maximum.at(fastest, end, network.gbs)
    fastest[fastest == 0] = network.gbs.max(initial=1.0)
    return np.asarray(fastest[ends].min(axis=1))


def _classes(network: Network, gbs: NDArray[np.float64]) -> tuple[list[LinkClass], NDArray[np.intp]]:
    # A class for each bandwidth, and the order of the cables, so that the links of a class are contiguous.
    widths, kind = np.unique(-gbs, return_inverse=True)
    if widths.size > MAX_BANDWIDTHS:
        raise SpecError(FIELD, f"have {widths.size:,} different bandwidths; at most {MAX_BANDWIDTHS} are supported")
    start = network.links + 2 * np.append(0, np.cumsum(np.bincount(kind))).astype(np.intp)
    taken = {link_class.name for link_class in network.classes}
    classes = []
    for width, first, end in zip((-widths).tolist(), start[:-1].tolist(), start[1:].tolist(), strict=True):
        name = f"{NAME} {figure(width)} GB/s" if widths.size > 1 or NAME in taken else NAME
        classes.append(LinkClass(name, width, slice(first, end)))
    return classes, np.argsort(kind, kind="stable")


def _ports(network: Network, tails: NDArray[np.int32]) -> tuple[Ports | None, Ports | None]:
    # The ports of all links if the network numbers ports: added links use the next ports of their devices.
    before, heads = network.src_ports, network.dst_ports
    if before is None or heads is None:
        return before, heads
    ends, both = np.append(network.src, network.dst), before.followed_by(heads)
    last = np.zeros(network.vertices, np.int32)
    np.maximum.at(last, ends, both.number)
    device = np.zeros(network.vertices, np.intp)
    device[ends] = np.arange(ends.size)
    number = np.empty_like(tails)
    for place, vertex in enumerate(tails.tolist()):
        last[vertex] += 1
        number[place] = last[vertex]
    added = both.of(device[tails])._replace(number=number)
    reverse = added.of(np.arange(tails.size).reshape(-1, 2)[:, ::-1].ravel())
    return before.followed_by(added), heads.followed_by(reverse)


def _laid_out(network: Network) -> Layout:
    plain, links = network.layout, network.links

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        curves, added = np.empty((ids.size, 3, 3), np.float32), ids >= links
        curves[~added] = plain.link_curves(ids[~added], src[~added], dst[~added])
        curves[added] = bowed(plain.positions[src[added]], plain.positions[dst[added]])
        return curves

    return replace(plain, link_curves=_curves)


def bowed(start: Floats, end: Floats) -> Floats:
    """Return the curves of added links between points ``(n, 3)``, shape ``(n, 3, 3)``: start, control point and end.

    Each direction of a cable is on its own side.
    """
    step = end - start
    aside = np.stack([step[:, 1], -step[:, 0], np.zeros(len(step))], axis=1)
    return np.stack([start, (start + end) / 2 + 2 * BOW * aside, end], axis=1).astype(np.float32)
