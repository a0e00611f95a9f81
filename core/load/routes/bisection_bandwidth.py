"""Effective bisection bandwidth: the share of its bandwidth that a node gets if half of all nodes send to the others.

Source: Hoefler, Schneider and Lumsdaine, "Multistage switches are not crossbars: effects of static routing in
high-performance networks", Cluster 2008, who draw random perfect matchings of senders and receivers.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.random_numbers import State, begin_stream, draw, state_of
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.path_order import Paths
from core.routing.paths import PAIRS_AT_ONCE, single_paths
from core.routing.router import Router
from core.spec import Progress, no_progress

DRAWS = 200
"""Default number of matchings."""
MAX_DRAWS = 100_000


def bisection_bandwidths(
    router: Router, draws: int = DRAWS, seed: int = 0, progress: Progress = no_progress
) -> Volumes:
    """Return the mean share of a pair in each of `draws` random matchings, shape ``(draws,)``, from 0 to 1.

    The share of a pair is 1 / (most flows on a link of its path), with one flow for each pair; 0 without a path. Of an
    odd number of nodes, one has no partner. A matching depends on its number and the seed only.

    Raises SpecError: if the routing splits flows. Raises Cancelled: when `progress` does.
    """
    pairs, shares = router.network.nodes // 2, np.zeros(draws)
    flows, step = np.zeros(router.network.links, np.int64), max(PAIRS_AT_ONCE // max(pairs, 1), 1)
    for first in range(0, draws if pairs else 0, step):
        progress(first / draws)
        last = min(first + step, draws)
        src, dst = matchings(router.network.nodes, first, last, seed)
        _fill(single_paths(router, src, dst), pairs, flows, shares[first:last])
    return shares


def matchings(nodes: int, first: int, last: int, seed: int) -> tuple[Nodes, Nodes]:
    """Return senders and receivers of matchings `first` to `last` - 1, one after the other."""
    src, dst = np.empty((2, (last - first) * (nodes // 2)), np.int32)
    _draw(nodes, first, int(state_of(seed)[0]) >> 1, np.zeros(1, np.uint64), src, dst)
    return src, dst


@kernel
def _draw(nodes: int, first: int, seed: int, state: State, src: Nodes, dst: Nodes) -> None:
    order, half = np.arange(nodes).astype(np.int32), nodes // 2
    for number in range(src.size // half if half else 0):
        begin_stream(state, seed, first + number)
        for k in range(nodes):
            order[k] = k
        for k in range(nodes - 1, 0, -1):
            other = draw(state, k + 1)
            order[k], order[other] = order[other], order[k]
        for k in range(half):
            src[number * half + k], dst[number * half + k] = order[k], order[half + k]


@kernel
def _fill(paths: Paths, pairs: int, flows: FixedPoint, shares: NDArray[np.float64]) -> None:
    start, links = paths.start, paths.links
    for number in range(shares.size):
        first, last = number * pairs, (number + 1) * pairs
        for place in range(start[first], start[last]):
            flows[links[place]] += 1
        total = 0.0
        for pair in range(first, last):
            highest = 0
            for place in range(start[pair], start[pair + 1]):
                highest = max(highest, flows[links[place]])
            total += 1 / highest if highest else 0.0
        shares[number] = total / pairs
        for place in range(start[first], start[last]):
            flows[links[place]] = 0
