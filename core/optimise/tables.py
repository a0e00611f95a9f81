"""What the kernels of a search read and write, as plain arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.draws import State
from core.job.job import Tasks
from core.mapping.mapping import Slots
from core.routing.flows import FixedPoint, Nodes, Volumes

TIME, HOP_BYTES, HOPS, CONTENTION, SECONDS, JOBS = range(6)
"""What an objective may be made of. To kernels `SECONDS` is `TIME` with `Waits`, and `JOBS` `TIME` of more layers."""
WAITED = 3
"""Where `Sums.distance` has what steps wait for beside links."""
Indices = NDArray[np.int32]


class Layers(NamedTuple):
    """Flows that load links together: those of a phase by volume, or as messages. By task, layer after layer."""

    term: FixedPoint
    """(layers,) `TIME` or `CONTENTION`."""
    start: FixedPoint
    """(layers, tasks + 1) where the flows of each task begin: those that leave it, then those that reach it."""
    turn: FixedPoint
    """(layers, tasks) where those that reach it begin."""
    other: Tasks
    """The task at the other end of a flow."""
    volume: FixedPoint
    """In whole numbers (`core.load.fixed_point`)."""
    pace: Volumes
    """(layers * links,) a load times it is what counts: for `TIME` the link's time over that of the start."""
    lift: Volumes
    """(layers * links,) what others add to it where there is a load, if negative everywhere; of size 0: nothing."""


class CommunicationGraph(NamedTuple):
    """All flows between two tasks, whichever way they go, for terms that count hops."""

    start: FixedPoint
    """(tasks + 1,) where the flows of each task begin."""
    other: Tasks
    out: Volumes
    """(flows, 2) volume and messages to the other task."""
    into: Volumes
    """(flows, 2) volume and messages from it."""
    table: NDArray[np.float32]
    """(nodes, nodes) hops of a unit; of size 0 where they are summed table by table."""
    squares: NDArray[np.float32]
    """(nodes, nodes) sum over links of the square of a unit's share there; of size 0 without contention."""
    symmetric: bool
    """Whether all routes are as long as back: then `out` holds both ways, and `into` nothing."""


class Waits(NamedTuple):
    """What steps wait for beside links, where seconds are searched; times are parts of that of the start."""

    nodes: int
    """Nodes, each of which sends over a link of its own, and receives over another, behind the network's; 0: none."""
    fixed: float
    """All pauses, and a latency for each step."""
    level: Indices
    """(nodes, nodes) how far it is, as a place in a row of `seconds`; of size 0: that takes no time."""
    seconds: Volumes
    """(layers, levels) what a message waits for its hops, ascending from 0, as often as its phase is run."""
    flows: FixedPoint
    """(layers, levels) how many are so far from their destination."""


class Moves(NamedTuple):
    """Units that may change places: equal numbers of slots, in the order in which they are exchanged."""

    slots: Slots
    """(units, size)"""
    start: FixedPoint
    """(groups + 1,) units change places within a group only; where each group begins."""
    group: Indices
    """(units,)"""
    unit_of: Indices
    """(slots,) the unit of a slot, or -1."""


class Lists(NamedTuple):
    """Items of each of many, one list behind the other."""

    start: FixedPoint
    """(many + 1,) where each list begins."""
    item: Indices


class Place(NamedTuple):
    """Where everything is."""

    slot: Slots
    """(tasks,)"""
    node: Nodes
    """(tasks,)"""
    occupant: Tasks
    """(slots,) or `EMPTY`."""
    after: Nodes
    """(tasks,) the node a task is about to go to, or `STAYS`."""
    moved: Tasks
    """Tasks about to go to another node, as many as counted."""


class Sums(NamedTuple):
    """What the energy is worked out from; `new` is what it would be after the move looked at."""

    load: FixedPoint
    """(layers * links,)"""
    power: Volumes
    """(layers,) sums over links of what counts, to the p-th power, or of what is too much of it, squared."""
    new_power: Volumes
    distance: Volumes
    """(4,) volume times hops, messages times hops, messages times `CommunicationGraph.squares`, what steps wait."""
    new_distance: Volumes
    hottest: Volumes
    """(layers,) the longest time of a link, as a part of that of the start."""
    hot: FixedPoint
    """(layers,) links that take as long."""


class Touched(NamedTuple):
    """Pairs of nodes, rows and links that the move looked at would change: lists, filled as far as counted."""

    src: Nodes
    dst: Nodes
    volume: FixedPoint
    keys: FixedPoint
    """Hash table of rows, or -1."""
    values: FixedPoint
    used: FixedPoint
    """Places of the hash table that are filled."""
    where: Indices
    """(layers * links,) place of a link in the list, or -1."""
    links: Indices
    change: FixedPoint


class Goal(NamedTuple):
    """What is to become small, as it is searched."""

    weights: Volumes
    """(4,) of `TIME`, `HOP_BYTES`, `HOPS`, `CONTENTION`."""
    only: int
    """The only one with a weight, or -1."""
    doublings: int
    """p = 2^doublings of the p-norm over links that stands for the hottest one."""
    limit: float
    """If above 0, instead of the p-norm: the sum of the squares by which links' times pass it, relative to it."""


class Walk(NamedTuple):
    """Where a search stands, beside the mapping; indices below."""

    draws: State
    whole: FixedPoint
    real: Volumes
    best: Slots
    """(tasks,) the best mapping."""
    hot: Indices
    """Tasks whose flows cross links over the limit, as many as counted."""
    still: FixedPoint
    """(slots,) by unit: the step up to which it is tabu."""
    changes: Volumes
    """(SAMPLES,) by step: how much the last moves looked at would change the energy."""


COUNTERS = 16
(
    STEP,
    FIRST,
    SECOND,
    TASKS,
    LINKS,
    TAKEN,
    HOT,
    LOOKED,
    PICKED,
    PARTNER,
    FORCED,
    BEST_COUNT,
    HALTED,
    ROUND_START,
    ROUND_STEPS,
    LOST,
) = range(COUNTERS)
"""`Walk.whole`: steps done; units looked at; tasks they move; links they change; moves made; hot
tasks; candidates looked at, the best of them, and whether it is to be made now; hottest links of the best mapping;
whether nothing passes the limit any more; when the round began, and how many steps it has; what is cut under the best
mapping (`core.optimise.losses`)."""
FIGURES = 6
ENERGY, HEAT, HOTTEST_HEAT, COLDEST_HEAT, BEST, PICKED_ENERGY = range(FIGURES)
"""`Walk.real`: energy now; temperature now, at the round's beginning and at its end; figure of the best mapping; energy
of the best candidate."""
SAMPLES = 512
"""Moves looked at to find the temperatures of a round."""


class Rule(NamedTuple):
    """How moves are drawn and taken."""

    strict: bool
    """Only what makes the energy fall is taken (two-opt)."""
    candidates: int
    """Moves looked at for each that is made; 1: each is taken or not by itself."""
    tenure: int
    """Moves for which a unit that moved stays, where there are candidates."""
    hot_share: float
    """Part of the moves that begin with a task whose flows are over the limit."""
    near_share: float
    """Part of the moves that bring a task near one it talks to."""
    sampling: bool
    """Nothing is taken."""


class SearchState(NamedTuple):
    """All that a step of a search reads and writes, but for routes and distances."""

    links: int
    """Of a layer: the network's, and those of `Waits`."""
    slots_per_node: int
    goal: Goal
    rule: Rule
    moves: Moves
    neighbours: Lists
    """The nodes next to each node, itself among them."""
    partners: Lists
    """The tasks that each task talks to, in the first layer or in all."""
    place: Place
    layers: Layers
    waits: Waits
    sums: Sums
    touched: Touched
    walk: Walk
