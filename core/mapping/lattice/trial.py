"""One trial of a search: labels, then places, then both together, for a lattice, a numbering and a target."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.stencil import Stencil
from core.kernels import plain
from core.mapping.lattice.label_kernels import Graph, Labels, anneal_labels, collisions, start_labels
from core.mapping.lattice.numbering import Numbering
from core.mapping.lattice.place_kernels import Links, Loads, Places, anneal_places, largest_loads, start_loads
from core.mapping.lattice.schedule import (
    AT_ONCE,
    BLOCK,
    BLOCKS,
    CARRIED,
    CLOSE,
    FEWEST_BLOCKS,
    FORBIDDEN,
    IGNORED,
    NEAR_ONLY,
    REPEATS,
    TASKS,
    TILE,
    Collisions,
    Heats,
    Phase,
    Schedule,
)
from core.mapping.lattice.sublattice import Sublattice
from core.mapping.lattice.units import Limits, Units
from core.network.linked_groups import LinkedGroups
from core.random_numbers import State, draw
from core.spec import Progress, SharedProgress, subprogress

Ints = NDArray[np.int32]


class Colouring(NamedTuple):
    """Tasks in slots, and their time under direct routing."""

    slots: Ints
    """(tasks,) slot of each task: ``(group * places + place) * room + rank``."""
    time: float


class Symmetry(NamedTuple):
    """A lattice, and a numbering of the groups by its translations."""

    lattice: Sublattice
    numbering: Numbering | None
    """None if no numbering is a symmetry: then the tasks of each group are placed by themselves."""


def graph_of(stencil: Stencil, lattice: Sublattice) -> Graph:
    """Return the edges of one task of each coset; messages of a task to itself are dropped."""
    sides = np.array(stencil.dims)[:, None]
    kept = (stencil.offsets % sides).any(axis=0)
    offsets, weights = stencil.offsets[:, kept], stencil.weights[kept]
    around = lattice.representatives[:, :, None] + offsets[:, None]
    shift, other = lattice.split(around.reshape(len(stencil.dims), -1))
    shape = (lattice.index, weights.size)
    opposite = (offsets[:, :, None] == -offsets[:, None]).all(axis=0).argmax(axis=1)
    return Graph(
        other.reshape(shape).astype(np.int32),
        shift.reshape(shape).astype(np.int32),
        opposite.astype(np.int32),
        weights.astype(np.int32),
        lattice.sums,
        np.ascontiguousarray(lattice.sums[:, lattice.inverse]),
    )


@dataclass(eq=False)
class Trial:
    """The search for a colouring that takes at most a target time, from random labels."""

    stencil: Stencil
    groups: LinkedGroups
    symmetry: Symmetry
    target: float
    state: State
    messages: int = 0
    """After the search: the most messages from a group to another under the labels."""
    energy: float = inf
    """After the search: the energy of the labels, 0 if they fit the target."""

    @cached_property
    def _graph(self) -> Graph:
        return graph_of(self.stencil, self.symmetry.lattice)

    @cached_property
    def _units(self) -> Units:
        return Units.of(self.stencil, self.groups)

    @cached_property
    def _limits(self) -> Limits:
        return self._units.limits(self.target)

    def colouring(self, progress: Progress) -> Colouring | None:
        """Return the colouring, which may take longer than the target, or None if there are no suitable labels.

        Raises Cancelled: when `progress` does.
        """
        labels = self._start()
        if not self._label(labels, subprogress(progress, 0.0, 0.1)):
            return None
        if self.symmetry.numbering is not None:
            return self._place_one_for_all(labels, subprogress(progress, 0.1, 1.0))
        return self._place_each(labels, subprogress(progress, 0.1, 1.0))

    @cached_property
    def _schedule(self) -> Schedule:
        # Blocks in half of the trials, if the box of representatives has several and links carry several edges.
        box = np.diag(self.symmetry.lattice.basis)
        fit = (box % BLOCK == 0).all() and self._collisions in (IGNORED, CARRIED)
        several = self.symmetry.lattice.index >= BLOCK**box.size * FEWEST_BLOCKS
        return BLOCKS if fit and several and plain(draw)(self.state, 2) else TASKS

    @cached_property
    def _block(self) -> Ints:
        # (blocks, tasks) tasks that get their labels together, tile by tile.
        box, tasks = np.diag(self.symmetry.lattice.basis), self.symmetry.lattice.index
        if self._schedule is TASKS:
            return np.arange(tasks, dtype=np.int32)[:, None]
        at = self.symmetry.lattice.representatives
        block, inside = np.ravel_multi_index(tuple(at // BLOCK), tuple(box // BLOCK)), at % BLOCK
        order = np.lexsort((*(inside % TILE)[::-1], *(inside // TILE)[::-1], block))
        return order.reshape(-1, BLOCK**box.size).astype(np.int32)

    def _start(self) -> Labels:
        order, tasks = self.symmetry.lattice.order, self.symmetry.lattice.index
        label = np.empty(tasks, np.int32)
        label[self._block] = [[plain(draw)(self.state, order)] for _ in self._block]
        labels = Labels(label, np.zeros_like(self._graph.other), np.zeros(order, np.int32))
        start_labels(self._graph, labels)
        return labels

    def _label(self, labels: Labels, progress: Progress) -> bool:
        # Whether no group gets too many messages, and few tasks send several by one gate.
        gate, limit, pairs, phase = self._gate, self._limits.between, self._collisions, self._schedule.labels
        energy = pairs.energy if self._schedule is TASKS else 0.0
        for heats, part in _cooling(phase.heats, phase.steps * labels.label.size, 10 * AT_ONCE, progress):
            args = (gate, energy, limit, heats, part, self.state, labels)
            self.energy = anneal_labels(self._graph, self._block, *args)
            if self.energy <= 0:
                break
        self.messages = int(labels.messages.max())
        return self.messages <= limit and (not energy or collisions(labels.to, gate) <= pairs.most)

    @cached_property
    def _collisions(self) -> Collisions:
        carried = self._limits.far // self._units.leg
        if self.symmetry.numbering is None or carried >= self._graph.weight.sum():
            return IGNORED
        if carried >= 2 * self._graph.weight.max():
            return CARRIED
        drawers = self._links(0).gates // self.groups.drawer
        return NEAR_ONLY if (drawers == drawers[:, :1]).all() else FORBIDDEN

    @property
    def _gate(self) -> Ints:
        # Equal for translations reached by the same gates, here their first.
        return np.ascontiguousarray(self._links(0).gates[:, 0])

    def _links(self, group: int) -> Links:
        # The links of the group at a translation.
        lattice, numbering = self.symmetry.lattice, self.symmetry.numbering
        number = np.arange(lattice.order) if numbering is None else numbering.number
        gates = self.groups.gates[number[group], number[lattice.sums[group]]].astype(np.int32)
        units = self._units
        return Links(gates, units.leg, units.hop, units.stripe, self.groups.drawer, *self._limits)

    def _places(self) -> Places:
        slot, task = np.empty(self.symmetry.lattice.index, np.int32), np.full(self.groups.slots, -1, np.int32)
        task[: slot.size] = self._block.ravel()
        slot[self._block.ravel()] = np.arange(slot.size)
        return Places(slot, task)

    def _loads(self) -> Loads:
        places = self.groups.places
        sizes = (places, places), (places // self.groups.drawer, places), places
        flow, passed, spread = (np.zeros(size, np.int32) for size in sizes)
        return Loads(flow, passed, spread)

    def _anneal(self, links: Links, phase: Phase, labels: Labels, at: Places, progress: Progress) -> Limits:
        # The largest loads afterwards.
        loads, room = self._loads(), self.groups.room
        start_loads(room, self._graph, labels.to, links, at, loads)
        for cooled, part in _cooling(phase.heats, phase.steps * at.slot.size, AT_ONCE, progress):
            args = (phase.by_place, phase.relabelled, cooled, part, self.state, labels, at, loads)
            if anneal_places(room, self._graph, links, *args) <= 0:
                break
        largest = np.zeros(2, np.int64)
        largest_loads(links, loads, largest)
        return Limits(int(largest[0]), int(largest[1]), int(labels.messages.max()))

    def _place_one_for_all(self, labels: Labels, progress: Progress) -> Colouring:
        links, at = self._links(0), self._places()
        shared = SharedProgress(progress)
        loads = self._anneal(links, self._schedule.places, labels, at, shared.part(0.3))
        for repeat in range(REPEATS):
            close = self._units.time(loads) <= CLOSE * self.target
            if not self._exceeded(loads) or (repeat and not close):
                break
            loads = self._anneal(links, self._schedule.joint, labels, at, shared.part(0.5))
        numbering = self.symmetry.numbering
        assert numbering is not None
        group, task = self._groups(labels)
        place, rank = np.divmod(at.slot[task], self.groups.room)
        place = numbering.moved[group, place]
        slots = (numbering.number[group] * self.groups.places + place) * self.groups.room + rank
        return Colouring(slots.astype(np.int32), self._units.time(loads))

    def _place_each(self, labels: Labels, progress: Progress) -> Colouring:
        order = self.symmetry.lattice.order
        at, slots, time = self._places(), np.empty((order, labels.label.size), np.int64), 0.0
        for group in range(order):
            part = subprogress(progress, group, group + 1, order)
            loads = self._anneal(self._links(group), self._schedule.places, labels, at, part)
            slots[group], time = group * self.groups.slots + at.slot, max(time, self._units.time(loads))
        group_of, task = self._groups(labels)
        return Colouring(slots[group_of, task].astype(np.int32), time)

    def _groups(self, labels: Labels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # The translation of each task's group, and the task of group 0 that stands for it.
        lattice, dims = self.symmetry.lattice, self.stencil.dims
        moved, task = lattice.split(np.indices(dims).reshape(len(dims), -1))
        return lattice.sums[moved, labels.label[task]].astype(np.int64), task

    def _exceeded(self, loads: Limits) -> bool:
        return any(load > limit for load, limit in zip(loads, self._limits, strict=True))


def _cooling(heats: Heats, steps: int, at_once: int, progress: Progress) -> Iterator[tuple[Heats, int]]:
    # Parts of an annealing: their first and last temperatures, and their steps.
    first, ratio = heats[0], heats[1] / heats[0]
    for begin in range(0, steps, at_once):
        progress(begin / steps)
        end = min(begin + at_once, steps)
        yield (first * ratio ** (begin / steps), first * ratio ** (end / steps)), end - begin
