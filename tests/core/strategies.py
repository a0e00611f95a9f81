"""Small random networks, routings, jobs and flows for hypothesis."""

from math import prod

import numpy as np
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo, Permutation, Transpose, TransposePhases
from core.network import Hypercube, LinkFault, Mesh, NodeFault, Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from core.routing.flows import NodeFlows
from tests.oracle.percs import Machine
from tests.oracle.torus import Lattice

BUCKETS = (1, 2, 4, 8, 16, 32)


@st.composite
def percs_specs(draw, most=6, slots=(1, 2, 4)):
    return Percs(
        supernodes=draw(st.integers(2, most)),
        d_links=draw(st.sampled_from(BUCKETS)),
        slots_per_node=draw(st.sampled_from(slots)),
    )


@st.composite
def lattice_specs(draw, most_nodes=48, slots=(1, 2)):
    dims = draw(
        st.lists(st.integers(1, 6), min_size=1, max_size=4)
        .map(tuple)
        .filter(lambda dims: 1 < prod(dims) <= most_nodes and max(dims) <= 8 - len(dims))
    )
    slots_per_node = draw(st.sampled_from(slots))
    if draw(st.integers(0, 4)) == 0:
        cubes = st.integers(1, most_nodes.bit_length() - 1)
        return Hypercube(dimensions=draw(cubes), slots_per_node=slots_per_node)
    if draw(st.booleans()):
        return Mesh(dims=dims, slots_per_node=slots_per_node)
    wrap = draw(st.booleans() | st.tuples(*[st.booleans()] * len(dims)))
    return Torus(dims=dims, wrap=wrap, slots_per_node=slots_per_node)


percs_routings = st.builds(PercsDirect, intra=st.sampled_from(["striped", "single-hop"])) | st.builds(
    PercsIndirect, intra=st.sampled_from(["striped", "single-hop"]), count_middle_hop=st.booleans()
)
lattice_routings = st.just(DimensionOrder()) | st.builds(Adaptive, model=st.sampled_from(["uniform", "hop-local"]))


@st.composite
def routed_percs(draw, **limits):
    """A PERCS machine, its router, and the oracle's idea of both."""
    spec, routing = draw(percs_specs(**limits)), draw(percs_routings)
    network = spec.build()
    machine = Machine(
        spec.supernodes,
        spec.d_links,
        indirect=isinstance(routing, PercsIndirect),
        striped=routing.intra == "striped",
        count_middle=getattr(routing, "count_middle_hop", True),
    )
    return network, routing.router(network), machine


@st.composite
def routed_lattices(draw, **limits):
    """A torus, mesh or hypercube, its router, and the oracle's idea of both."""
    spec, routing = draw(lattice_specs(**limits)), draw(lattice_routings)
    network = spec.build()
    return (
        network,
        routing.router(network),
        Lattice(spec.dims, spec.wraps, getattr(routing, "model", "dimension-order")),
    )


routed = routed_percs() | routed_lattices()


@st.composite
def node_flows(draw, network, most=8):
    """Some flows between nodes, to themselves too."""
    node = st.integers(0, network.nodes - 1)
    volume = st.floats(0.001, 1000, allow_nan=False)
    flows = draw(st.lists(st.tuples(node, node, volume), min_size=1, max_size=most))
    src, dst, volumes = zip(*flows, strict=True)
    return NodeFlows(np.array(src, np.int32), np.array(dst, np.int32), np.array(volumes))


@st.composite
def faults_of(draw, network, speeds=(0.0, 0.0, 0.5, 0.1)):
    """Some links and nodes that failed, or are slow."""
    speed = st.sampled_from(speeds)
    link = st.builds(LinkFault.of, st.just(network), st.integers(0, network.links - 1), speed)
    node = st.builds(NodeFault, st.integers(0, network.nodes - 1), speed)
    return tuple(draw(st.lists(link | link | node, min_size=1, max_size=4)))


@st.composite
def traced_flows(draw, most_tasks=12, most_flows=40):
    """A job of listed flows."""
    tasks = draw(st.integers(1, most_tasks))
    task = st.integers(0, tasks - 1)
    flows = draw(st.lists(st.tuples(task, task, st.floats(0, 100)), max_size=most_flows))
    src, dst, volume = zip(*flows, strict=True) if flows else ((), (), ())
    return Flows(tasks=tasks, src=src, dst=dst, volume=volume)


jobs = (
    st.builds(Halo, rows=st.integers(1, 6), cols=st.integers(1, 6), periodic=st.booleans())
    | st.builds(Transpose, rows=st.integers(1, 6), cols=st.integers(1, 6))
    | st.builds(TransposePhases, rows=st.integers(1, 5), cols=st.integers(1, 5))
    | st.builds(AllToAll, tasks=st.integers(1, 20))
    | st.builds(Permutation, tasks=st.integers(1, 30), seed=st.integers(0, 1000))
    | traced_flows()
)
