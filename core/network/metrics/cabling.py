"""Cables and their cost: switches in cabinets on a floor.

Source: Ke Cui, "Efficient collective communication in interconnection networks with shortcut network topologies"
(thesis, SOKENDAI, 2024), section 5.6.

Switches go into cabinets of 8 by number, cabinets onto r = ceil(sqrt(c)) rows, row by row. A cable runs along and
across the rows (Manhattan distance) between cabinets, plus 2 m; inside a cabinet it has 1 m. A node stands in the
cabinet of the first of its switches, and every link of a node is a cable too; the source leaves these out. In networks
without switches each node is on a switch of its own, as in the source, and no cable is between them.

The thesis states no prices, so its totals cannot be reproduced: all prices are parameters, with round figures as
defaults.
"""

from dataclasses import dataclass
from math import isqrt
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network
from core.spec import Spec, declare

Metres = Annotated[float, declare("", "", ge=0, le=1e4)]
Dollars = Annotated[float, declare("", "", ge=0, le=1e9)]

BITS = 8
"""Bits per byte: links are in GB/s, and cables are sold by Gb/s."""

NO_CABLES = "cables and cost are not computed for aggregated networks"
ASSUMED = "prices are assumed, rounded figures, not quotes"


class Prices(Spec, frozen=True, tag="prices"):
    """The floor plan and the prices, whose defaults are assumptions."""

    switches_per_cabinet: Annotated[int, declare("Switches per cabinet", "switches per cabinet", ge=1, le=4096)] = 8
    width: Annotated[Metres, declare("Cabinet width", "distance between neighbouring cabinets of a row", unit="m")] = (
        0.6
    )
    depth: Annotated[Metres, declare("Row spacing", "distance between neighbouring rows of cabinets", unit="m")] = 2.1
    inside: Annotated[Metres, declare("Cable within a cabinet", "length of a cable within a cabinet", unit="m")] = 1.0
    between: Annotated[
        Metres, declare("Cable overhead", "extra length of a cable between cabinets, beyond their distance", unit="m")
    ] = 2.0
    switch: Annotated[Dollars, declare("Switch", "price of a switch without its ports (assumed)", unit="$")] = 2000.0
    port: Annotated[Dollars, declare("Port", "price of a switch port (assumed)", unit="$")] = 300.0
    copper: Annotated[
        Dollars,
        declare(
            "Copper cable", "price of a copper cable with connectors, without its length (assumed)", unit="$ per Gb/s"
        ),
    ] = 0.5
    copper_metre: Annotated[
        Dollars, declare("Copper per metre", "price of a copper cable per metre (assumed)", unit="$/m per Gb/s")
    ] = 0.4
    copper_reach: Annotated[
        Metres, declare("Copper reach", "greatest length of a copper cable, beyond which cables are optical", unit="m")
    ] = 7.0
    optical: Annotated[
        Dollars,
        declare(
            "Optical cable",
            "price of an optical cable with transceivers, without its length (assumed)",
            unit="$ per Gb/s",
        ),
    ] = 2.5
    optical_metre: Annotated[
        Dollars, declare("Optical per metre", "price of an optical cable per metre (assumed)", unit="$/m per Gb/s")
    ] = 0.1


@dataclass(frozen=True)
class Cabling:
    """All cables: numbers, lengths in metres, and the cost of switches and cables in $."""

    switches: int
    cabinets: int
    rows: int
    columns: int
    cables: int
    """A full-duplex link is one cable, and so is a one-way link; parallel links are several, loops none."""
    inside: int
    """Cables inside a cabinet."""
    optical: int
    """Cables longer than the reach of copper."""
    total_m: float
    mean_m: float
    """0 without cables."""
    longest_m: float
    ports: int
    """Ports of all switches: two for each cable between them, and one for each cable to a node."""
    switch_cost: float
    """Cost of switches and ports."""
    cable_cost: float

    @property
    def cost(self) -> float:
        """Return the total cost, $."""
        return self.switch_cost + self.cable_cost


class _Cables(NamedTuple):
    """Kinds of cables, as arrays of one length: cables of one class between two vertices are one kind."""

    u: NDArray[np.int64]
    v: NDArray[np.int64]
    gbs: NDArray[np.float64]
    """GB/s of one cable in one direction."""
    many: NDArray[np.int64]


def cabling(network: Network, prices: Prices | None = None) -> Cabling | None:
    """Return the numbers, lengths and cost of all cables, or None for aggregated networks."""
    if network.aggregation > 1:
        return None
    prices = prices or Prices()
    first = network.nodes if network.vertices > network.nodes else 0
    switches = network.vertices - first
    kinds = _cables(network)
    cabinets = -(-switches // prices.switches_per_cabinet)
    rows = isqrt(cabinets - 1) + 1
    columns = -(-cabinets // rows)
    switch = _switch_of(network.vertices, first, kinds)
    u, v = ((switch[end] - first) // prices.switches_per_cabinet for end in (kinds.u, kinds.v))
    length = _lengths(u, v, columns, prices)
    total, cables = float(length @ kinds.many), int(kinds.many.sum())
    at_switches = (kinds.u >= first).astype(np.int64) + (kinds.v >= first)
    ports = int(at_switches @ kinds.many) + (0 if first else network.nodes)
    return Cabling(
        switches=switches,
        cabinets=cabinets,
        rows=rows,
        columns=columns,
        cables=cables,
        inside=int(kinds.many[u == v].sum()),
        optical=int(kinds.many[length > prices.copper_reach].sum()),
        total_m=total,
        mean_m=total / cables if cables else 0.0,
        longest_m=float(length.max(initial=0.0)),
        ports=ports,
        switch_cost=switches * prices.switch + ports * prices.port,
        cable_cost=float(_price(length, kinds.gbs, prices) @ kinds.many),
    )


def _switch_of(vertices: int, first: int, kinds: _Cables) -> NDArray[np.int64]:
    # For each node its first switch, or the first of all switches if it has none; for each switch itself.
    switch = np.arange(vertices, dtype=np.int64)
    if first:
        hangs = (kinds.u < first) & (kinds.v >= first)
        switch[:first] = vertices
        np.minimum.at(switch, kinds.u[hangs], kinds.v[hangs])
        switch[:first][switch[:first] == vertices] = first
    return switch


def _cables(network: Network) -> _Cables:
    # Between u < v, the larger of the numbers of links in the two directions.
    proper = network.src != network.dst
    src, dst = network.src[proper].astype(np.int64), network.dst[proper].astype(np.int64)
    pair = np.minimum(src, dst) * network.vertices + np.maximum(src, dst)
    key = network.class_of[proper] * np.int64(network.vertices) ** 2 + pair
    kinds, kind = np.unique(key, return_inverse=True)
    forth = np.bincount(kind[src < dst], minlength=kinds.size)
    back = np.bincount(kind[src > dst], minlength=kinds.size)
    link_class, pair = np.divmod(kinds, np.int64(network.vertices) ** 2)
    gbs = np.array([c.gbs for c in network.classes] or [0.0])[link_class]
    return _Cables(pair // network.vertices, pair % network.vertices, gbs, np.maximum(forth, back))


def _lengths(u: NDArray[np.int64], v: NDArray[np.int64], columns: int, prices: Prices) -> NDArray[np.float64]:
    # Metres from cabinet u to cabinet v.
    along, across = abs(u % columns - v % columns), abs(u // columns - v // columns)
    return np.where(u == v, prices.inside, along * prices.width + across * prices.depth + prices.between)


def _price(length: NDArray[np.float64], gbs: NDArray[np.float64], prices: Prices) -> NDArray[np.float64]:
    # Price of one cable of each kind, $.
    copper = prices.copper + prices.copper_metre * length
    optical = prices.optical + prices.optical_metre * length
    return np.where(length > prices.copper_reach, optical, copper) * gbs * BITS
