"""Scenarios of all families under all routings: few nodes, several tasks per node, volumes far apart, and faults."""

from collections import defaultdict
from functools import cache
from itertools import product
from math import fsum
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from msgspec.structs import asdict

from core.job import AllToAll, Flows, Halo, Permutation, Transpose, TransposePhases
from core.load.compatibility import routing_error
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import (
    AnyNetwork,
    BCube,
    Circulant,
    Clex,
    Complete,
    Dragonfly,
    DragonflyPlus,
    Edges,
    FatTree,
    Hypercube,
    HyperX,
    Mesh,
    Percs,
    Rail,
    Shortcut,
    SlimFly,
    Torus,
    TwistedTorus,
    Xgft,
)
from core.network.added_cables import with_cables
from core.routing import (
    Adaptive,
    AnyRouting,
    CongestionAware,
    DimensionOrder,
    DModK,
    GroupMinimal,
    Minimal,
    PercsDirect,
    PercsIndirect,
    ShortDimension,
    Tables,
    Ugal,
    Valiant,
)
from core.routing.clex.scheme import ClexRouting
from core.spec import SpecError
from tests.core.samples import samples
from tests.core.strategies import FROM_FILES, built, cables_of, faults_of, fitting, one_of_these, others

FABRICS = Path(__file__).parents[1] / "data" / "infiniband"
CHOSEN_FAMILIES = (
    (Torus, {"dims": (4,)}),
    (Torus, {"dims": (3, 4)}),
    (Torus, {"dims": (2, 2, 3), "wrap": (True, False, True)}),
    (Torus, {"dims": (4, 4), "gbs": 1.0}),
    (TwistedTorus, {"dims": (2, 4, 2), "cube": 2}),
    (Mesh, {"dims": (5,), "gbs": 1.0}),
    (Mesh, {"dims": (3, 3)}),
    (Hypercube, {"dimensions": 3}),
    (Complete, {"nodes": 5}),
    (Circulant, {"nodes": 9, "jumps": (1, 2, 4)}),
    (Shortcut, {"nodes": 10, "degree": 4}),
    (FatTree, {"arity": 2, "levels": 2, "host_gbs": 3.0}),
    (FatTree, {"arity": 3, "levels": 2}),
    (Dragonfly, {"routers": 2, "global_links": 1, "groups": 3, "nodes_per_router": 2}),
    (Xgft, {"down": (3, 2), "up": (1, 2), "parallel": (1, 2)}),
    (Xgft, {"down": (2, 2, 2), "up": (2, 1, 2), "gbs": (1.0, 2.0, 3.0)}),
    (DragonflyPlus, {"leaves": 2, "spines": 2, "global_links": 1, "groups": 3}),
    (DragonflyPlus, {"leaves": 2, "spines": 1, "global_links": 2, "groups": 3, "nodes_per_leaf": 1}),
    (BCube, {"ports": 3}),
    (HyperX, {"dims": (2, 3)}),
    (HyperX, {"dims": (3, 2), "parallel": (1, 2), "nodes_per_switch": 2}),
    (SlimFly, {"q": 3}),
    (Rail, {"units": 1, "servers": 2, "gpus": 2, "spines": 0}),
    (Rail, {"units": 2, "servers": 2, "gpus": 2, "spines": 1, "parallel": 2, "relays": False}),
    (Clex, {"k": 3, "levels": 2}),
    (Clex, {"k": 2, "levels": 3, "fat_links": False}),
    (Percs, {"supernodes": 2, "d_links": 4}),
    (Percs, {"supernodes": 3, "d_links": 1}),
    (Edges, {"file": str(FABRICS / "tree" / "ibnetdiscover.txt")}),
    (Edges, {"file": str(FABRICS / "rails" / "ibnetdiscover.txt")}),
)
CHOSEN_ROUTINGS = (
    DimensionOrder(),
    Adaptive(),
    Adaptive(model="hop-local"),
    DModK(),
    GroupMinimal(),
    GroupMinimal(spread="single"),
    Minimal(),
    Minimal(spread="equal"),
    Valiant(),
    Valiant(through="group"),
    CongestionAware(rounds=3),
    Ugal(rounds=3),
    *(ShortDimension(**values) for values in list(ShortDimension.presets.values())[:1]),
    ClexRouting(),
    ClexRouting(scheme="ordered"),
    ClexRouting(relayed=0.3),
    PercsDirect(),
    PercsDirect(intra="single-hop"),
    PercsIndirect(),
    PercsIndirect(count_middle_hop=False),
    Tables(file=str(FABRICS / "tree" / "uneven.fts")),
    Tables(file=str(FABRICS / "rails" / "opensm-lfts.dump"), lids="all"),
    Tables(file=str(FABRICS / "rails" / "incomplete.dump")),
)


def _values(spec):
    return {name: value for name, value in asdict(spec).items() if name != "slots_per_node"}


FAMILIES = (
    *CHOSEN_FAMILIES,
    *((kind, _values(samples(kind)[0])) for kind in others(AnyNetwork, {*dict(CHOSEN_FAMILIES), *FROM_FILES})),
)
ROUTINGS = (
    *CHOSEN_ROUTINGS,
    *(samples(kind)[0] for kind in others(AnyRouting, {*map(type, CHOSEN_ROUTINGS)})),
)


def _fits(spec, routing):
    try:
        routing.router(built(spec))
    except SpecError:
        return False
    return True


@cache
def choices():
    """All pairs of a network and a routing that fit, with one slot per node."""
    specs = [family(**values) for family, values in FAMILIES]
    pairs = product(range(len(specs)), range(len(ROUTINGS)))
    return tuple((n, r) for n, r in pairs if _fits(specs[n], ROUTINGS[r]))


volumes = st.floats(-6, 15).map(lambda power: 10.0**power) | st.sampled_from([0.0, 1e-6, 1.0, 3.0, 1e12, 1e15])
"""From a millionth to 10^15."""


@st.composite
def flows(draw, most=8):
    """Traced flows with volumes far apart."""
    tasks = draw(st.integers(2, most))
    task = st.integers(0, tasks - 1)
    listed = draw(st.lists(st.tuples(task, task, volumes), min_size=1, max_size=2 * most))
    return Flows(tasks, *zip(*listed, strict=True))


patterns = (
    st.builds(Halo, rows=st.integers(1, 4), cols=st.integers(2, 4), periodic=st.booleans())
    | st.builds(Transpose, rows=st.integers(1, 4), cols=st.integers(2, 4))
    | st.builds(TransposePhases, rows=st.integers(2, 3), cols=st.integers(2, 3))
    | st.builds(AllToAll, tasks=st.integers(2, 9))
    | st.builds(Permutation, tasks=st.integers(2, 12), seed=st.integers(0, 99))
)
any_jobs = flows() | flows() | patterns


@st.composite
def scenarios(draw, jobs=any_jobs, plans=True, slots=(1, 2, 4)):
    """A scenario of any family, routing and job, perhaps with added cables and faults.

    `plans`: with planned routings too.
    """
    which, routing = draw(one_of_these(choices()))
    family, values = FAMILIES[which]
    several = "slots_per_node" in family.__struct_fields__
    spec = family(**values, slots_per_node=draw(one_of_these(slots))) if several else family(**values)
    network = built(spec)
    if not plans and ROUTINGS[routing].router(network).plans:
        routing = ROUTINGS.index(Minimal()) if not isinstance(spec, Percs) else ROUTINGS.index(PercsDirect())
    job = fitting(draw, jobs, lambda job: 2 <= job.build().tasks <= network.slots)
    cables = draw(cables_of(network)) if draw(st.integers(0, 3)) == 0 else ()
    network = with_cables(network, cables)
    if routing_error(ROUTINGS[routing], network) is not None:
        network, cables = network.plain, ()
    faults = draw(faults_of(network)) if draw(st.booleans()) else ()
    mapping = Random(draw(st.integers(0, 99)))
    return Scenario(spec, job, mapping, ROUTINGS[routing], cables=cables, faults=faults)


def added_up(case, phase, router):
    """The load of every link in a phase, shape ``(links,)``, flow by flow from one route at a time."""
    volumes_of_link, node = defaultdict(list), case.mapping.nodes
    for _, block in phase.blocks():
        for u, v, volume in zip(node[block.src], node[block.dst], block.volume.tolist(), strict=True):
            route = router.route(int(u), int(v))
            for link, share in zip(route.links.tolist(), route.shares.tolist(), strict=True):
                volumes_of_link[link].append(volume * share)
    load = np.zeros(case.network.links)
    for link, parts in volumes_of_link.items():
        load[link] = fsum(parts)
    return load
