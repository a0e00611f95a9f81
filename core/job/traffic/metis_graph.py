"""METIS graphs as traffic: the weight of an edge is the volume in both directions together, half in each."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.exported import Exported
from core.job.job import FlowBlock, Job, Tasks
from core.job.traffic.edges import task_graph
from core.job.traffic.pairs import ParsedTraffic, text_of, wrong
from core.metis import MetisError, metis_text, read_metis_text


def read_metis_flows(path: Path) -> ParsedTraffic:
    """Return the flows of a graph, and the number of its vertices.

    Raises SpecError: naming the first invalid line.
    """
    try:
        graph = read_metis_text(text_of(path))
    except MetisError as error:
        raise wrong(str(error)) from error
    return ParsedTraffic(halved(graph.src, graph.dst, graph.weight), graph.vertices)


def halved(src: Tasks, dst: Tasks, weight: NDArray[np.float64]) -> FlowBlock:
    """Return flows of half of each weight in each direction, sorted by source and then destination."""
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.lexsort((ends[1], ends[0]))
    return FlowBlock(ends[0][order], ends[1][order], np.concatenate([weight, weight])[order] / 2)


def write_metis_flows(job: Job) -> Exported:
    """Return the METIS file of a job's traffic, weights scaled to whole numbers.

    Raises SpecError: if there are too many flows.
    """
    graph = task_graph(job)
    return Exported(metis_text(job.tasks, graph.src, graph.dst, graph.weight), graph.losses)
