"""Totals of messages and bytes of every algorithm, for 1 to 33 and up to 64 tasks, and their hops on small machines."""

from math import ceil, log2

import pytest

from core.job import Allgather, Allreduce, AllToAll, Barrier, Broadcast, Gather, Reduce, ReduceScatter, Scatter
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Hypercube
from core.routing import Minimal
from core.timing.messages import total


def doublings(n):
    return ceil(log2(n)) if n > 1 else 0


def power(n):
    """The largest power of two up to n, its exponent, and how many tasks are folded."""
    return 1 << n.bit_length() - 1, n.bit_length() - 1, n - (1 << n.bit_length() - 1)


def bits(n):
    """In a binomial tree a block crosses one edge per bit of its place, in Bruck's algorithm of its distance."""
    return sum(place.bit_count() for place in range(n))


def folded(n, rounds, volume):
    q, exponent, rest = power(n)
    return q * exponent * rounds + 2 * rest, volume(q, rest)


def pairs(n):
    return n * (n - 1), n * (n - 1)


def tree(n):
    return n - 1, n - 1


def blocks(n):
    return n - 1, bits(n)


TOTALS = {
    # Messages, and volume in messages of the given size.
    (Broadcast, "binomial"): tree,
    (Reduce, "binomial"): tree,
    (Scatter, "binomial"): blocks,
    (Gather, "binomial"): blocks,
    (Allgather, "ring"): pairs,
    (Allgather, "recursive-doubling"): lambda n: folded(n, 1, lambda q, rest: n * (n - 1)),
    (Allgather, "bruck"): lambda n: (n * doublings(n), n * (n - 1)),
    (Allgather, "neighbour-exchange"): lambda n: (n * (n // 2), n * (n - 1)),
    (ReduceScatter, "ring"): lambda n: (n * (n - 1), n - 1),
    (ReduceScatter, "pairwise"): lambda n: (n * (n - 1), n - 1),
    (ReduceScatter, "recursive-halving"): lambda n: folded(n, 1, lambda q, rest: rest + q - 1 + rest / n),
    (Allreduce, "recursive-doubling"): lambda n: folded(n, 1, lambda q, rest: q * log2(q) + 2 * rest),
    (Allreduce, "ring"): lambda n: (2 * n * (n - 1), 2 * (n - 1)),
    (Allreduce, "rabenseifner"): lambda n: folded(n, 2, lambda q, rest: 2 * (q - 1) + 2 * rest),
    (Barrier, "dissemination"): lambda n: (n * doublings(n), n * doublings(n)),
    (AllToAll, "at-once"): pairs,
    (AllToAll, "pairwise"): pairs,
    (AllToAll, "shift"): pairs,
    (AllToAll, "node-by-node"): pairs,
    (AllToAll, "bruck"): lambda n: (n * doublings(n), n * bits(n)),
}


@pytest.mark.parametrize(("kind", "algorithm"), TOTALS, ids=lambda spec: spec if isinstance(spec, str) else spec.tag())
def test_totals_match_closed_forms(kind, algorithm):
    for tasks in (*range(1, 34), 48, 63, 64):
        if algorithm == "neighbour-exchange" and tasks % 2 and tasks > 1:
            continue
        job = kind(tasks=tasks, algorithm=algorithm, message_bytes=2e9).build()
        away = [b.volume[b.src != b.dst] for phase in job.phases for _, b in phase.blocks()]
        messages, volume = TOTALS[kind, algorithm](tasks)
        assert sum(phase.messages() for phase in job.phases) == sum(each.size for each in away) == messages
        assert sum(each.sum() for each in away) == pytest.approx(2 * volume), tasks


@pytest.mark.parametrize(
    ("network", "hops"),
    [
        (Circulant(16, (1, 2, 4, 8)), (15, 64, 64)),
        (Hypercube(3), (7, 24, 34)),
        (Circulant(8, (1,)), (12, 56, 56)),
    ],
    ids=["G(16)", "Q3", "ring of 8"],
)
def test_hops_on_complete_machines_match_the_thesis(network, hops):
    n = network.build().nodes
    jobs = Broadcast(tasks=n), Allreduce(tasks=n), AllToAll(n, "bruck", 1e6)
    hops_of_jobs = [total(evaluate(Scenario(network, job, Sequential(), Minimal()).build()))[1] for job in jobs]
    assert hops_of_jobs == pytest.approx(hops)
