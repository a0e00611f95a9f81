"""Items of a scenario that can be pointed at, by kind and number, and hits under the pointer in a view."""

from dataclasses import dataclass

from app.wording.names import capitalised, flow_name, pair_name
from core.job.job import MAX_TASKS
from core.load.scenario import Case
from core.network.network import Network

CLICK_PX = 4
"""Pixels the pointer may move between press and release of a click."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item that any view can point at: ``kind`` is link, node, switch, group, task, bundle or flow.

    The index of a switch is its vertex number, which follows the numbers of the nodes. A group is of the network's
    coarsest level. A bundle is the links from group a to group b, with index = a * groups + b. A flow is from task a to
    task b, with index = a * MAX_TASKS + b.
    """

    kind: str
    index: int


@dataclass(frozen=True, slots=True)
class Hit:
    """The item, node and task under the pointer in a view."""

    item: Item | None = None
    """The item that a click selects."""
    node: int | None = None
    """The node there; for a task, its node."""
    task: int | None = None
    place: tuple[float, float] | None = None
    """Row and column in the task grid, in cells: cell (i, j) reaches from i to i + 1 and from j to j + 1."""
    level: int | None = None
    """Level of the innermost frame around it in the machine: a box, or an inner group of an open box; or None."""


NO_HIT = Hit()


def vertex_item(vertex: int, network: Network) -> Item:
    """Return the item of a vertex: a node or a switch."""
    return Item("node" if vertex < network.nodes else "switch", vertex)


def flow_item(source: int, destination: int) -> Item:
    """Return the item of the flow from one task to another."""
    return Item("flow", source * MAX_TASKS + destination)


def tasks_of_flow(flow: Item) -> tuple[int, int]:
    """Return the source and the destination of a flow."""
    return divmod(flow.index, MAX_TASKS)


def exists(item: Item, case: Case) -> bool:
    """Return whether the case has this item; a task, for example, may be missing after a change of the job."""
    if item.kind == "flow":
        return max(tasks_of_flow(item)) < case.job.tasks
    groups = case.network.groups
    count = {
        "link": case.network.links,
        "node": case.network.nodes,
        "group": groups,
        "bundle": groups * groups,
        "task": case.job.tasks,
        "switch": case.network.vertices,
    }
    least = case.network.nodes if item.kind == "switch" else 0
    return least <= item.index < count.get(item.kind, 0)


def nodes_of(item: Item | None, case: Case) -> tuple[int, ...]:
    """Return the nodes at a link's or flow's ends, the node of a task, or the node itself; empty for larger items."""
    return tuple(vertex for vertex in vertices_of(item, case) if vertex < case.network.nodes)


def vertices_of(item: Item | None, case: Case) -> tuple[int, ...]:
    """Return the nodes and switches at a link's or flow's ends, the node of a task, or the node or switch itself."""
    if item is None or not exists(item, case):
        return ()
    if item.kind == "link":
        return int(case.network.src[item.index]), int(case.network.dst[item.index])
    if item.kind in ("task", "flow"):
        tasks = (item.index,) if item.kind == "task" else tasks_of_flow(item)
        return tuple(int(case.mapping.slots[task]) // case.mapping.slots_per_node for task in tasks)
    return (item.index,) if item.kind in ("node", "switch") else ()


def groups_of(item: Item | None, case: Case) -> tuple[int, ...]:
    """Return the groups of `Network.group_of` that an item is in or connects, without duplicates, source first."""
    if item is None or not exists(item, case):
        return ()
    network = case.network
    if item.kind == "group":
        return (item.index,)
    if item.kind == "bundle":
        return tuple(dict.fromkeys(divmod(item.index, network.groups)))
    # Switches may be in groups too.
    groups = [int(network.group_of[vertex]) for vertex in vertices_of(item, case)]
    return tuple(dict.fromkeys(group for group in groups if group >= 0))


def title(item: Item, case: Case) -> str:
    """Return the name of an item."""
    network = case.network
    if item.kind == "link":
        name = capitalised(network.link_name(item.index))
        kind = network.classes[int(network.class_of[item.index])].name
        return name if kind.endswith("link") else f"{name} link"
    if item.kind == "bundle":
        a, b = divmod(item.index, network.groups)
        return f"Bundle {pair_name(network, a, b, '–')}"
    if item.kind == "flow":
        return capitalised(flow_name(*tasks_of_flow(item)))
    group = item.kind == "group"
    name = network.group_name(item.index) if group else network.vertex_name(vertices_of(item, case)[0])
    return f"Task {item.index:,} on {name}" if item.kind == "task" else capitalised(name)
