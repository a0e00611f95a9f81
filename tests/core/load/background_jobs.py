"""Random jobs that run at the same time, and their times in slow plain code."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from core.job import Halo, Transpose, TransposePhases
from core.load.link_load import LinkLoad
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import LinkFault, Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from tests.oracle.neighbours import times

networks = st.sampled_from(
    [
        (Torus(dims=(4, 6), slots_per_node=2), DimensionOrder()),
        (Torus(dims=(3, 8)), Adaptive()),
        (Percs(supernodes=2, d_links=4, drawers=2, nodes_per_drawer=6), PercsDirect()),
        (Percs(supernodes=3, d_links=2, drawers=2, nodes_per_drawer=4, slots_per_node=2), PercsIndirect()),
    ]
)
sides = st.integers(1, 3)
jobs = st.one_of(
    st.builds(Halo, rows=sides, cols=sides, periodic=st.booleans()),
    st.builds(Transpose, rows=sides, cols=sides),
    st.builds(TransposePhases, rows=sides, cols=st.integers(2, 3)),
)
mappings = st.just(Sequential()) | st.builds(Random, seed=st.integers(0, 99))


@st.composite
def scenarios(draw, most=3, faulty=False):
    """Two to four jobs of up to 9 tasks, some with a chosen allocation."""
    network, routing = draw(networks)
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(24)
    count = draw(st.integers(2, most + 1))
    texts = [",".join(map(str, order[6 * k : 6 * k + 6])) if draw(st.booleans()) else "" for k in range(count)]
    small = [draw(jobs) for _ in range(count)]
    # Six nodes, or as many as needed; on six nodes each, four jobs have room.
    small = [job if job.build().tasks <= 6 else Halo(rows=2, cols=3) for job in small]
    beside = tuple(
        Neighbour(name="" if k % 2 else f"job {k}", job=job, mapping=draw(mappings), allocation=text)
        for k, (job, text) in enumerate(zip(small[1:], texts[1:], strict=True))
    )
    scenario = Scenario(network, small[0], draw(mappings), routing, allocation=texts[0], neighbours=beside)
    built = network.build()
    constant = draw(st.lists(st.tuples(st.integers(0, built.links - 1), st.sampled_from([0.5, 3.0])), max_size=4))
    scenario = replace(scenario, background=tuple(LinkLoad.of(built, *entry) for entry in constant))
    if faulty:
        links = draw(st.lists(st.integers(0, built.links - 1), max_size=3))
        scenario = replace(scenario, faults=tuple(LinkFault.of(built, link, 0.25) for link in links))
    return scenario


def in_plain_code(case):
    """The times and loads of all jobs by the oracle."""

    def route(u, v):
        route = case.router.route(u, v)
        return list(zip(route.links.tolist(), route.shares.tolist(), strict=True))

    plain = []
    for job_case in (case, *case.neighbours.cases):
        node, phases = job_case.mapping.nodes.tolist(), []
        for phase in job_case.job.phases:
            blocks = [block for _, block in phase.blocks()]
            flows = (
                flow for b in blocks for flow in zip(b.src.tolist(), b.dst.tolist(), b.volume.tolist(), strict=True)
            )
            phases.append([(node[src], node[dst], volume) for src, dst, volume in flows])
        plain.append(phases)
    return times(plain, route, case.gbs, dict(enumerate(case.neighbours.constant.tolist())))
