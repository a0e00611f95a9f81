"""Textbook annealing of ranks, compared with all orders."""

from itertools import permutations

import pytest

from core.job import Allreduce, Broadcast
from core.mapping import Random
from core.network import Circulant
from core.papers.plain_annealing import anneal
from core.papers.shortcut_cases import evaluated


def messages(job):
    """Return the senders and receivers of all messages."""
    return [pair for phase in job.build().phases for _, f in phase.blocks() for pair in zip(f.src, f.dst, strict=True)]


@pytest.mark.parametrize("job", [Broadcast(6), Allreduce(4)], ids=lambda job: job.tag())
def test_annealing_finds_the_fewest_hops_of_all_orders(job):
    ring, mapping = Circulant(12, (1,)), Random(3)
    report, sent = evaluated(ring, job, mapping), messages(job)
    nodes = report.case.mapping.nodes.tolist()

    def far(order):
        apart = [abs(order[a] - order[b]) for a, b in sent]
        return sum(min(distance, 12 - distance) for distance in apart)

    fewest = min(far(order) for order in permutations(nodes))
    assert far(nodes) > fewest
    assert anneal(report, 2000) == fewest
    assert far(nodes) >= anneal(report, 20) >= fewest
