"""Made-up fabrics with made-up tables and traffic: one or two phases, with or without a background job."""

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from core.job import Flows
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Edges
from core.network.faults import LinkFault
from core.routing import Tables, with_faults
from core.routing.tables.scheme import TableRouter
from tests.core.network.formats.fabrics import Cable, Device, dump
from tests.core.optimise.cases import two_phases
from tests.core.routing.tables.fabrics import LMC, fabrics, tables, text_of


@st.composite
def traffic(draw, tasks):
    """Flows between some tasks, some of them equal."""
    ends = st.tuples(st.integers(0, tasks - 1), st.integers(0, tasks - 1))
    pairs = draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=12))
    volumes = draw(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=len(pairs), max_size=len(pairs)))
    return Flows(tasks, tuple(a for a, _ in pairs), tuple(b for _, b in pairs), tuple(volumes))


@st.composite
def trees(draw):
    """Two or three leaf switches with up to four hosts in all, under two or three others."""
    leaves = [Device(k + 1, 12, f"l{k}", switch=True) for k in range(draw(st.integers(2, 3)))]
    tops = [Device(k + 9, 12, f"t{k}", switch=True) for k in range(draw(st.integers(2, 3)))]
    cables = [Cable(leaf, 1 + k, top, 1 + n) for n, leaf in enumerate(leaves) for k, top in enumerate(tops)]
    hosts = [Device(0x100 + 16 * k, 1, f"n{k} mlx5_0") for k in range(draw(st.integers(2, 4)))]
    cables += [Cable(draw(st.sampled_from(leaves)), 4 + k, host, 1) for k, host in enumerate(hosts)]
    return [*leaves, *tops, *hosts], cables


def fat_tree(spec):
    """The devices and cables of a fat tree."""
    network, ports = spec.build(), Counter()
    nodes = network.nodes
    devices = [
        Device(0x1000 + v, 1, f"n{v} mlx5_0") if v < nodes else Device(v + 1 - nodes, 64, f"s{v}", switch=True)
        for v in range(network.vertices)
    ]
    cables = []
    for a, b in zip(network.src.tolist(), network.dst.tolist(), strict=True):
        if a < b:
            ports.update((a, b))
            cables.append(Cable(devices[a], ports[a], devices[b], ports[b]))
    return devices, cables


@st.composite
def cases(draw, folder, devices_and_cables=None, phases=True):
    """A case with tables, which are mostly not minimal."""
    devices, cables = draw(fabrics() if devices_and_cables is None else devices_and_cables)
    (folder / "fabric.txt").write_text(dump(devices, cables, lmc=LMC))
    (folder / "lfts.dump").write_text(text_of(draw(tables(devices, cables))))
    network = Edges(file="fabric.txt")
    nodes = network.build(folder).nodes
    routing = Tables(file="lfts.dump", lids=draw(st.sampled_from(["first", "all"])))
    scenario = Scenario(
        network, draw(traffic(min(nodes, 4))), Random(seed=draw(st.integers(0, 9))), routing, folder=folder
    )
    if nodes >= 6 and draw(st.booleans()):
        other = Neighbour(name="B", job=draw(traffic(2)), mapping=Random(seed=1), allocation=f"{nodes - 2}-{nodes - 1}")
        scenario = replace(scenario, neighbours=(other,), allocation="0-3")
    case = scenario.build()
    if draw(st.integers(0, 3)) == 0:
        link = draw(st.integers(0, case.network.links - 1))
        fault = LinkFault(
            src=case.network.label(int(case.network.src[link])), dst=case.network.label(int(case.network.dst[link]))
        )
        case = replace(scenario, faults=(fault,)).build()
    return two_phases(case) if phases and draw(st.booleans()) else case


def routed_by(problem, ports):
    """The problem's case under other tables."""
    case = problem.case
    router = TableRouter(case.network, problem.fabric._replace(ports=np.ascontiguousarray(ports)))
    router = with_faults(router, case.gbs <= 0)
    others = [replace(other, router=router) for other in case.neighbours.cases]
    return replace(case, router=router, neighbours=replace(case.neighbours, cases=tuple(others)))
