"""Graphs of partitioners as traffic: METIS graphs, and Scotch's source graphs of version 0.

The weight of an edge is the volume in both directions together, half in each. A Scotch graph has a line for each vertex
with its arcs, and each edge is listed at both ends. If vertices have labels, arcs lead to labels, as in Scotch's
graph_io.c. Source: F. Pellegrini, Scotch and libScotch 7.0 User's Guide, "Graph files".
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.export_result import Exported
from core.job.job import MAX_TASKS, FlowBlock, Job, Tasks
from core.job.traffic.edges import task_graph
from core.job.traffic.pairs import ParsedTraffic, is_whole, text_of, wrong
from core.metis import MetisError, metis_text, read_metis_text
from core.text import examples

LABELLED = (
    "tasks are numbered in the order of the vertices; their labels ({}) are ignored, but Scotch's mappings list them"
)
WEIGHTS = "{} of vertices are ignored"


def read_metis_flows(path: Path) -> ParsedTraffic:
    """Return the flows of a graph, and the number of its vertices.

    Raises SpecError: naming the first invalid line.
    """
    try:
        graph = read_metis_text(text_of(path))
    except MetisError as error:
        raise wrong(str(error)) from error
    notes = (WEIGHTS.format("sizes and weights"),) * graph.vertex_weights
    return ParsedTraffic(halved(graph.src, graph.dst, graph.weight), graph.vertices, notes)


def halved(src: Tasks, dst: Tasks, weight: NDArray[np.float64]) -> FlowBlock:
    """Return flows with half of each weight in each direction, sorted by source and then destination."""
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.lexsort((ends[1], ends[0]))
    return FlowBlock(ends[0][order], ends[1][order], np.concatenate([weight, weight])[order] / 2)


def write_metis_flows(job: Job) -> Exported:
    """Return the METIS file of a job's traffic, weights scaled to whole numbers.

    Raises SpecError: if there are too many flows.
    """
    graph = task_graph(job)
    return Exported(metis_text(job.tasks, graph.src, graph.dst, graph.weight), graph.losses)


def read_scotch(path: Path) -> ParsedTraffic:
    """Return the flows of a graph, and the number of its vertices.

    Raises SpecError: naming the error.
    """
    words = text_of(path).split()
    bad = next((word for word in words if not is_whole(word, 1 << 62)), None)
    if bad is not None:
        raise wrong(f"{bad[:40]!r} is not a whole number from 0")
    if len(words) < 5:
        raise wrong("has an incomplete heading; give version, vertices and arcs, base and flags")
    if words[0] != "0":
        raise wrong(f"has version {words[0]}; only version 0 is supported")
    vertices, arcs, base = int(words[1]), int(words[2]), int(words[3])
    flags = words[4].zfill(3)
    if not 1 <= vertices <= MAX_TASKS or len(flags) != 3 or set(flags) - {"0", "1"}:
        raise wrong(f"lines 2 and 3: give 1 to {MAX_TASKS:,} vertices, and three digits, each 0 or 1")
    load_of, labels = _arcs(iter(map(int, words[5:])), vertices, base, flags)
    if len(load_of) != arcs:
        raise wrong(f"declares {arcs:,} arcs, but has {len(load_of):,}")
    for (vertex, end), load in load_of.items():
        if load_of.get((end, vertex)) is None:
            raise wrong(f"arc {vertex + base} to {end + base} has no opposite arc")
        if load_of[end, vertex] != load:
            raise wrong(f"arc {vertex + base} to {end + base} has load {load}, its opposite {load_of[end, vertex]}")
    once = sorted(pair for pair in load_of if pair[0] < pair[1])
    ends = np.array(once, np.int32).reshape(-1, 2)
    loads = np.array([load_of[pair] for pair in once], np.float64)
    own = labels != [*range(base, base + vertices)]
    notes = (LABELLED.format(examples([*map(str, labels)])),) * own + (WEIGHTS.format("loads"),) * (flags[2] == "1")
    return ParsedTraffic(halved(ends[:, 0], ends[:, 1], loads), vertices, notes)


def _arcs(numbers: Iterator[int], vertices: int, base: int, flags: str) -> tuple[dict[tuple[int, int], int], list[int]]:
    # The load of each arc between vertices from 0, and the labels or numbers of the vertices.
    labels, loads, weights = (flag == "1" for flag in flags)
    names: list[int] = []
    """Valid ends of arcs: the vertices' labels, or their numbers from the base."""
    listed: list[tuple[int, int, int]] = []
    load_of: dict[tuple[int, int], int] = {}
    try:
        for vertex in range(vertices):
            names.append(next(numbers) if labels else vertex + base)
            if weights:
                next(numbers)
            for _ in range(next(numbers)):
                load = next(numbers) if loads else 1
                listed.append((vertex, next(numbers), load))
    except StopIteration as error:
        raise wrong(f"ends within the line of vertex {vertex + base}") from error
    number = {name: vertex for vertex, name in enumerate(names)}
    if len(number) < vertices:
        raise wrong("has two vertices with the same label")
    for vertex, end, load in listed:
        if end == names[vertex]:
            raise wrong(f"vertex {end} has an arc to itself")
        if end not in number:
            valid = "no vertex has this label" if labels else f"vertices are {base} to {base + vertices - 1}"
            raise wrong(f"vertex {names[vertex]} has an arc to {end}; {valid}")
        load_of[vertex, number[end]] = load
    return load_of, names


def write_scotch(job: Job) -> Exported:
    """Return Scotch's file of a job's traffic, loads scaled to whole numbers.

    Raises SpecError: if there are too many flows.
    """
    graph = task_graph(job)
    arcs: list[list[str]] = [[] for _ in range(job.tasks)]
    for u, v, load in zip(graph.src.tolist(), graph.dst.tolist(), graph.weight.tolist(), strict=True):
        arcs[u].append(f"{load} {v}")
        arcs[v].append(f"{load} {u}")
    lines = (" ".join([str(len(some)), *some]) for some in arcs)
    return Exported("\n".join(["0", f"{job.tasks} {2 * graph.src.size}", "0 010", *lines, ""]), graph.losses)
