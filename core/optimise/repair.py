"""Reduces disconnected volume: tasks leave failed nodes and isolated parts, then annealing over the loss.

Ordinary steps never accept a move that disconnects more (`core.optimise.traced_steps`), so tasks that must leave an
isolated part together would stay. Here only the loss counts, and for a while moves that increase it are accepted too.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from core.load.scenario import Case
from core.mapping.edit import EMPTY
from core.mapping.mapping import Slots
from core.network.adjacency import components
from core.optimise.kernel import discard_move, exchange_units, stage_move
from core.optimise.problem import Problem
from core.optimise.tables import NO_SLOT, Moves, Place

EFFORT, MIN_STEPS, MAX_STEPS = 64, 2_000, 200_000
"""Steps per movable unit, and their minimum and maximum."""
SAMPLES = 64
"""Moves evaluated for the first temperature: the mean of their worsenings."""
COLDEST = 1e-3
"""Last temperature over the first."""
LOOK_AGAIN = 256
"""Steps after which tasks with losses are found again; every other move starts with one of them."""


class Repair:
    """A search for a mapping that disconnects less.

    Parameters
    ----------
    slots
        ``(tasks,)`` the start mapping.
    seed
        Seed of the random draws.
    """

    def __init__(self, problem: Problem, moves: Moves, slots: Slots, seed: int) -> None:
        self._losses, self._moves = problem.losses, moves
        self._spn = problem.case.network.slots_per_node
        self._touched = problem.touched(2 * moves.slots.shape[1])
        self._place = problem.place(slots)
        for pair in _inwards(problem.case, moves, self._place):
            exchange_units(*pair, self._spn, moves, self._place)
        self._now = self.lost = problem.losses.of(self._place.node)
        self._best = self._place.slot.copy()
        self._random, self._hot = np.random.default_rng(seed), np.zeros(0, np.int32)
        self._steps, self._worse = 0, 0.0
        self._length = min(max(EFFORT * len(moves.group), MIN_STEPS), MAX_STEPS)

    @property
    def going(self) -> bool:
        """Return whether something is still disconnected, and steps are left."""
        return bool(self.lost) and self._steps < self._length

    @property
    def slots(self) -> Slots:
        """Return the mapping that disconnects least."""
        return self._best

    def advance(self, steps: int) -> int:
        """Take at most `steps` steps; return the number taken."""
        begun = self._steps
        while self.going and self._steps < begun + steps:
            self._step()
        return self._steps - begun

    def _step(self) -> None:
        if self._steps % LOOK_AGAIN == 0:
            self._hot = self._moves.unit_of[self._place.slot[self._losses.losing(self._place.node)]]
            self._hot = self._hot[self._hot >= 0]
        self._steps += 1
        a, b = self._drawn()
        tasks = stage_move(a, b, self._spn, self._moves, self._place)
        change = self._losses.change(tasks, self._place, self._touched)
        discard_move(tasks, 0, self._place, self._touched)
        if self._taken(change):
            exchange_units(a, b, self._spn, self._moves, self._place)
            self._now += change
            if self._now < self.lost:
                self.lost, self._best = self._now, self._place.slot.copy()

    def _drawn(self) -> tuple[int, int]:
        hot = self._hot.size and self._steps % 2
        a = int(self._random.choice(self._hot) if hot else self._random.integers(len(self._moves.group)))
        group = self._moves.group[a]
        return a, int(self._random.integers(self._moves.start[group], self._moves.start[group + 1]))

    def _taken(self, change: int) -> bool:
        if change <= 0:
            return True
        if self._steps <= SAMPLES:
            self._worse += change / SAMPLES
            return False
        heat = self._worse * COLDEST ** (self._steps / self._length)
        return heat > 0 and bool(self._random.random() < exp(-change / heat))


def _inwards(case: Case, moves: Moves, place: Place) -> list[tuple[int, int]]:
    # Pairs of units, a full one outside the main part and a free one inside, each in one pair at most.
    slots = np.where(moves.slots == NO_SLOT, moves.slots[:, :1], moves.slots)
    inside = _main_part(case, place)[slots // case.network.slots_per_node].all(axis=1)
    full = (place.occupant[slots] != EMPTY).any(axis=1)
    pairs: list[tuple[int, int]] = []
    for group in np.unique(moves.group[full & ~inside]).tolist():
        of_it = moves.group == group
        outside, free = np.flatnonzero(of_it & full & ~inside), np.flatnonzero(of_it & ~full & inside)
        pairs += zip(outside.tolist(), free.tolist(), strict=False)
    return pairs


def _main_part(case: Case, place: Place) -> NDArray[np.bool_]:
    # The strongly connected part with room for most of the job (ties: the part with most tasks).
    network = case.network
    runs = case.gbs > 0
    ends = network.src[runs], network.dst[runs]
    part = components(*ends, network.vertices)
    room = np.minimum(np.bincount(part[: network.nodes]) * network.slots_per_node, case.job.tasks)
    held = np.bincount(part[place.node], minlength=room.size)
    return np.asarray(part[: network.nodes] == np.lexsort((held, room))[-1])
