"""Stencils against the flows of their jobs."""

from collections import Counter
from math import gcd

import numpy as np
import pytest

from core.job import AllToAll, Halo, HaloNd


@pytest.mark.parametrize(
    "job",
    [
        Halo(4, 6),
        Halo(2, 5, message_bytes=3e6),
        HaloNd((3, 4, 5)),
        HaloNd((4, 4), "box", side=3),
        HaloNd((3, 3, 3), "box", side=2, message_bytes=1e6),
    ],
)
def test_stencil_gives_the_flows_of_the_job(job):
    stencil, built = job.neighbourhood(), job.build()
    at = np.indices(stencil.dims).reshape(len(stencil.dims), -1)
    expected = Counter()
    for offset, weight in zip(stencil.offsets.T, stencil.weights, strict=True):
        other = np.ravel_multi_index(tuple((at + offset[:, None]) % np.array(stencil.dims)[:, None]), stencil.dims)
        for src, dst in enumerate(other.tolist()):
            expected[src, dst] += weight * stencil.part
    flows = Counter()
    for _, phase, times in built.runs:
        for _, block in phase.blocks():
            for src, dst, volume in zip(block.src.tolist(), block.dst.tolist(), block.volume.tolist(), strict=True):
                flows[src, dst] += times * volume
    assert flows.keys() == expected.keys()
    assert all(flows[pair] == pytest.approx(expected[pair]) for pair in flows)
    assert gcd(*stencil.weights.tolist()) == 1


def test_other_jobs_have_none():
    assert AllToAll(8).neighbourhood() is None
