"""Textbook simulated annealing for the ranks of a collective, as a baseline for our own.

Two random ranks are exchanged if that does not increase the hops, else with probability exp(-increase / T), while the
temperature T decreases geometrically (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", 1983). Our
own annealing mostly moves a rank next to one of its partners; this one does not.
"""

from collections.abc import Sequence
from math import exp
from random import Random

import numpy as np

from core.load.evaluate import LoadReport

HOT, COLD = 2.0, 0.05
"""Temperature of the first and the last swap, in hops."""


def anneal(report: LoadReport, swaps: int) -> int:
    """Return the fewest hops, summed over a job's messages, of `swaps` swaps of tasks.

    Requires tasks on different nodes, and equal distances in both directions.
    """
    case = report.case
    everyone = np.arange(case.network.nodes, dtype=np.int32)
    table = case.router.hops(np.repeat(everyone, everyone.size), np.tile(everyone, everyone.size))
    hops = table.reshape(everyone.size, -1).astype(int).tolist()
    return _annealed(hops, _partners(report), case.mapping.nodes.tolist(), swaps, Random(0))


def _partners(report: LoadReport) -> list[list[int]]:
    # The partners of each task, once per message.
    job = report.case.job
    partners: list[list[int]] = [[] for _ in range(job.tasks)]
    for run in job.runs:
        for _, flows in run.phase.blocks():
            for src, dst in zip(flows.src.tolist(), flows.dst.tolist(), strict=True):
                partners[src] += [dst] * run.times
                partners[dst] += [src] * run.times
    return partners


def _annealed(
    hops: Sequence[Sequence[int]], partners: Sequence[Sequence[int]], nodes: list[int], swaps: int, draws: Random
) -> int:
    now = best = sum(hops[nodes[a]][nodes[b]] for a, others in enumerate(partners) for b in others) // 2
    temperature, cools = HOT, (COLD / HOT) ** (1 / swaps)
    for _ in range(swaps):
        a, b = draws.randrange(len(nodes)), draws.randrange(len(nodes))
        here, there = hops[nodes[a]], hops[nodes[b]]
        # The distance between the two tasks themselves does not change.
        more = sum(there[nodes[partner]] - here[nodes[partner]] for partner in partners[a] if partner != b)
        more += sum(here[nodes[partner]] - there[nodes[partner]] for partner in partners[b] if partner != a)
        if more <= 0 or draws.random() < exp(-more / temperature):
            nodes[a], nodes[b] = nodes[b], nodes[a]
            now += more
            best = min(best, now)
        temperature *= cools
    return best
