"""Simulated annealing as textbooks have it, for ranks of a collective: what this program's own is compared with.

Two ranks drawn at random change places; where that takes more hops it is done with probability exp(-more / T), while
the temperature T falls by the same part at every swap (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated
annealing", 1983). Own annealing brings a rank next to one that it talks to in most of its swaps; this one never does.
"""

from collections.abc import Sequence
from math import exp
from random import Random

import numpy as np

from core.load.evaluate import LoadReport

HOT, COLD = 2.0, 0.05
"""Temperature at the first swap and after the last, in hops."""


def anneal(report: LoadReport, swaps: int, seed: int = 0) -> int:
    """Return the fewest hops of a job's messages, added up, that so many swaps of tasks come to.

    Tasks lie on different nodes, and ways back are as long.
    """
    case = report.case
    everyone = np.arange(case.network.nodes, dtype=np.int32)
    table = case.router.hops(np.repeat(everyone, everyone.size), np.tile(everyone, everyone.size))
    hops = table.reshape(everyone.size, -1).astype(int).tolist()
    return _annealed(hops, _partners(report), case.mapping.nodes.tolist(), swaps, Random(seed))


def _partners(report: LoadReport) -> list[list[int]]:
    # Whom each task sends to or receives from, as often as it does.
    job = report.case.job
    found: list[list[int]] = [[] for _ in range(job.tasks)]
    for run in job.runs:
        for _, flows in run.phase.blocks():
            for src, dst in zip(flows.src.tolist(), flows.dst.tolist(), strict=True):
                found[src] += [dst] * run.times
                found[dst] += [src] * run.times
    return found


def _annealed(
    hops: Sequence[Sequence[int]], partners: Sequence[Sequence[int]], nodes: list[int], swaps: int, draws: Random
) -> int:
    now = best = sum(hops[nodes[a]][nodes[b]] for a, others in enumerate(partners) for b in others) // 2
    temperature, cools = HOT, (COLD / HOT) ** (1 / swaps)
    for _ in range(swaps):
        a, b = draws.randrange(len(nodes)), draws.randrange(len(nodes))
        here, there = hops[nodes[a]], hops[nodes[b]]
        # What two that change places send each other goes as far as before.
        more = sum(there[nodes[one]] - here[nodes[one]] for one in partners[a] if one != b)
        more += sum(here[nodes[one]] - there[nodes[one]] for one in partners[b] if one != a)
        if more <= 0 or draws.random() < exp(-more / temperature):
            nodes[a], nodes[b] = nodes[b], nodes[a]
            now += more
            best = min(best, now)
        temperature *= cools
    return best
