"""Nodes given by coordinates on a lattice, in the formats of launchers of lattice machines."""

from collections.abc import Sequence

import numpy as np

from core.mapping.formats.placement import Placed
from core.mapping.formats.ranks import at_line, span, wrong
from core.network.families.torus import Lattice
from core.network.network import Ints, Network
from core.spec import SpecError


def lattice_shape(network: Network, axes: int) -> tuple[int, ...]:
    """Return the sizes of a lattice along `axes` axes, slowest first; other networks are treated as a row of hosts.

    Raises SpecError: if the lattice has more dimensions.
    """
    dims = network.spec.dims if isinstance(network.spec, Lattice) else (network.host_slots.count,)
    if len(dims) > axes:
        raise wrong(f"has {axes} coordinates per rank; the network has {len(dims)} dimensions")
    return dims + (1,) * (axes - len(dims))


def check_inside(line: int, place: Sequence[int], shape: Sequence[int], names: str, whose: str) -> None:
    """Check that coordinates are inside a shape.

    Raises SpecError: naming the coordinate and its range.
    """
    for name, value, size in zip(names, place, shape, strict=True):
        if value >= size:
            raise at_line(line, f"{name} = {value}; {whose} has {span(size)}")


def node_at(places: Sequence[Sequence[int]], shape: Sequence[int]) -> list[int]:
    """Return the nodes at coordinates inside a shape."""
    nodes: list[int] = np.ravel_multi_index(tuple(np.array(places).T), tuple(shape)).tolist()
    return nodes


def places_of(placed: Placed, axes: int, *, padded: bool = True) -> Ints:
    """Return the coordinates of each rank, ``(ranks, axes)``, or if not `padded` ``(ranks, dimensions)``.

    Raises SpecError: if the network is not a lattice, or has more dimensions.
    """
    spec = placed.network.spec
    if not isinstance(spec, Lattice) or len(spec.dims) > axes:
        raise SpecError("network", f"must be a torus, mesh or hypercube of up to {axes} dimensions for this format")
    shape = lattice_shape(placed.network, axes) if padded else spec.dims
    return np.column_stack(np.unravel_index(placed.host, shape)).astype(np.int32)
