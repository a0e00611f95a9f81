"""Links that a part of a job crosses more than once, against single paths."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import Halo
from core.load.crossings import part_crossings
from core.mapping import Explicit, Random, Sequential
from core.network import FatTree, Torus
from core.routing import Adaptive, Minimal
from core.spec import Cancelled
from tests.core.load.cases import report_of
from tests.core.load.labelled import TASKS, Labelled, channels

TREE = FatTree(arity=4, levels=2)


def ring(order, channel=0):
    """The flows from each task of a ring to the next."""
    return [(src, dst, 2.5, channel) for src, dst in zip(order, [*order[1:], order[0]], strict=True)]


@given(st.lists(st.permutations(range(TASKS)), min_size=1, max_size=3), st.sampled_from((TREE, Torus(dims=(4, 3)))))
def test_crossings_are_counted_path_by_path(orders, network):
    flows = [flow for channel, order in enumerate(orders) for flow in ring(order, channel)]
    routing = Minimal() if network is TREE else Adaptive()
    report = report_of(network, Labelled((channels(*flows, times=3),)), routing, Random(1))
    node, net = report.case.mapping.nodes, report.case.network
    for crossings, order in zip(part_crossings(report), orders, strict=True):
        times = Counter()
        for src, dst, *_ in ring(order):
            route = report.case.router.route(int(node[src]), int(node[dst]))
            for link, share in zip(route.links.tolist(), route.shares.tolist(), strict=True):
                if network is not TREE or min(net.src[link], net.dst[link]) >= net.nodes:
                    times[link] += share
        expected = {link: count for link, count in times.items() if count > 1 + 1e-9}
        assert dict(zip(crossings.links.tolist(), crossings.times.tolist(), strict=True)) == pytest.approx(expected)
        assert crossings.times.tolist() == pytest.approx(sorted(crossings.times, reverse=True))


def test_a_ring_in_the_order_of_hosts_crosses_no_link_twice():
    slots = tuple(range(TASKS))
    good, bad = ring([*range(TASKS)]), ring([0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11], 1)
    report = report_of(TREE, Labelled((channels(*good, *bad),)), Minimal(), Explicit(slots=slots))
    first, second = part_crossings(report)
    assert (first.label, first.links.size) == ("channel 0", 0)
    # Four messages go from the first leaf switch to the second, over the links that minimal chooses.
    assert second.label == "channel 1"
    assert second.times.max() > 1
    assert report.case.network.link_ends(int(second.links[0]))


def test_jobs_without_parts_have_no_crossings():
    assert part_crossings(report_of(TREE, Halo(3, 4), Minimal(), Sequential())) == ()


def test_progress_is_reported_and_can_cancel():
    flows = [flow for channel in range(4) for flow in ring([*range(TASKS)], channel)]
    report = report_of(TREE, Labelled((channels(*flows),)), Minimal())
    seen = []
    part_crossings(report, seen.append)
    assert seen == [0.25, 0.5, 0.75, 1.0]

    def stop(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        part_crossings(report, stop)
