"""Figures of single paths: all pairs, and 200 random matchings; CPU time, medians."""

import time
from statistics import median

from core.figures.routes import Routed, route_figures
from core.load.routes.bisection_bandwidth import DRAWS, matchings
from core.network import Xgft
from core.routing import DModK
from tests.benchmarks.timing import faster, seconds_text, timed
from tests.oracle.routes import AllPairs

LARGE = Xgft(down=(16, 8, 16), up=(1, 8, 16))
"""2,048 nodes on 384 switches."""
SMALL = Xgft(down=(8, 8, 4), up=(1, 8, 4))
"""256 nodes on 96 switches."""


def cpu(call):
    return median(timed(call, clock=time.process_time) for _ in range(3))


def test_routes(record):
    large, small = (DModK().router(spec.build()) for spec in (LARGE, SMALL))
    network, half = small.network, small.network.nodes // 2
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))

    def follow():
        oracle = AllPairs(links, network.nodes, lambda u, v: small.route(u, v).links.tolist())
        pairs = list(zip(*(ends.tolist() for ends in matchings(network.nodes, 0, DRAWS, 0)), strict=True))
        shares = [oracle.share(pairs[k * half : (k + 1) * half]) for k in range(DRAWS)]
        return oracle.hottest, sum(shares) / DRAWS

    figures = route_figures(Routed(small))
    hottest, share = follow()
    assert (figures.all_to_all_max, round(figures.ebb.mean, 9)) == (hottest, round(share, 9))
    slow, ours = timed(follow, clock=time.process_time), cpu(lambda: route_figures(Routed(small)))
    baseline = f"{faster(slow, ours)} than an oracle that follows pair after pair"
    record("figures of routes: 256 nodes on 96 switches, 200 matchings", f"{seconds_text(ours)} of CPU", baseline)
    seconds = cpu(lambda: route_figures(Routed(large)))
    record("figures of routes: 2,048 nodes on 384 switches, 200 matchings", f"{seconds_text(seconds)} of CPU")
    assert seconds < 5
    assert slow / ours > 20
