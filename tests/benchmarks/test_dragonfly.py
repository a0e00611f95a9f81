"""Lattice colouring compared with boxes and with other tools: a 3-D halo on a dragonfly of 32 groups of 128 nodes.

We evaluate all mappings with group-minimal routing. METIS (recursive bisection), TreeMatch and Scotch minimise volume
between groups; they do not choose which groups share a link. If Scotch (Debian package scotch) is not installed, the
comparison omits it.
"""

from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from core.job import HaloNd
from core.load.bounds import bounds
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit, LatticeColouring, RecursiveBisection, Sequential, TreeMatch
from core.mapping.mapping import MappingSpec
from core.network import Dragonfly
from core.routing import GroupMinimal
from tests.benchmarks import scotch
from tests.benchmarks.timing import seconds_text

DIMS, BOX = (16, 16, 16), (4, 4, 8)
"""The sides of the grid, and of the tasks of one group: 32 boxes of 128 tasks."""
MACHINE = Dragonfly(routers=16, global_links=2, groups=32, nodes_per_router=8, links_per_pair=1)
SCENARIO = Scenario(MACHINE, HaloNd(DIMS), Sequential(), GroupMinimal())


def placed(mapping: MappingSpec) -> tuple[LoadReport, float]:
    """Return the result of a mapping and the seconds of CPU that it took to build."""
    begun = process_time()
    case = SCENARIO.with_choice("mapping", mapping).build()
    return evaluate(case), process_time() - begun


def boxes() -> NDArray[np.int32]:
    """Return the node of each task if each group has a box of tasks, in order."""
    place = np.indices(DIMS)
    box = np.ravel_multi_index([a // side for a, side in zip(place, BOX, strict=True)], (4, 4, 2))
    within = np.ravel_multi_index([a % side for a, side in zip(place, BOX, strict=True)], BOX)
    return (128 * box + within).ravel().astype(np.int32)


def by_scotch(report: LoadReport, folder: Path) -> dict[str, MappingSpec]:
    """Return the mapping of Scotch on a tree of groups, routers and nodes, if Scotch is installed."""
    mapper, job = scotch.program(), report.case.job
    if mapper is None:
        return {}
    volume = np.zeros((job.tasks, job.tasks))
    for _, block in job.phases[0].blocks():
        np.add.at(volume, (block.src, block.dst), block.volume / job.quantum)
    target = scotch.tree((32, 16), (16, 4), (8, 1))
    nodes = scotch.place(mapper, folder, volume, target, scotch.BALANCED).nodes
    return {"Scotch": Explicit(nodes)}


def test_lattice_colouring_beats_boxes_and_other_tools(record, tmp_path):
    ours, seconds = placed(LatticeColouring(effort=16))
    start = evaluate(SCENARIO.build())
    others = {
        "boxes 4 × 4 × 8": Explicit(boxes()),
        "METIS": RecursiveBisection(),
        "TreeMatch": TreeMatch(),
        "tasks in order": Sequential(),
        **by_scotch(start, tmp_path),
    }
    per_node = {
        tool: report.throughput(report.time)
        for tool, (report, _) in zip(others, map(placed, others.values()), strict=True)
    }
    best = ours.throughput(ours.time)
    record(
        "Halo 16 × 16 × 16 on 32 groups",
        f"{best:.2f} GB/s per node in {seconds_text(seconds)} of CPU",
        "; ".join(f"{tool} {figure:.2f}" for tool, figure in sorted(per_node.items(), key=lambda row: -row[1]))
        + f"; upper bound {ours.throughput(bounds(ours.case)[0].time):.1f}",
    )
    assert best > 3 * max(per_node.values())
