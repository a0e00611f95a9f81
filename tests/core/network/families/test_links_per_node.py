"""Several links from a node to its switch, where a family has such links."""

import msgspec
import numpy as np
import pytest

from core.job import AllToAll
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, FatTree
from core.routing import Minimal

FAMILIES = [FatTree(3, 2), FatTree(4, 1), Dragonfly(4, 2, 5, 3)]


@pytest.mark.parametrize("spec", FAMILIES, ids=repr)
@pytest.mark.parametrize("count", [2, 3])
def test_each_node_has_parallel_links(spec, count):
    single, many = (msgspec.structs.replace(spec, links_per_node=n).build() for n in (1, count))
    host = many.link_class("host")
    assert host.count == count * single.link_class("host").count
    pairs, times = np.unique(np.stack([many.src[host.links], many.dst[host.links]]), axis=1, return_counts=True)
    assert (times == count).all()
    links = single.link_class("host").links
    assert set(map(tuple, pairs.T.tolist())) == set(
        zip(single.src[links].tolist(), single.dst[links].tolist(), strict=True)
    )
    for cut, base in zip(many.cuts, single.cuts, strict=True):
        for name, links in cut.leaving.items():
            assert links == base.leaving[name] * (count if name == "host" else 1)


@pytest.mark.parametrize("spec", FAMILIES, ids=repr)
def test_equal_shares_load_each_link_of_a_node_equally(spec):
    reports = []
    for count in (1, 2):
        network = msgspec.structs.replace(spec, links_per_node=count)
        case = Scenario(network, AllToAll(spec.nodes), Sequential(), Minimal(spread="split")).build()
        reports.append(evaluate(case))
        assert bounds(case)[0].time <= reports[-1].time * (1 + 1e-9)
    most = [report.load[report.case.network.link_class("host").links].max() for report in reports]
    assert most[1] == pytest.approx(most[0] / 2)
