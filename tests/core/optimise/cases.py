"""Cases for searches: every family, routing and job, half-filled machines, several phases; and the oracle's figures."""

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

from core.job import Flows, Halo, Permutation
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.mapping import Mapping
from core.network import Percs, Torus
from core.network.network import Network
from core.optimise.method import Annealing, Bottleneck, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Contention, HopBytes, Mix, Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.search import Search
from core.routing import DimensionOrder, PercsDirect, PercsIndirect
from tests.core.load.cases import case_of
from tests.core.strategies import fitting, jobs, lattice_specs, percs_routings, percs_specs
from tests.oracle import figures
from tests.oracle.percs import Machine
from tests.oracle.torus import Lattice

OBJECTIVES = (Throughput(), HopBytes(), TotalHops(), Contention(), Mix(1, 1, 1, 1))
METHODS = (Portfolio(), Annealing(), Bottleneck(candidates=8, tenure=5), TwoOpt())
objectives = st.sampled_from(OBJECTIVES)
methods = st.sampled_from(METHODS)

TORUS = Scenario(Torus(dims=(4, 4), slots_per_node=2), Halo(rows=4, cols=6), Random(seed=1), DimensionOrder())
DIRECT = Scenario(Percs(supernodes=3, d_links=4), Halo(rows=12, cols=16), Random(seed=2), PercsDirect())
INDIRECT = Scenario(Percs(supernodes=2, d_links=8), Permutation(tasks=90), Random(seed=3), PercsIndirect())


def two_phases(case):
    """The case with its phase followed by the reverse: every flow in the other direction, with another volume."""
    flows = [block for _, block in case.job.phases[0].blocks()]
    src, dst, volume = (np.concatenate(column) for column in zip(*flows, strict=True))
    spec = Flows(case.job.tasks, tuple(dst.tolist()), tuple(src.tolist()), tuple((3 * volume).tolist()))
    back = spec.build()
    return replace(case, job=replace(back, phases=(*case.job.phases, *back.phases)))


@st.composite
def cases(draw):
    """A case whose routes come as tables."""
    network, routing = draw(
        st.tuples(percs_specs(most=3), percs_routings) | st.tuples(lattice_specs(), st.just(DimensionOrder()))
    )
    slots = network.build().slots
    job = fitting(draw, jobs, lambda job: 2 <= job.build().tasks <= slots)
    case = case_of(network, job, routing, Random(draw(st.integers(0, 99))))
    return two_phases(case) if loaded(case) and draw(st.integers(0, 3)) == 0 else case


def loaded(case):
    """Whether anything can be improved."""
    return evaluate(case).time > 0


def levels(network: Network):
    """The levels that may move at once, or stay within, on a network."""
    return ["node", *(level.name for level in network.levels)]


@st.composite
def freedoms(draw, case):
    """Constraints of moves."""
    tasks, names = case.job.tasks, levels(case.network)
    unit = draw(st.sampled_from(["task", *names]))
    within = draw(st.sampled_from(["anywhere", *names]))
    pinned = draw(st.sets(st.integers(0, tasks - 1), max_size=tasks // 2))
    return MoveConstraints(unit, within, np.array(sorted(pinned), np.int32), draw(st.booleans()))


@cache
def problem_of(scenario, objective):
    """The problem that is searched, which no search changes."""
    return Problem.of(evaluate(scenario.build()), objective)


def searching(scenario_or_case, objective, method, constraints=None, seed=0):
    """A search of a scenario, or of a built case."""
    if isinstance(scenario_or_case, Scenario):
        problem = problem_of(scenario_or_case, objective)
    else:
        problem = Problem.of(evaluate(scenario_or_case), objective)
    return Search(problem, method, constraints or MoveConstraints(), seed, 0, None)


def remapped(case, slots):
    """The case under another mapping."""
    return replace(case, mapping=Mapping(slots, case.network.slots_per_node))


def oracle_paths(case):
    """Paths between two nodes by the oracle."""
    network, routing = case.scenario.network, case.scenario.routing
    if isinstance(network, Percs):
        indirect = isinstance(routing, PercsIndirect)
        sizes = network.drawers, network.nodes_per_drawer
        count = getattr(routing, "count_middle_hop", True)
        machine = Machine(network.supernodes, network.d_links, indirect, routing.intra == "striped", count, *sizes)
        return lambda u, v: [
            (share, [link for _, link in path]) for share, path in machine.paths(machine.node(u), machine.node(v))
        ]
    lattice = Lattice(network.dims, network.wraps, "dimension-order")
    return lambda u, v: lattice.paths(lattice.node(u), lattice.node(v))


def oracle_figure(case, objective):
    """The objective of a case's mapping: hop-bytes and hops over all phases, contention in each."""
    node, paths = case.mapping.nodes.tolist(), oracle_paths(case)
    phases = [[(node[u], node[v], x) for u, v, x in flows if x > 0 and u != v] for flows in listed(case)]
    if isinstance(objective, HopBytes):
        return sum(figures.hop_bytes(paths, flows) for flows in phases)
    if isinstance(objective, TotalHops):
        return sum(figures.hops(paths, flows) for flows in phases)
    return sum(figures.contention(paths, flows) for flows in phases)


def listed(case):
    """The flows of every phase, between tasks."""
    for phase in case.job.phases:
        yield [flow for _, block in phase.blocks() for flow in zip(*(column.tolist() for column in block), strict=True)]


def true_figure(case, objective):
    """The figure of a case's mapping, recomputed by a full evaluation or by the oracle."""
    if isinstance(objective, Throughput):
        return evaluate(case).time
    return oracle_figure(case, objective)
