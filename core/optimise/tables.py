"""Plain arrays that the kernels of a search read and write."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Tasks
from core.mapping.mapping import Slots
from core.random_numbers import State
from core.routing.flows import FixedPoint, Nodes, Volumes

TIME, HOP_BYTES, HOPS, CONTENTION, SECONDS, JOBS, WORST = range(7)
"""Figures of objectives. Kernels treat `SECONDS` as `TIME` with `Waits`, `JOBS` as `TIME` with more layers, and
`WORST` as `TIME` with layers for each failure.
"""
WAITED = 3
"""Index in `Sums.distance` of the waits of steps other than for links."""
Indices = NDArray[np.int32]
NO_SLOT = -1
"""Fills the rows of units that have fewer slots than others."""


class Layers(NamedTuple):
    """Flows that load links together: the flows of a phase, by volume or as messages. Sorted by layer, then by task."""

    term: FixedPoint
    """(layers,) `TIME` or `CONTENTION`."""
    failure: FixedPoint
    """(layers,) ascending: the failure under which the layer is counted, from 1; 0 for none. The worst time counts."""
    start: FixedPoint
    """(layers, tasks + 1) start of the flows of each task: first outgoing, then incoming ones."""
    first_in: FixedPoint
    """(layers, tasks) start of its incoming flows."""
    other: Tasks
    """The task at the other end of a flow."""
    volume: FixedPoint
    """In fixed point (`core.load.fixed_point`)."""
    pace: Volumes
    """(layers * links,) factor from load to the counted quantity: for `TIME`, link time relative to the start."""
    delay: Volumes
    """(layers * links,) added by other jobs if there is a load, if negative always; of size 0 for none."""


class CommunicationGraph(NamedTuple):
    """All flows between two tasks in both directions, for figures that count hops."""

    start: FixedPoint
    """(tasks + 1,) start of the flows of each task."""
    other: Tasks
    out: Volumes
    """(flows, 2) volume and messages to the other task."""
    into: Volumes
    """(flows, 2) volume and messages from it."""
    table: NDArray[np.float32]
    """(nodes, nodes) hops of a unit; of size 0 if they are summed by route table."""
    squares: NDArray[np.float32]
    """(nodes, nodes) sum over links of the squared share of a unit; of size 0 without contention."""
    symmetric: bool
    """Whether distances are equal in both directions; then `out` holds both, and `into` nothing."""


class Waits(NamedTuple):
    """Waits of steps other than for links, for objective seconds; times are relative to the start."""

    nodes: int
    """Nodes with limited injection, modelled as two more links each, after the network's; 0 for none."""
    fixed: float
    """All pauses, and one latency per step."""
    level: Indices
    """(nodes, nodes) distance as an index into a row of `seconds`; of size 0 without latency."""
    seconds: Volumes
    """(layers, levels) wait of a message by distance, ascending from 0, times the runs of its phase."""
    flows: FixedPoint
    """(layers, levels) number of flows by distance."""


class Moves(NamedTuple):
    """Units that may be exchanged: slots that are exchanged in order."""

    slots: Slots
    """(units, size) in order, then `NO_SLOT`."""
    start: FixedPoint
    """(groups + 1,) start of each group; units are exchanged within groups only, and have equally many slots there."""
    group: Indices
    """(units,)"""
    unit_of: Indices
    """(slots,) the unit of a slot, or -1."""


class ListRows(NamedTuple):
    """Lists of variable length in one array (compressed sparse rows)."""

    start: FixedPoint
    """(lists + 1,) start of each list."""
    item: Indices


class Place(NamedTuple):
    """The current mapping, and the move being evaluated."""

    slot: Slots
    """(tasks,)"""
    node: Nodes
    """(tasks,)"""
    occupant: Tasks
    """(slots,) task in each slot, or `EMPTY`."""
    after: Nodes
    """(tasks,) node to which each task would move, or `STAYS`."""
    moved: Tasks
    """Tasks that would move to another node; as many as counted."""


class Sums(NamedTuple):
    """Terms of the energy; fields named `new` are after the move being evaluated."""

    load: FixedPoint
    """(layers * links,)"""
    power: Volumes
    """(layers,) sums over links of p-th powers, or of squared excesses over the limit."""
    new_power: Volumes
    distance: Volumes
    """(4,) volume times hops, messages times hops, messages times `CommunicationGraph.squares`, waits of steps."""
    new_distance: Volumes
    hottest: Volumes
    """(layers,) the longest link time, relative to the start."""
    hot: FixedPoint
    """(layers,) number of links with that time."""


class Touched(NamedTuple):
    """Pairs of nodes, rows and links that the evaluated move would change; as many as counted."""

    src: Nodes
    dst: Nodes
    volume: FixedPoint
    keys: FixedPoint
    """Hash table of rows; -1 for an empty place."""
    values: FixedPoint
    used: FixedPoint
    """Filled places of the hash table."""
    where: Indices
    """(layers * links,) index of a link in the list, or -1."""
    links: Indices
    change: FixedPoint


class Goal(NamedTuple):
    """The figure that the current round minimises."""

    weights: Volumes
    """(4,) of `TIME`, `HOP_BYTES`, `HOPS`, `CONTENTION`."""
    only: int
    """The only figure with a weight, or -1."""
    doublings: int
    """p = 2^doublings of the p-norm over links that approximates the maximum."""
    limit: float
    """If above 0, replaces the p-norm: the sum of squared relative excesses of link times over it."""


class Walk(NamedTuple):
    """State of a search besides the mapping; indices below."""

    draws: State
    counters: FixedPoint
    figures: Volumes
    best: Slots
    """(tasks,) the best mapping."""
    hot: Indices
    """Tasks with flows on links over the limit; as many as counted."""
    tabu_until: FixedPoint
    """(slots,) by unit: the last step at which it is tabu."""
    changes: Volumes
    """(SAMPLES,) energy changes of the last moves evaluated."""


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
"""`Walk.counters`: steps taken; units of the move; tasks it moves; links it changes; moves made; hot tasks; candidates
evaluated, the best of them, and whether it is made now; hottest links of the best mapping; whether no link is over the
limit; the step at which the round began, and its length; loss of the best mapping (`core.optimise.disconnection`).
"""
FIGURES = 6
ENERGY, HEAT, HOTTEST_HEAT, COLDEST_HEAT, BEST, PICKED_ENERGY = range(FIGURES)
"""`Walk.figures`: energy; temperature now, at the beginning and at the end of the round; figure of the best mapping;
energy of the best candidate.
"""
SAMPLES = 512
"""Moves sampled for the temperatures of a round."""


class Rule(NamedTuple):
    """How moves are drawn and accepted."""

    strict: bool
    """Only moves that lower the energy are accepted (two-opt)."""
    candidates: int
    """Moves evaluated for each move made; 1 if each is accepted or rejected by itself."""
    tenure: int
    """Moves for which a moved unit is tabu, if there are candidates."""
    hot_share: float
    """Fraction of moves that begin with a task whose flows cross links over the limit."""
    near_share: float
    """Fraction of moves that bring a task near a partner."""
    sampling: bool
    """No move is accepted."""


class SearchState(NamedTuple):
    """Everything that a step reads and writes, except routes and distances."""

    links: int
    """Links of a layer: of the network, and of `Waits`."""
    slots_per_node: int
    goal: Goal
    rule: Rule
    moves: Moves
    neighbours: ListRows
    """Each node with its neighbours."""
    partners: ListRows
    """The partners of each task, in the first layer or in all."""
    place: Place
    layers: Layers
    waits: Waits
    sums: Sums
    touched: Touched
    walk: Walk
