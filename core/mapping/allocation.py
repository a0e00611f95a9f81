"""The nodes of a job: the nodes that its scheduler allocated, without nodes that are down."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from core.hostlist import short
from core.network.hosts import hosts_expanded
from core.network.network import Ints, Level, Network
from core.spec import SpecError, declare

MAX_TEXT = 1 << 20
NODES = "host names such as n[0001-0040,0050], or numbers such as 0-39,49"
NO_NODE_LEFT = "leaves no node for the job; leave at least one"
NodeList = Annotated[str, declare("Nodes", NODES, max_length=MAX_TEXT)]
_NUMBERS = re.compile(r"[\d\s,-]+")
_BETWEEN = re.compile(r"[\s,]+")
_ITEM = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")


@dataclass(frozen=True, eq=False)
class Allocation:
    """Nodes of a network, in the order in which strategies fill them."""

    network: Network
    nodes: Ints
    """(n,) distinct."""
    others: tuple[tuple[str, Ints], ...] = ()
    """The nodes of background jobs, by their names."""

    @classmethod
    def of(cls, network: Network, allocated: str, down: Sequence[str]) -> "Allocation | None":
        """Return the allocated nodes (all if `allocated` is empty) without nodes that are down, or None for all nodes.

        Raises SpecError: naming an unknown or repeated node, or if no node is left.
        """
        if not allocated and not down:
            return None
        if network.aggregation > 1:
            field = "allocation" if allocated else "down"
            words = f"does not support aggregated networks, such as this one with {network.real_nodes:,} nodes"
            raise SpecError(field, f"{words}; omit it, or choose a smaller network")
        nodes = nodes_named("allocation", allocated, network) if allocated else np.arange(network.nodes, dtype=np.int32)
        broken = [nodes_named(f"down[{k}]", text, network) for k, text in enumerate(down)]
        nodes = nodes[~np.isin(nodes, np.concatenate(broken))] if broken else nodes
        if not nodes.size:
            raise SpecError("down" if down else "allocation", NO_NODE_LEFT)
        return cls(network, nodes)

    @property
    def slots(self) -> int:
        """Return the number of slots."""
        return self.nodes.size * self.network.slots_per_node

    @cached_property
    def is_open(self) -> NDArray[np.bool_]:
        """Return which slots of the network belong to the job, shape ``(network.slots,)``."""
        node = np.zeros(self.network.nodes, np.bool_)
        node[self.nodes] = True
        return np.repeat(node, self.network.slots_per_node)

    @cached_property
    def machine(self) -> Network:
        """Return the network as seen by the job, in which only these nodes host tasks and all others just forward.

        It keeps the levels whose groups have equal numbers of these nodes.
        """
        network, count = self.network, self.nodes.size
        others = np.setdiff1d(np.arange(network.vertices, dtype=np.int32), self.nodes)
        number = np.empty(network.vertices, np.int32)
        number[np.concatenate([self.nodes, others])] = np.arange(network.vertices, dtype=np.int32)
        old = np.concatenate([self.nodes, others])
        levels = [_left(level, self.nodes) for level in network.levels]
        host = network.host_slots.host_of[self.nodes]
        first = np.flatnonzero(np.diff(host, prepend=-1))
        return replace(
            network,
            nodes=count,
            nics=None if network.nics is None else np.diff(np.append(first, count)).astype(np.int32),
            src=number[network.src],
            dst=number[network.dst],
            levels=tuple(level for level in levels if level is not None),
            hosts=tuple(network.hosts[place] for place in host[first].tolist()) if network.hosts else (),
            label=lambda vertex: network.label(int(old[vertex])),
            cuts=(),
            switch_group=None,
            symmetry=None,
            find_alike=None,
            find_counts=None,
        )

    def slots_of(self, slots: Ints) -> Ints:
        """Convert slots of `machine` to slots of the network."""
        node, core = np.divmod(slots, np.int32(self.network.slots_per_node))
        return (self.nodes[node] * np.int32(self.network.slots_per_node) + core).astype(np.int32)

    def in_order(self, slots: Ints) -> Ints:
        """Map distinct slots of the network to as many of the job's slots, on its first nodes, keeping the order.

        Slots that already belong to the job are kept.
        """
        if self.is_open[slots].all():
            return slots
        moved = np.empty_like(slots)
        moved[np.argsort(slots)] = np.sort(self.slots_of(np.arange(slots.size, dtype=np.int32)))
        return moved

    def most_in(self, name: str, nodes: int) -> int:
        """Return the largest number of the job's nodes in a group of the level; without the level, all its nodes."""
        for level in self.network.levels:
            if (level.name, level.nodes_per_group) == (name, nodes):
                return int(np.bincount(level.group[self.nodes]).max())
        return self.nodes.size

    def kept_within(self, slots: Ints) -> Ints:
        """Return slots of the job for tasks in these slots: tasks on its nodes stay, others get free slots.

        If there are too few free slots, the last tasks keep their slots.
        """
        kept, stays = slots.copy(), self.is_open[slots]
        free = self.slots_of(np.arange(self.slots, dtype=np.int32))
        free = free[~np.isin(free, slots[stays])]
        moving = np.flatnonzero(~stays)[: free.size]
        kept[moving] = free[: moving.size]
        return kept

    def check(self, slots: Ints) -> None:
        """Check that slots are on the job's nodes.

        Raises SpecError: naming the first task on another node, and that node.
        """
        outside = ~self.is_open[slots]
        if outside.any():
            task = int(outside.argmax())
            node = int(slots[task]) // self.network.slots_per_node
            whose = next((f"{job}'s" for job, nodes in self.others if node in nodes), "")
            why = whose or "not allocated to this job, or is down"
            raise SpecError("mapping", f"task {task:,} is on {self.network.node_names[node]}, which is {why}")


def filled_nodes(tasks: int, network: Network, allocation: Allocation | None) -> Allocation | None:
    """Return the nodes that strategies fill: the job's nodes in one connected component, if its tasks fit there.

    This is the component with most of the job's nodes. If it is too small, or the only one: all nodes of the job.
    """
    if network.connected:
        return allocation
    nodes = np.arange(network.nodes, dtype=np.int32) if allocation is None else allocation.nodes
    component = network.components[nodes]
    inside = nodes[component == np.bincount(component).argmax()]
    if inside.size == nodes.size or inside.size * network.slots_per_node < tasks:
        return allocation
    return Allocation(network, inside)


def same_nodes(a: Allocation | None, b: Allocation | None) -> bool:
    """Return whether two allocations, None for all nodes, have the same nodes in the same order."""
    return a is b or (a is not None and b is not None and np.array_equal(a.nodes, b.nodes))


def nodes_named(field: str, text: str, network: Network) -> Ints:
    """Return the nodes of the hosts in an expression, in order: ``n[0001-0040,0050]``, or by number ``0-39,49``.

    Raises SpecError: under `field`, naming an unknown or repeated host.
    """
    # If hosts are called 001, 002 and so on, such texts are names, not numbers of hosts.
    numbers = _NUMBERS.fullmatch(text) and not network.host_names[0].isdigit()
    hosts = (_by_number if numbers else _by_name)(field, text, network)
    if not hosts.size:
        raise SpecError(field, f"has no nodes; write them as {_example(network)}")
    count = np.bincount(hosts)
    if count.max() > 1:
        raise SpecError(field, f"{network.host_names[int(count.argmax())]} occurs twice; list each node once")
    return network.host_slots.nodes_of(hosts)


def _by_number(field: str, text: str, network: Network) -> Ints:
    ranges, count = [], network.host_slots.count
    for item in filter(None, _BETWEEN.split(text)):
        ends = _ITEM.fullmatch(item)
        if ends is None:
            raise SpecError(field, f"{short(item)!r} is not a range of numbers; write ranges as 0-39,49")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if not first <= last < count:
            what = network.host_word
            wrong = f"{item} runs backwards" if first > last else f"no {what} {last:,}"
            raise SpecError(field, f"{wrong}; the network's {what}s are 0 to {count - 1:,}")
        ranges.append(np.arange(first, last + 1, dtype=np.int32))
    return np.concatenate(ranges or [np.zeros(0, np.int32)])


def _by_name(field: str, text: str, network: Network) -> Ints:
    names = hosts_expanded(field, text)
    hosts = [network.host_named(name) for name in names]
    if None in hosts:
        wrong, what = short(names[hosts.index(None)]), network.host_word
        raise SpecError(field, f"{wrong} is not a {what} of this network; its {what}s are {_example(network)}")
    return np.array(hosts, np.int32)


def _example(network: Network) -> str:
    names = network.host_names
    return f"{names[0]} to {names[-1]}, by number 0 to {len(names) - 1:,}"


def _left(level: Level, nodes: Ints) -> Level | None:
    # A level restricted to some nodes, or None if its groups then differ in size.
    groups, group = np.unique(level.group[nodes], return_inverse=True)
    if np.ptp(np.bincount(group)):
        return None
    names = tuple(level.names[group] for group in groups.tolist()) if level.names else ()
    return Level(level.name, group.astype(np.int32), groups.size, names)
