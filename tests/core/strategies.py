"""Small random networks, routings, mappings, jobs and flows for hypothesis.

`networks`, `routings`, `mappings` and `jobs` draw from every kind of their union. A kind without a strategy here is
drawn from its samples (`tests.core.samples`); `tests/core/test_samples.py` fails if it has none.
"""

from functools import cache, lru_cache
from itertools import product
from math import prod

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from core.job import (
    Allgather,
    Allreduce,
    AllToAll,
    AnyPattern,
    Barrier,
    Broadcast,
    Flows,
    Gather,
    Halo,
    HaloNd,
    HotSpot,
    Msccl,
    Nccl,
    Pattern,
    Pause,
    Pencils,
    Permutation,
    RandomTraffic,
    Reduce,
    ReduceScatter,
    Scatter,
    Sequence,
    Sweep,
    Training,
    Transpose,
    TransposePhases,
)
from core.mapping import (
    AnyMapping,
    Blocks,
    CirculantStride,
    ColouredBlocks,
    ColumnWise,
    Explicit,
    FromFile,
    HierarchicalTree,
    Logged,
    ModColour,
    NestedBlocks,
    Random,
    RankOrder,
    RecursiveBisection,
    RingConsecutive,
    RoundRobin,
    RowOrColumn,
    RowWise,
    Sequential,
    Structured,
    TreeMatch,
)
from core.mapping.box_steps import Hilbert, Shear, Tiles, Tilt, Zigzag, ZOrder
from core.network import (
    AddedCable,
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
    LinkFault,
    Mesh,
    NodeFault,
    Percs,
    Rail,
    Shortcut,
    SlimFly,
    Torus,
    TwistedTorus,
    Xgft,
)
from core.routing import (
    Adaptive,
    AnyRouting,
    ClexRouting,
    CongestionAware,
    DimensionOrder,
    DModK,
    GroupMinimal,
    Minimal,
    PercsDirect,
    PercsIndirect,
    ShortDimension,
    Ugal,
    Valiant,
)
from core.routing.flows import NodeFlows
from core.spec import members
from tests.core.samples import samples
from tests.oracle.percs import Machine
from tests.oracle.torus import Lattice

CHOSEN = {}
"""The kinds of each union that have a strategy here."""
FROM_FILES = (Edges, FromFile, Logged, Msccl, Nccl)
"""Kinds that need a file; tests/core/network/formats, core/mapping/formats and core/job have some."""


def others(union, kinds):
    """Return the kinds of a union that a table lacks, and that have samples."""
    return [kind for kind in members(union) if kind not in kinds and samples(kind)]


def any_of(union, strategies, without=()):
    """Draw from every kind of a union except `without`; `strategies` has a strategy for some of them."""
    CHOSEN[union] = set(strategies)
    more = [st.sampled_from(samples(kind)) for kind in others(union, (*strategies, *without))]
    return st.one_of(*strategies.values(), *more)


def fitting(draw, strategy, fits):
    """Draw until it fits, as `filter` does, which would construct a large strategy again at each use."""
    for _ in range(3):
        drawn = draw(strategy)
        if fits(drawn):
            return drawn
    return reject()


OWN_SIZE = (4, 8)
"""Drawers of a supernode, and nodes of a drawer, of a Power 775."""
SIZES = (OWN_SIZE, OWN_SIZE, (2, 2), (1, 4), (4, 1), (1, 1), (3, 5), (3, 8), (5, 4))


# Constructing a strategy takes longer than drawing from it, so strategies used with various arguments are cached.
one_of_these = cache(st.sampled_from)
orders = cache(st.permutations)


@st.composite
def percs_specs(draw, most=6, slots=(1, 2, 4), sizes=(OWN_SIZE,)):
    drawers, mates = draw(one_of_these(sizes))
    return Percs(
        supernodes=draw(st.integers(2, most)),
        d_links=draw(one_of_these(tuple(d for d in range(1, drawers * mates + 1) if drawers * mates % d == 0))),
        drawers=drawers,
        nodes_per_drawer=mates,
        slots_per_node=draw(one_of_these(slots)),
    )


@cache
def sides(most_nodes, count):
    """Sides of lattices of `count` dimensions: a strategy."""
    several = product(range(1, min(6, 8 - count) + 1), repeat=count)
    return st.sampled_from([dims for dims in several if 1 < prod(dims) <= most_nodes])


@st.composite
def lattice_specs(draw, most_nodes=48, slots=(1, 2)):
    dims = draw(sides(most_nodes, draw(st.integers(1, 4))))
    slots_per_node = draw(one_of_these(slots))
    if draw(st.integers(0, 4)) == 0:
        cubes = st.integers(1, most_nodes.bit_length() - 1)
        return Hypercube(dimensions=draw(cubes), slots_per_node=slots_per_node)
    if draw(st.booleans()):
        return Mesh(dims=dims, slots_per_node=slots_per_node)
    return Torus(dims=dims, wrap=draw(wraps(len(dims))), slots_per_node=slots_per_node)


@cache
def wraps(count):
    """Whether lattices of `count` dimensions wrap around, in all dimensions or in each: a strategy."""
    return st.booleans() | st.tuples(*[st.booleans()] * count)


kept_percs_specs, kept_lattice_specs = cache(percs_specs), cache(lattice_specs)
percs_routings = st.builds(PercsDirect, intra=st.sampled_from(["striped", "single-hop"])) | st.builds(
    PercsIndirect, intra=st.sampled_from(["striped", "single-hop"]), count_middle_hop=st.booleans()
)
lattice_routings = st.just(DimensionOrder()) | st.builds(Adaptive, model=st.sampled_from(["uniform", "hop-local"]))


@lru_cache(maxsize=512)
def built(spec):
    """Return the network of a spec, shared by many examples, since it does not change."""
    return spec.build()


@st.composite
def routed_percs(draw, **limits):
    """A PERCS machine, its router, and the oracle of both."""
    spec, routing = draw(kept_percs_specs(**limits, sizes=SIZES)), draw(percs_routings)
    network = built(spec)
    machine = Machine(
        spec.supernodes,
        spec.d_links,
        indirect=isinstance(routing, PercsIndirect),
        striped=routing.intra == "striped",
        count_middle=getattr(routing, "count_middle_hop", True),
        drawers=spec.drawers,
        per_drawer=spec.nodes_per_drawer,
    )
    return network, routing.router(network), machine


@st.composite
def routed_lattices(draw, **limits):
    """A torus, mesh or hypercube, its router, and the oracle of both."""
    spec, routing = draw(kept_lattice_specs(**limits)), draw(lattice_routings)
    network = built(spec)
    return (
        network,
        routing.router(network),
        Lattice(spec.dims, spec.wraps, getattr(routing, "model", "dimension-order")),
    )


routed = routed_percs() | routed_lattices()


@cache
def flow_lists(nodes, most):
    """Some flows between nodes: a strategy."""

    def listed(flows):
        pairs, volumes = zip(*flows, strict=True)
        src, dst = np.divmod(np.array(pairs, np.int32), nodes)
        return NodeFlows(src, dst, np.array(volumes))

    # The pairs by number, since drawing takes most of the time of small cases.
    flow = st.tuples(st.integers(0, nodes * nodes - 1), st.floats(0.001, 1000, allow_nan=False))
    return st.lists(flow, min_size=1, max_size=most).map(listed)


def node_flows(network, most=8):
    """Some flows between nodes, also from nodes to themselves."""
    return flow_lists(network.nodes, most)


@cache
def failures(links, nodes, speeds):
    """Links and nodes with their relative speeds: a strategy."""
    speed = st.sampled_from(speeds)
    link = st.tuples(st.just(LinkFault), st.integers(0, links - 1), speed)
    node = st.tuples(st.just(NodeFault), st.integers(0, nodes - 1), speed)
    return st.lists(link | link | node, min_size=1, max_size=4)


@st.composite
def faults_of(draw, network, speeds=(0.0, 0.0, 0.5, 0.1)):
    """Some links and nodes that failed or are slow."""
    return tuple(
        LinkFault.of(network, which, speed) if kind is LinkFault else NodeFault(which, speed)
        for kind, which, speed in draw(failures(network.links, network.nodes, speeds))
    )


@st.composite
def cables_of(draw, network):
    """Some cables between any two vertices."""
    vertex = st.integers(0, network.vertices - 1)
    pairs = st.tuples(vertex, vertex).filter(lambda pair: pair[0] != pair[1])
    several = st.lists(
        st.builds(lambda pair, gbs: AddedCable(*pair, gbs), pairs, st.sampled_from([None, 2.0])), min_size=1, max_size=3
    )
    return tuple(draw(several))


@cache
def listed_flows(tasks, most):
    """Sources, destinations and volumes: a strategy."""
    task = st.integers(0, tasks - 1)
    return st.lists(st.tuples(task, task, st.just(0.0) | st.floats(0, 100)), max_size=most)


@st.composite
def traced_flows(draw, most_tasks=12, most_flows=40):
    """A job of listed flows."""
    tasks = draw(st.integers(1, most_tasks))
    flows = draw(listed_flows(tasks, most_flows))
    src, dst, volume = zip(*flows, strict=True) if flows else ((), (), ())
    return Flows(tasks=tasks, src=src, dst=dst, volume=volume)


small, seeds, slots_each = st.integers(1, 16), st.integers(0, 1000), st.sampled_from((1, 2, 4))


small_sizes = st.integers(1, 12)


def collectives(kind, *algorithms, sizes=small_sizes, **fields):
    """Draw a collective with any of its algorithms."""
    message = st.sampled_from([1.0, 1000.0, 3e6])
    return st.builds(kind, tasks=sizes, message_bytes=message, algorithm=st.sampled_from(algorithms), **fields)


@st.composite
def rooted(draw, kind):
    tasks = draw(st.integers(1, 12))
    return kind(tasks=tasks, message_bytes=draw(st.sampled_from([1.0, 3e6])), root=draw(st.integers(0, tasks - 1)))


@st.composite
def trainings(draw):
    """Steps of small models on a few ranks."""
    expert = draw(st.integers(1, 2))
    return Training(
        tensor=draw(st.integers(1, 3)),
        data=expert * draw(st.integers(1, 2)),
        pipeline=draw(st.integers(1, 3)),
        expert=expert,
        layers=3,
        hidden=4,
        sequence=2,
        micro_batches=2,
        vocabulary=draw(st.sampled_from([0, 8])),
        algorithm=draw(st.sampled_from(["ring", "direct"])),
        sharded=draw(st.booleans()),
        sequence_parallel=draw(st.booleans()),
        chunks=draw(st.integers(1, 2)),
        experts=draw(st.sampled_from([0, 2, 4])),
        moe_layers=2,
    )


even_sizes = st.integers(1, 6).map(lambda half: 2 * half)
own_bytes = st.sampled_from([None, 1000.0, 3e6])
patterns = any_of(
    AnyPattern,
    {
        Halo: st.builds(
            Halo, rows=st.integers(1, 6), cols=st.integers(1, 6), periodic=st.booleans(), message_bytes=own_bytes
        ),
        Transpose: st.builds(Transpose, rows=st.integers(1, 6), cols=st.integers(1, 6)),
        TransposePhases: st.builds(TransposePhases, rows=st.integers(1, 5), cols=st.integers(1, 5)),
        AllToAll: st.builds(AllToAll, tasks=st.integers(1, 20))
        | collectives(AllToAll, "at-once", "pairwise", "shift", "bruck", "node-by-node", per_node=st.integers(1, 5)),
        Permutation: st.builds(Permutation, tasks=st.integers(1, 30), seed=seeds, message_bytes=own_bytes),
        Flows: traced_flows(),
        Broadcast: rooted(Broadcast),
        Reduce: rooted(Reduce),
        Scatter: rooted(Scatter),
        Gather: rooted(Gather),
        Allgather: collectives(Allgather, "ring", "recursive-doubling", "bruck")
        | collectives(Allgather, "neighbour-exchange", sizes=even_sizes),
        ReduceScatter: collectives(ReduceScatter, "ring", "recursive-halving", "pairwise"),
        Allreduce: collectives(Allreduce, "recursive-doubling", "ring", "rabenseifner"),
        RandomTraffic: st.builds(
            RandomTraffic,
            tasks=st.integers(1, 20),
            messages=st.integers(1, 3),
            draw=st.sampled_from(["independent", "permutation"]),
            seed=seeds,
        ),
        Barrier: collectives(Barrier, "dissemination"),
        HaloNd: st.builds(
            HaloNd,
            dims=st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
            stencil=st.sampled_from(["faces", "box"]),
            periodic=st.booleans(),
            side=st.sampled_from([1, 3]),
            message_bytes=own_bytes,
        ),
        Pencils: st.builds(Pencils, rows=st.integers(1, 5), cols=st.integers(1, 5)),
        Pattern: st.builds(
            Pattern,
            kind=st.sampled_from(["bit-complement", "shuffle", "butterfly", "tornado", "digit-complement", "shift"]),
            tasks=st.sampled_from([2, 4, 8, 16]),
            shift=st.integers(0, 20),
            message_bytes=own_bytes,
        ),
        HotSpot: st.builds(
            HotSpot, tasks=st.integers(3, 20), hot=st.sampled_from([(0,), (2, 1)]), share=st.sampled_from([0, 0.25, 1])
        ),
        Training: trainings(),
        Sweep: st.builds(
            Sweep,
            rows=st.integers(1, 5),
            cols=st.integers(1, 5),
            corners=st.sampled_from([1, 2, 4]),
            at_once=st.booleans(),
            message_bytes=own_bytes,
        ),
    },
    without=FROM_FILES,
)


@st.composite
def sequences(draw):
    """Jobs of equally many tasks, with pauses, repeated."""
    rows, cols, size = draw(st.integers(1, 3)), draw(st.integers(1, 3)), 3e6
    tasks = rows * cols
    choices = (
        Halo(rows, cols, message_bytes=size),
        Sweep(rows, cols, 2, message_bytes=2 * size),
        AllToAll(tasks, message_bytes=1e3),
        Allreduce(tasks=tasks, message_bytes=size),
        Permutation(tasks=tasks, message_bytes=size),
        Pause(0.5),
    )
    parts = [draw(st.sampled_from(choices[:-1])), *draw(st.lists(st.sampled_from(choices), max_size=3))]
    return Sequence(parts=tuple(draw(st.permutations(parts))), repeat=draw(st.integers(1, 3)))


jobs = patterns | sequences()
box_steps = st.lists(
    st.sampled_from((Zigzag(), Zigzag(0, 1), Tilt(slope=3), Shear(), Tiles((2, 3)), ZOrder(), Hilbert())), max_size=3
).map(tuple)
mappings = any_of(
    AnyMapping,
    {
        Sequential: st.just(Sequential()),
        Blocks: st.builds(Blocks, rows=small, cols=small, order=st.sampled_from(["sequential", "random"]), seed=seeds),
        ModColour: st.just(ModColour()),
        ColouredBlocks: st.builds(ColouredBlocks, rows=st.integers(1, 4), cols=st.integers(1, 4), seed=seeds),
        NestedBlocks: st.builds(
            NestedBlocks, rows=small, cols=small, node_rows=st.just(1), node_cols=st.just(1), brick=st.booleans()
        ),
        RowWise: st.just(RowWise()),
        ColumnWise: st.just(ColumnWise()),
        RowOrColumn: st.just(RowOrColumn()),
        Random: st.builds(Random, seed=seeds),
        RoundRobin: st.builds(RoundRobin, level=st.sampled_from(["node", "drawer", "supernode", "group"])),
        RankOrder: st.sampled_from(["tp-dp-pp", "pp-dp-tp"]).map(RankOrder),
        HierarchicalTree: st.builds(HierarchicalTree, root=small, seed=seeds),
        RingConsecutive: st.builds(RingConsecutive, start=small),
        CirculantStride: st.builds(CirculantStride, start=small),
        Structured: st.builds(Structured, task_steps=box_steps, node_steps=box_steps),
        TreeMatch: st.just(TreeMatch()),
        RecursiveBisection: st.builds(RecursiveBisection, seed=seeds),
        Explicit: st.permutations(range(12)).map(lambda slots: Explicit(slots=tuple(slots))),
    },
    without=FROM_FILES,
)
networks = any_of(
    AnyNetwork,
    {
        Percs: percs_specs(most=3, sizes=SIZES),
        Torus: lattice_specs().filter(lambda spec: isinstance(spec, Torus)),
        Mesh: lattice_specs().filter(lambda spec: isinstance(spec, Mesh)),
        TwistedTorus: st.builds(
            TwistedTorus, dims=st.sampled_from(((2, 2, 4), (4, 2, 4), (6, 3, 3))), cube=st.integers(1, 3)
        ),
        Hypercube: st.builds(Hypercube, dimensions=st.integers(1, 5), slots_per_node=slots_each),
        FatTree: st.builds(FatTree, arity=st.integers(2, 4), levels=st.integers(1, 3), slots_per_node=slots_each),
        Dragonfly: st.builds(
            Dragonfly,
            routers=st.integers(2, 4),
            global_links=st.integers(1, 2),
            groups=st.integers(2, 3),
            nodes_per_router=st.integers(1, 3),
            links_per_pair=st.integers(0, 1),
            slots_per_node=slots_each,
        ),
        Xgft: st.builds(
            Xgft,
            down=st.tuples(st.integers(2, 3), st.integers(1, 3)),
            up=st.tuples(st.integers(1, 2), st.integers(1, 3)),
            parallel=st.integers(1, 2) | st.tuples(st.just(1), st.integers(1, 2)),
            slots_per_node=slots_each,
        ),
        DragonflyPlus: st.builds(
            DragonflyPlus,
            leaves=st.integers(1, 3),
            spines=st.integers(2, 3),
            global_links=st.integers(1, 2),
            groups=st.integers(2, 3),
            nodes_per_leaf=st.integers(1, 2),
        ),
        BCube: st.builds(BCube, ports=st.integers(2, 3), levels=st.integers(0, 2), slots_per_node=slots_each),
        HyperX: st.builds(
            HyperX,
            dims=st.sampled_from(((4,), (2, 3), (2, 2, 3))),
            parallel=st.integers(1, 2),
            nodes_per_switch=st.integers(1, 2),
        ),
        SlimFly: st.builds(SlimFly, q=st.just(3), nodes_per_switch=st.integers(1, 2)),
        Rail: st.builds(
            Rail,
            units=st.integers(1, 2),
            servers=st.integers(1, 3),
            gpus=st.integers(2, 3),
            spines=st.integers(1, 2),
            relays=st.booleans(),
        ),
        Complete: st.builds(Complete, nodes=st.integers(2, 12), slots_per_node=slots_each),
        Circulant: st.builds(
            Circulant, nodes=st.integers(9, 20), jumps=st.sets(st.integers(1, 4), min_size=1).map(tuple)
        ),
        Shortcut: st.builds(Shortcut, nodes=st.sampled_from((10, 16, 20)), degree=st.integers(3, 5), seed=seeds),
        Clex: st.builds(Clex, k=st.integers(2, 4), levels=st.integers(1, 3), fat_links=st.booleans()),
    },
    without=FROM_FILES,
)
routings = any_of(
    AnyRouting,
    {
        PercsDirect: percs_routings.filter(lambda spec: isinstance(spec, PercsDirect)),
        PercsIndirect: percs_routings.filter(lambda spec: isinstance(spec, PercsIndirect)),
        DimensionOrder: st.just(DimensionOrder()),
        DModK: st.just(DModK()),
        Adaptive: st.builds(Adaptive, model=st.sampled_from(["uniform", "hop-local"])),
        ShortDimension: st.builds(ShortDimension, gamma=st.integers(0, 2), exclusive=st.booleans()),
        ClexRouting: st.builds(ClexRouting, scheme=st.sampled_from(["equal", "ordered"])),
        GroupMinimal: st.builds(GroupMinimal, spread=st.sampled_from(["single", "equal"])),
        Minimal: st.builds(Minimal, spread=st.sampled_from(["single", "equal"])),
        Valiant: st.builds(
            Valiant, through=st.sampled_from(["node", "group"]), legs=st.sampled_from(["automatic", "shortest"])
        ),
        CongestionAware: st.builds(CongestionAware, rounds=st.integers(1, 3)),
        Ugal: st.builds(Ugal, rounds=st.integers(1, 3)),
    },
)
