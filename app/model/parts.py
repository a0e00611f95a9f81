"""Parts of a machine by their names in the window."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.model.pointing import Item, flow_item, tasks_of_flow, vertex_item
from app.wording.names import flow_name, pair_name
from core.files.atomic import shown
from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.mapping.targets import Target
from core.network.link_ends import end_named, links_at
from core.network.network import Network
from core.spec import SpecError

ARROWS = re.compile(r"→|↔|<->|->")
TASK = re.compile(r"task (\d{1,9})")
FLOW = re.compile(r"task (\d{1,9}) ?(?:→|->) ?(?:task )?(\d{1,9})")
NO_LINKS = np.zeros(0, np.intp)
HOTTEST = "hottest link"
"""The name that stands for the hottest link."""


@dataclass(frozen=True, eq=False)
class MachinePart:
    """A part of a machine that a picture can focus on."""

    name: str
    """Its name in the window."""
    vertices: NDArray[np.intp]
    """Nodes and switches that the picture must contain."""
    item: Item | None
    """The item to highlight; None for a group of an inner level."""


def part_named(text: str, network: Network, field: str = "focus") -> MachinePart:
    """Return the part with a given name: a node, switch, link, bundle, or group of any level.

    Case and the dots between numbers are ignored; ``->`` is read as an arrow.

    Raises SpecError: under `field`, with valid names.
    """
    left, *right = ARROWS.split(_plain(text))
    names = _Names(network)
    part = names.pair(left.strip(), right[0].strip()) if len(right) == 1 else None if right else names.single(left)
    if part is None:
        raise SpecError(field, f"no part named {shown(text)!r}; examples: {', '.join(_examples(network))}")
    return part


def _plain(text: str) -> str:
    # Dots and repeated blanks are hard to type.
    return " ".join(text.replace("·", " ").lower().split())


class _Names:
    """Finds parts of one network by simplified names."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._vertices = {_plain(network.label(vertex)): vertex for vertex in reversed(range(network.vertices))}

    def single(self, text: str) -> MachinePart | None:
        network = self._network
        group = self._group(text)
        if group is not None:
            standing = np.flatnonzero(network.group_of == group)
            return MachinePart(network.group_name(group), standing, Item("group", group))
        vertex = self._vertex(text)
        if vertex is not None:
            return MachinePart(network.vertex_name(vertex), np.array([vertex], np.intp), vertex_item(vertex, network))
        target = self._target(text)
        return (
            MachinePart(target.name(network), target.nodes(network).astype(np.intp), None)
            if target is not None
            else None
        )

    def pair(self, left: str, right: str) -> MachinePart | None:
        network = self._network
        # In a pair of one kind the second name omits the kind.
        names = (right, f"{left.rpartition(' ')[0]} {right}")
        a, b = self._group(left), next((group for group in map(self._group, names) if group is not None), None)
        if a is not None and b is not None and a != b:
            ends = np.flatnonzero((network.group_of == a) | (network.group_of == b))
            return MachinePart(pair_name(network, a, b, "↔"), ends, Item("bundle", a * network.groups + b))
        link = self._link(left, right)
        if link is None:
            return None
        ends = np.array([network.src[link], network.dst[link]], np.intp)
        return MachinePart(network.link_name(link), ends, Item("link", link))

    def _vertex(self, text: str) -> int | None:
        for plain in (text, text.removeprefix("node "), text.removeprefix("switch ")):
            vertex = self._vertices.get(plain)
            if vertex is None:
                continue
            kind = "node" if vertex < self._network.nodes else "switch"
            if text in (plain, f"{kind} {plain}"):
                return vertex
        return None

    def _group(self, text: str) -> int | None:
        network = self._network
        groups = range(network.groups) if network.levels else ()
        return next((group for group in groups if _plain(network.group_name(group)) == text), None)

    def _target(self, text: str) -> Target | None:
        """Return a group of an inner level, named ``drawer 3 of supernode 5`` or as in the network's file."""
        for k, level in enumerate(self._network.levels):
            for index in range(len(level.names)):
                if _plain(self._network.place_name(k, index)) == text:
                    return Target(k, index)
        inner, _, outer = text.partition(" of ")
        name, _, number = inner.rpartition(" ")
        levels = self._network.levels
        places = [k for k, level in enumerate(levels) if _plain(level.name) == name]
        if not places or not number.isdecimal():
            return None
        outer_target = self._target(outer) if places[0] else None
        if places[0] and (outer_target is None or outer_target.level != places[0] - 1):
            return None
        within = levels[places[0]].count // (levels[places[0] - 1].count if places[0] else 1)
        if int(number) >= within:
            return None
        return Target(places[0], (outer_target.index if outer_target is not None else 0) * within + int(number))

    def _link(self, left: str, right: str) -> int | None:
        network, (reached, head) = self._network, end_named(right, self._vertex)
        if reached is None:
            return None
        for kind in network.classes:
            for text in dict.fromkeys((left.removeprefix(f"{_plain(kind.name)} "), left)):
                start, tail = end_named(text, self._vertex)
                links = NO_LINKS if start is None else links_at(network, start, reached, (tail, head))
                links = links[kind.has(links)]
                if links.size:
                    return int(links[0])
        return None


def _examples(network: Network) -> list[str]:
    """Return a name of each kind."""
    inner = [Target(level, 0).name(network) for level in range(1, len(network.levels))]
    groups = [network.group_name(0)] if network.levels else []
    switches = [network.vertex_name(network.nodes)] if network.vertices > network.nodes else []
    links = [network.link_name(0)] if network.links else []
    return [*groups, *inner, network.vertex_name(0), *switches, *links]


def item_named(text: str, report: LoadReport, field: str = "selection") -> Item | None:
    """Return the item with a given name: a part, ``task 17``, a flow ``task 17 -> 3``, or `HOTTEST`.

    For `HOTTEST` return None if nothing is loaded.

    Raises SpecError: under `field`, with valid names.
    """
    case, plain = report.case, _plain(text)
    if plain == HOTTEST:
        return next((Item("link", link) for link in report.bottleneck_links[:1].tolist()), None)
    task = TASK.fullmatch(plain.replace(",", ""))
    if task is not None and int(task[1]) < case.job.tasks:
        return Item("task", int(task[1]))
    flow = FLOW.fullmatch(plain.replace(",", ""))
    if flow is not None and max(int(flow[1]), int(flow[2])) < case.job.tasks:
        return flow_item(int(flow[1]), int(flow[2]))
    item = part_named(text, case.network, field).item
    if item is None:
        raise SpecError(field, f"{shown(text)!r} cannot be selected; select a group around it or one of its nodes")
    return item


def item_name(item: Item, case: Case) -> str:
    """Return the name by which `item_named` finds an item."""
    network = case.network
    if item.kind == "task":
        return f"task {item.index}"
    if item.kind == "flow":
        return flow_name(*tasks_of_flow(item))
    if item.kind == "link":
        return network.link_name(item.index)
    if item.kind == "bundle":
        return pair_name(network, *divmod(item.index, network.groups), "↔")
    if item.kind == "group":
        return network.group_name(item.index)
    name, label = network.vertex_name(item.index), network.label(item.index)
    # A switch may have the same name as the group of its nodes.
    named = [(k, group) for k, level in enumerate(network.levels) for group in range(len(level.names))]
    groups = {_plain(network.place_name(*place)) for place in named}
    return next((candidate for candidate in (name, label) if _plain(candidate) not in groups), f"switch {label}")
