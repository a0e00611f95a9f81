"""Places by their coordinates on a lattice, as launchers of machines that are one name them."""

from collections.abc import Sequence

import numpy as np

from core.mapping.formats.ranks import at_line, span, wrong
from core.network.families.torus import Lattice
from core.network.network import Network


def shape_of(network: Network, axes: int) -> tuple[int, ...]:
    """Return the nodes along so many axes, the first the slowest; what is no lattice is a row of nodes.

    Raises SpecError: if the lattice has more dimensions.
    """
    dims = network.spec.dims if isinstance(network.spec, Lattice) else (network.nodes,)
    if len(dims) > axes:
        raise wrong(f"names places by {axes} coordinates; the network has {len(dims)} dimensions")
    return dims + (1,) * (axes - len(dims))


def check_inside(line: int, place: Sequence[int], shape: Sequence[int], names: str, whose: str) -> None:
    """Refuse a place outside of a shape.

    Raises SpecError: naming the coordinate, and those that there are.
    """
    for name, value, size in zip(names, place, shape, strict=True):
        if value >= size:
            raise at_line(line, f"{name} = {value}; {whose} has only {span(size)}")


def node_at(places: Sequence[Sequence[int]], shape: Sequence[int]) -> list[int]:
    """Return the nodes at places inside of a shape."""
    found: list[int] = np.ravel_multi_index(tuple(np.array(places).T), tuple(shape)).tolist()
    return found
