"""What things are called and how numbers are written, in every view alike; names come from the network."""

from app.state import Item
from core.load.scenario import Case
from core.network.network import Network


def top_level(network: Network) -> str:
    """Return the name of the coarsest level, "node" where there are no levels."""
    return network.levels[0].name if network.levels else "node"


def group_name(network: Network, group: int) -> str:
    """Return ``supernode 21``, or ``node (1,2)`` where there are no levels."""
    return f"{top_level(network)} {group if network.levels else network.label(group)}"


def member_label(network: Network, level: int, group: int) -> str:
    """Return the short name of a group inside the next coarser one: ``21``, or ``d1`` for a supernode's drawer 1."""
    if level == 0:
        return str(group)
    fine, coarse = network.levels[level], network.levels[level - 1]
    return f"{fine.name[0].lower()}{group % (fine.count // coarse.count)}"


def link_name(network: Network, link: int) -> str:
    """Return ``LR 21 · d1 · 12 → 21 · d0 · 4``."""
    src, dst = (network.label(int(end[link])) for end in (network.src, network.dst))
    return f"{network.classes[int(network.class_of[link])].name} {src} → {dst}"


def plural(count: int, noun: str) -> str:
    """Return ``1 link`` or ``7,168 links``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: list[str]) -> str:
    """Return ``LL``, ``LL and LR`` or ``X, Y and Z``."""
    return " and ".join(([", ".join(names[:-1])] if len(names) > 1 else []) + names[-1:])


def percent(fraction: float) -> str:
    """Return a relative load as ``80 %``, with more digits where it is small."""
    value = 100 * fraction
    if value <= 0 or value >= 9.95:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.05 else "< 0.1 %"


def units(load: float) -> str:
    """Return a load as ``0.25 units``."""
    return f"{load:.4g} unit{'' if load == 1 else 's'}"


def speed_text(case: Case, link: int) -> str:
    """Return ``failed``, ``at 50 % of 10 GB/s``, or nothing for a link that is sound."""
    if case.faults is None or case.faults.speed[link] == 1:
        return ""
    speed = float(case.faults.speed[link])
    return f"at {100 * speed:.4g} % of {float(case.network.gbs[link]):.4g} GB/s" if speed else "failed"


def vertex_item(vertex: int, network: Network) -> Item:
    """Return a vertex as a thing: a node, or a switch."""
    return Item("node" if vertex < network.nodes else "switch", vertex)


def vertex_name(network: Network, vertex: int) -> str:
    """Return ``node 21 · d1 · 12``, or ``switch g0 · r2``; a label that says so itself is enough."""
    label, kind = network.label(vertex), vertex_item(vertex, network).kind
    return label if kind == "switch" and kind in label.lower() else f"{kind} {label}"


def exists(item: Item, case: Case) -> bool:
    """Return whether the thing is in this case: a task may be gone with the job that had it."""
    groups = case.network.levels[0].count if case.network.levels else case.network.nodes
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
    """Return the nodes at a link's ends, the node of a task, or the node itself; none for larger things."""
    return tuple(vertex for vertex in vertices_of(item, case) if vertex < case.network.nodes)


def vertices_of(item: Item | None, case: Case) -> tuple[int, ...]:
    """Return the nodes and switches at a link's ends, the node of a task, or the node or switch itself."""
    if item is None or not exists(item, case):
        return ()
    if item.kind == "link":
        return int(case.network.src[item.index]), int(case.network.dst[item.index])
    if item.kind == "task":
        return (int(case.mapping.slots[item.index]) // case.mapping.slots_per_node,)
    return (item.index,) if item.kind in ("node", "switch") else ()


def groups_of(item: Item | None, case: Case) -> tuple[int, ...]:
    """Return the groups of the coarsest level that a thing lies in or joins, its source's first, each once."""
    if item is None or not exists(item, case):
        return ()
    network = case.network
    if item.kind == "group":
        return (item.index,)
    if item.kind == "bundle":
        groups = network.levels[0].count if network.levels else network.nodes
        return tuple(dict.fromkeys(divmod(item.index, groups)))
    # Switches stand in groups too, or in none.
    found = [int(network.group_of[vertex]) for vertex in vertices_of(item, case)]
    return tuple(dict.fromkeys(group for group in found if group >= 0))


def spread(count: int, step_px: float, least_px: float, wanted: set[int]) -> list[int]:
    """Return which of `count` equally spaced things to name: in round steps, and those wanted in any case.

    Names are at least `least_px` apart, save that the wanted ones are always there.
    """
    steps = (1 << k for k in range(31)) if count % 8 == 0 else (m * 10**k for k in range(9) for m in (1, 2, 5))
    step = next(step for step in steps if step * step_px >= least_px)
    free = [k for k in range(0, count, step) if all(abs(k - w) * step_px >= least_px for w in wanted)]
    return sorted({*free, *(w for w in wanted if w < count)})
