"""METIS graph files: ``3 2 1``, then for each vertex a line of its neighbours, from 1, and the weights of its edges.

The third number of the first line says whether lines begin with a size and weights of the vertex, and whether edges
have weights. Source: G. Karypis, METIS 5.1 manual, "Input graph file", and the program graphchk.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_EDGES = 1 << 24


class MetisError(ValueError):
    """An invalid file; the message says where the error is."""


class MetisGraph(NamedTuple):
    """A graph with every edge once, from its lower to its higher vertex."""

    vertices: int
    src: NDArray[np.int32]
    """(edges,) counted from 0."""
    dst: NDArray[np.int32]
    """(edges,)"""
    weight: NDArray[np.float64]
    """(edges,) whole numbers; 1 if the file has none."""
    vertex_weights: bool = False
    """Whether the file also has sizes or weights of vertices."""


def read_metis_text(text: str) -> MetisGraph:
    """Parse the text of a file.

    Raises MetisError: naming the first invalid line.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.lstrip().startswith("%")]
    while lines and not lines[-1][1].strip():
        lines.pop()
    if not lines:
        raise MetisError("is empty; begin with the numbers of vertices and edges")
    vertices, edges, skipped, weighted = _heading(*lines[0])
    body = lines[1:]
    body += [(0, "")] * (vertices - len(body) if len(body) < vertices and _ends_empty(text, vertices, body) else 0)
    if len(body) < vertices:
        raise MetisError(
            f"has lines for {len(body):,} of {vertices:,} vertices; a vertex without edges needs an empty line"
        )
    if len(body) > vertices:
        raise MetisError(f"line {body[vertices][0]:,}: more lines than the {vertices:,} vertices")
    weight_and_line: dict[tuple[int, int], tuple[int, int]] = {}
    listed = 0
    for vertex, (number, line) in enumerate(body, 1):
        for other, weight in _neighbours(number, line, vertices, skipped, weighted):
            if other == vertex:
                raise MetisError(f"line {number:,}: vertex {vertex} is its own neighbour")
            if (vertex, other) in weight_and_line:
                raise MetisError(f"line {number:,}: vertex {other} is listed twice")
            weight_and_line[vertex, other] = weight, number
            listed += 1
    _check_back(weight_and_line)
    if listed != 2 * edges:
        lists = f"the lines list {listed // 2:,} (each edge at both of its vertices)"
        raise MetisError(f"line {lines[0][0]:,} declares {edges:,} edges; {lists}")
    once = sorted(pair for pair in weight_and_line if pair[0] < pair[1])
    ends = np.array(once, np.int32).reshape(-1, 2) - 1
    weights = np.array([weight_and_line[pair][0] for pair in once], np.float64)
    return MetisGraph(vertices, ends[:, 0], ends[:, 1], weights, skipped > 0)


def metis_text(
    vertices: int, src: NDArray[np.int32], dst: NDArray[np.int32], weight: NDArray[np.int64] | None = None
) -> str:
    """Return the text of a file, given the vertices of each edge, from 0, and its weight, or None for no weights."""
    lines: list[list[str]] = [[] for _ in range(vertices)]
    weights = [""] * src.size if weight is None else [f" {edge_weight}" for edge_weight in weight.tolist()]
    for u, v, text in zip(src.tolist(), dst.tolist(), weights, strict=True):
        lines[u].append(f"{v + 1}{text}")
        lines[v].append(f"{u + 1}{text}")
    heading = f"{vertices} {src.size}{'' if weight is None else ' 001'}"
    return "\n".join([heading, *map(" ".join, lines)]) + "\n"


def _ends_empty(text: str, vertices: int, body: list[tuple[int, str]]) -> bool:
    # Empty lines at the end belong to vertices without edges, if their number matches.
    empty = len(text) - len(text.rstrip("\n")) - 1
    return empty >= vertices - len(body)


def _heading(number: int, line: str) -> tuple[int, int, int, bool]:
    words = line.split()
    if not 2 <= len(words) <= 4 or not all(word.isdecimal() and len(word) < 10 for word in words):
        raise MetisError(
            f"line {number:,}: begin with the numbers of vertices and edges, optionally followed by the format"
        )
    vertices, edges = int(words[0]), int(words[1])
    if vertices < 1 or edges > MAX_EDGES:
        raise MetisError(f"line {number:,}: give at least 1 vertex and at most {MAX_EDGES:,} edges")
    form = words[2].zfill(3) if len(words) > 2 else "000"
    if len(form) > 3 or set(form) - {"0", "1"}:
        raise MetisError(f"line {number:,}: {words[2]} is not a valid format; give three digits, each 0 or 1")
    constraints = int(words[3]) if len(words) > 3 else 1
    return vertices, edges, (form[0] == "1") + constraints * (form[1] == "1"), form[2] == "1"


def _neighbours(number: int, line: str, vertices: int, skipped: int, weighted: bool) -> list[tuple[int, int]]:
    words = line.split()[skipped:]
    bad = next((word for word in words if not word.isdecimal() or len(word) > 15), None)
    if bad is not None:
        raise MetisError(f"line {number:,}: {bad[:40]!r} is not a whole number from 1")
    values = list(map(int, words))
    if weighted and len(values) % 2:
        raise MetisError(f"line {number:,}: the last neighbour has no weight")
    others, weights = (values[::2], values[1::2]) if weighted else (values, [1] * len(values))
    for other, weight in zip(others, weights, strict=True):
        if not 1 <= other <= vertices:
            raise MetisError(f"line {number:,}: no vertex {other}; vertices are 1 to {vertices:,}")
        if weight < 1:
            raise MetisError(f"line {number:,}: weight {weight}; weights are whole numbers from 1")
    return list(zip(others, weights, strict=True))


def _check_back(edges: dict[tuple[int, int], tuple[int, int]]) -> None:
    for (vertex, other), (weight, number) in edges.items():
        back = edges.get((other, vertex))
        if back is not None and back[0] != weight and vertex < other:
            raise MetisError(
                f"edge {vertex}-{other} has weight {weight} on line {number:,}, but {back[0]} on line {back[1]:,}"
            )
