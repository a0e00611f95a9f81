"""Scotch's target files of architectures with links: ``torus3D 4 2 2``, mesh, hypercube, complete graph.

The first dimension is the fastest, as in Scotch's arch_mesh.c. Architectures given by distances are refused. Source:
F. Pellegrini, Scotch and libScotch 7.0 User's Guide, "Target architecture description files".
"""

from collections.abc import Iterator
from itertools import combinations, product
from math import prod
from pathlib import Path

from core.export_result import Exported
from core.network.families.complete import Complete
from core.network.families.hypercube import Hypercube
from core.network.families.torus import Lattice
from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import MAX_EDGES, ParsedGraph, shown, text_of, wrong
from core.network.network import Network
from core.spec import SpecError
from core.text import plural

DISTANCES = ("tleaf", "ltleaf", "cmpltw", "sub", "deco", "varhcub", "varcmplt")
"""Architectures that give distances between vertices, but no links."""
FIXED = {"2d": 2, "3d": 3, "xd": None}
LOST = ("bandwidths", "names")
MAX_DIMENSIONS = 8
LINKLESS = "gives distances instead of links, so it does not define a network"


def read_scotch_target(path: Path) -> ParsedGraph:
    """Return the network of a target file.

    Raises SpecError: if its architecture has no links, or its sizes are invalid.
    """
    name, *words = text_of(path).split() or [""]
    kind = name.lower()
    if kind == "leaf":
        raise wrong(f"unknown architecture {name}; in Scotch 6 and 7 it is tleaf")
    if kind in DISTANCES:
        raise wrong(f"{name} {LINKLESS}")
    sizes = [int(word) if word.isdecimal() and len(word) < 10 else _no_size(name, word) for word in words]
    if kind in ("hcub", "cmplt"):
        if len(sizes) != 1:
            raise wrong(f"{name} has {plural(len(sizes), 'size')}; give 1")
        if sizes[0] > (20 if kind == "hcub" else 1 << 12):
            raise wrong(f"{name} {sizes[0]:,} has more than {MAX_EDGES:,} links")
        return _graph([2] * sizes[0], wraps=False) if kind == "hcub" else _complete(sizes[0])
    if kind[:-2] not in ("torus", "mesh") or kind[-2:] not in FIXED:
        raise wrong(
            f"unknown architecture {shown(name)}; supported: torus2D, torus3D, torusXD, mesh2D, ... hcub, cmplt"
        )
    return _graph(_dimensions(name, FIXED[kind[-2:]], sizes), wraps=kind.startswith("torus"))


def write_scotch_target(network: Network) -> Exported:
    """Return Scotch's target file of a torus, mesh, hypercube or complete graph; its vertices are the nodes.

    Raises SpecError: for other networks.
    """
    spec = network.spec
    if network.plain is not None:
        raise SpecError("network", "has added cables, for which Scotch has no target; remove them")
    if isinstance(spec, Hypercube):
        return Exported(f"hcub {len(spec.dims)}\n", LOST)
    if isinstance(spec, Complete):
        return Exported(f"cmplt {spec.nodes}\n", LOST)
    # A ring of two nodes has two links here, but one in Scotch.
    long = (
        {ring for size, ring in zip(spec.dims, spec.wraps, strict=True) if size > 2}
        if isinstance(spec, Lattice)
        else {}
    )
    if not isinstance(spec, Lattice) or len(long) > 1:
        raise SpecError("network", "has no Scotch target; choose a torus, mesh, hypercube or complete graph")
    twice = any(ring and size == 2 for size, ring in zip(spec.dims, spec.wraps, strict=True))
    lost = LOST + ("second links between the same nodes",) * twice
    return Exported(*(_torus(spec.dims, lost) if True in long else _mesh(spec.dims, lost)))


def _torus(dims: tuple[int, ...], lost: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    return f"torusXD {len(dims)} {' '.join(map(str, reversed(dims)))}\n", lost


def _mesh(dims: tuple[int, ...], lost: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    # Scotch 7.0.3 computes torus distances for meshXD (shown by its gmtst), but not for mesh2D and mesh3D.
    sizes = [size for size in reversed(dims) if size > 1]
    sizes += [1] * (2 - len(sizes))
    name = f"mesh{len(sizes)}D" if len(sizes) < 4 else f"meshXD {len(sizes)}"
    wraps = () if len(sizes) < 4 else ("open ends of the mesh (Scotch 7.0.3 reads meshXD as a torus)",)
    return f"{name} {' '.join(map(str, sizes))}\n", (*lost, *wraps)


def _no_size(name: str, word: str) -> int:
    raise wrong(f"{name}: {shown(word)} is not a size; give whole numbers of at least 1")


def _dimensions(name: str, needed: int | None, sizes: list[int]) -> list[int]:
    if needed is None:
        needed, *sizes = sizes or [0]
    if len(sizes) != needed:
        raise wrong(f"{name} has {plural(len(sizes), 'size')}; give {needed}")
    if not 1 <= needed <= MAX_DIMENSIONS or min(sizes) < 1:
        raise wrong(f"{name}: give 1 to {MAX_DIMENSIONS} sizes of at least 1")
    if prod(sizes) * needed > 2 * MAX_EDGES:
        raise wrong(f"{name} of {prod(sizes):,} vertices has too many links; at most {MAX_EDGES:,} are supported")
    return sizes


def _graph(sizes: list[int], *, wraps: bool) -> ParsedGraph:
    builder = GraphBuilder()
    for vertex in range(prod(sizes)):
        builder.add(str(vertex), host=True)
    builder.join_all((str(u), str(v)) for u, v in _lattice(sizes, wraps))
    return builder.graph()


def _lattice(sizes: list[int], wraps: bool) -> Iterator[tuple[int, int]]:
    steps = [prod(sizes[:axis]) for axis in range(len(sizes))]
    for vertex, at in enumerate(product(*map(range, reversed(sizes)))):
        for size, step, place in zip(sizes, steps, reversed(at), strict=True):
            if place + 1 < size:
                yield vertex, vertex + step
            elif wraps and size > 2:
                yield vertex, vertex - place * step


def _complete(count: int) -> ParsedGraph:
    builder = GraphBuilder()
    for vertex in range(count):
        builder.add(str(vertex), host=True)
    builder.join_all((str(u), str(v)) for u, v in combinations(range(count), 2))
    return builder.graph()
