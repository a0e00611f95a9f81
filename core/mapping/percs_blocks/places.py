"""Careful placement of node tiles on the nodes of a PERCS supernode, to balance its LL- and LR-links.

A tile is the rectangle of tasks of one node. Its traffic with another supernode b passes the gates towards b, nodes
``s(j, b) = j W + (b mod W)`` (core/network/families/percs.py). The links it loads depend only on the tile's node, so
every supernode is a separate small problem: 32 tiles on 32 nodes, with the exact loads of 32 x 31 links.

Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012, leave this open (section 4.3): with the
tiles in order, their mod-colouring is limited by LR links.

Tiles exchange halo data: a quarter unit in each direction per edge of the task grid between them. Routing inside the
supernode is assumed to be striped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.mapping.percs_blocks.colouring_kernel import Ints
from core.mapping.percs_blocks.places_kernel import DRAWER, NODES, Real, Tables, anneal_tiles
from core.network.families.percs import Percs
from core.random_numbers import State
from core.spec import Progress

SHARE = 0.25
"""Units across an edge of the task grid, in each direction."""
SHORT, LONG = 2_500, 20_000
"""Swaps per attempt, with chunks kept together (few drawers to choose from) and without."""
ALL_STEPS = 4_000_000
"""Swaps per attempt over all supernodes; fewer per supernode if there are many."""
PATIENCE = 400_000
"""Swaps at the worst supernode after which it is considered optimal."""
SAMPLE = 8
"""Supernodes sampled to compare colourings."""
Routes = Literal["direct", "indirect"]


@dataclass(frozen=True, eq=False)
class Tiling:
    """The node tiles of a task grid with wrap-around, divided among supernodes."""

    supernode: Ints
    """(tiles,) supernode of each tile."""
    place: Ints
    """(tiles,) number of the tile in its supernode, from 0, at most 31."""
    neighbours: Ints
    """(tiles, 4) tile north, east, south and west."""
    edges: Ints
    """(4,) task edges to the north, east, south and west."""

    def relabelled(self, label: Ints) -> "Tiling":
        """Return the tiling with other numbers of the supernodes."""
        return Tiling(label[self.supernode], self.place, self.neighbours, self.edges)

    def sides(self) -> Iterator[tuple[Ints, NDArray[np.bool_], float]]:
        """Yield for each side the neighbouring tiles, whether each is in another supernode, and the units exchanged."""
        for neighbour, edges in zip(self.neighbours.T, self.edges, strict=True):
            yield neighbour, self.supernode != self.supernode[neighbour], float(edges) * SHARE

    def between(self, supernodes: int) -> Real:
        """Return the units sent from supernode to supernode, shape ``(supernodes, supernodes)``."""
        sent = np.zeros((supernodes, supernodes))
        for neighbour, is_far, units in self.sides():
            np.add.at(sent, (self.supernode[is_far], self.supernode[neighbour[is_far]]), units)
        return sent


class TileSearch:
    """The search for the nodes of all tiles, one supernode after the other.

    Parameters
    ----------
    chunk
        Number of consecutive tiles that are best kept in one drawer.
    """

    def __init__(self, tiling: Tiling, percs: Percs, routes: Routes, chunk: int, state: State) -> None:
        between = tiling.between(percs.supernodes)
        self.tiling, self._chunk, self._state = tiling, chunk, state
        self.goal = d_time(between, percs, routes)
        """Time of the D-links; faster L-links gain nothing."""
        self._problems, self._which = _distinct(_problems(tiling, percs, routes, between))
        self._steps = min(SHORT if chunk < DRAWER else LONG, ALL_STEPS // len(self._problems))
        self._seats = [np.arange(NODES) for _ in self._problems]
        self._times = np.full(len(self._problems), np.inf)

    @property
    def time(self) -> float:
        """Return the time of the busiest link for one unit, so far."""
        return max(self.goal, float(self._times.max()))

    @property
    def nodes(self) -> Ints:
        """Return the node of each tile, shape ``(tiles,)``."""
        node_of = np.argsort(np.array(self._seats), axis=1)
        supernode = self.tiling.supernode
        return supernode * NODES + node_of[self._which[supernode], self.tiling.place]

    def promise(self, attempts: int) -> float:
        """Return the mean of the shortest times at some of the supernodes after `attempts` further attempts at each."""
        some = np.unique(np.linspace(0, len(self._problems) - 1, SAMPLE).astype(np.int64))
        for supernode in some.tolist() * attempts:
            if self._times[supernode] > self.goal:
                self._attempt(supernode, self.goal)
        return float(self._times[some].mean())

    def run(self, beat: float, progress: Progress) -> None:
        """Improve the worst supernode until none takes longer than the D-links, or until it stops improving.

        Stop as soon as a supernode cannot get below `beat`.

        Raises Cancelled: when `progress` does.
        """
        failures, limit, done = 0, PATIENCE // self._steps, 0.0
        while self.time > self.goal and failures < limit:
            done = max(done, failures / limit)
            progress(done)
            tried = np.isfinite(self._times)
            beaten = np.flatnonzero(tried & (self._times >= beat))
            # First supernodes that decide against the colouring, then untried supernodes, then the worst.
            worst = int(beaten[0]) if beaten.size else int(self._times.argmax())
            is_first = not tried[worst] and tried.any()
            aim = float(self._times[tried].max()) if is_first else self.goal
            failures = 0 if self._attempt(worst, max(aim, self.goal)) else failures + 1

    def _attempt(self, supernode: int, aim: float) -> bool:
        seat = np.arange(NODES)
        reached = anneal_tiles(self._problems[supernode], self._chunk, aim, self._steps, self._state, seat)
        is_better = reached < self._times[supernode]
        if is_better:
            self._seats[supernode], self._times[supernode] = seat, reached
        return bool(is_better)


def d_time(between: Real, percs: Percs, routes: Routes) -> float:
    """Return the time that the busiest D-link takes for one unit."""
    if routes == "direct":
        return float(between.max()) / percs.d_links / percs.d_gbs
    ends = between.sum(axis=1)[:, None] + between.sum(axis=0)
    return float(ends.max()) / (percs.supernodes * percs.d_links) / percs.d_gbs


def paces(percs: Percs) -> Real:
    """Return the time per unit on each link of a supernode, shape ``(32, 32)``, 0 on the diagonal."""
    drawer = np.arange(NODES) // DRAWER
    pace = np.asarray(np.where(drawer[:, None] == drawer, 1 / percs.ll_gbs, 1 / percs.lr_gbs), np.float64)
    np.fill_diagonal(pace, 0)
    return pace


def _middle_hop(between: Real, percs: Percs) -> Real:
    """Return the load of indirect routing's middle hop between the gates of a bucket, shape ``(W, W)``."""
    residue = np.arange(percs.supernodes) % percs.bucket
    load = np.zeros((percs.bucket, percs.bucket))
    np.add.at(load, (residue[:, None], residue), between / (percs.supernodes * percs.d_links))
    return load


def _problems(tiling: Tiling, percs: Percs, routes: Routes, between: Real) -> list[Tables]:
    ns, w, nd = percs.supernodes, percs.bucket, percs.d_links
    supernode, place = tiling.supernode, tiling.place
    out, inside = np.zeros((ns, NODES, w)), np.zeros((ns, NODES))
    near, flow = np.full((ns, NODES, 4), -1), np.zeros((ns, NODES, 4))
    for k, (neighbour, is_far, units) in enumerate(tiling.sides()):
        np.add.at(out, (supernode[is_far], place[is_far], supernode[neighbour[is_far]] % w), units)
        is_near = ~is_far & (neighbour != np.arange(supernode.size))
        at = (supernode[is_near], place[is_near])
        inside[at] += units / DRAWER
        near[(*at, k)], flow[(*at, k)] = place[neighbour[is_near]], units / DRAWER
    anyway: Real = np.zeros((NODES, NODES))
    if routes == "direct":
        gates = np.tile(out, (1, 1, nd)) / nd
    else:
        served = np.bincount(np.arange(ns) % w, minlength=w)
        gates = out.sum(axis=2)[:, :, None] * np.tile(served, nd) / (ns * nd)
        anyway = np.asarray(np.kron(np.eye(nd), _middle_hop(between, percs)), np.float64)
    pace = paces(percs)
    return [(gates[a], inside[a], near[a], flow[a], anyway, pace) for a in range(ns)]


def _distinct(problems: list[Tables]) -> tuple[list[Tables], Ints]:
    # Identical supernodes are solved once: under indirect routing often all are identical.
    keys = [b"".join(table.tobytes() for table in problem[:4]) for problem in problems]
    number = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    first = dict(zip(keys[::-1], problems[::-1], strict=True))
    return [first[key] for key in number], np.array([number[key] for key in keys])
