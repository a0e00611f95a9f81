"""Plain arrays that the kernels of a search for routes read and write."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.random_numbers import State
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.tables.kernel import Hops

NO_LAYER = -1
Ports = NDArray[np.uint8]
"""(rows, switches) port by which each switch forwards to the LID of a row."""


class Adjacent(NamedTuple):
    """The usable links at switches, switch by switch."""

    start: NDArray[np.int64]
    """(switches + 1,)"""
    link: Nodes
    port: Nodes
    """Port of the switch on each link."""


class MinimalPaths(NamedTuple):
    """The minimal paths to every LID over usable links."""

    hops: Hops
    """(rows, switches) links from a switch to the NIC with the LID of a row, or `NO_PATH`."""
    last: Nodes
    """(rows,) link to the NIC with the LID, or `NO_LINK` if it has failed."""
    out: Adjacent
    """Links from each switch."""
    into: Adjacent
    """Links to each switch from other switches; their ports are of the other switch."""
    src: Nodes
    """(links,) tail of each link."""
    head: Nodes
    """(links,) head of each link."""
    nodes: int


class Traffic(NamedTuple):
    """Volumes in fixed point, in layers: the runs of the job's phases, then all background jobs together, if any."""

    entering: FixedPoint
    """(rows, switches, layers) volume that enters each switch from NICs, by destination LID."""
    fixed: FixedPoint
    """(links, layers) loads that no table changes: of links from NICs."""
    others: int
    """The layer of the background jobs, or `NO_LAYER`."""
    share: Volumes
    """(runs,) fraction of the background load in each run: see `core.load.neighbours`."""
    times: Volumes
    """(runs,) how often each run is repeated."""
    pace: Volumes
    """(links,) seconds per unit of load; 0 for failed links."""


class Goal(NamedTuple):
    """The energy that a round minimises: a p-norm of link times, or the sum of squared excesses over limits."""

    limited: bool
    doublings: int
    """p = 2^doublings."""
    unit: Volumes
    """(runs,) time that is 1 in the p-norm, or the limit."""
    weight: Volumes
    """(runs,) weight of each run in the energy."""


class RouteSums(NamedTuple):
    """The current tables, and what follows from them."""

    ports: Ports
    through: FixedPoint
    """(rows, switches, layers) volume that each switch forwards, by destination LID."""
    load: FixedPoint
    """(links, layers)"""
    power: Volumes
    """(runs,) sum of the terms of all links."""
    hottest: Volumes
    """(runs,) the longest link time, in seconds."""
    hot: FixedPoint
    """(runs,) number of links with that time."""
    change: Volumes
    """(runs,) change of `power` by the evaluated move."""


class RouteWalk(NamedTuple):
    """State of a search besides the current tables; indices below."""

    draws: State
    counters: FixedPoint
    figures: Volumes
    best: Ports
    inner: Nodes
    """Links between switches that carry anything or may do so."""


COUNTERS = 3
STEP, ROUND_STEP, ROUND_STEPS = range(COUNTERS)
"""`RouteWalk.counters`: moves evaluated, moves of the round, and the length of the round."""
FIGURES = 3
HOTTEST_HEAT, COLDEST_HEAT, BEST = range(FIGURES)
"""`RouteWalk.figures`: temperatures at the beginning and at the end of the round; the time of the best tables."""
