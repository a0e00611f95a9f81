"""The effect of a next hop that moves, and the move itself.

All minimal paths from a switch to a LID have the same length, so the old and the new path are followed in lockstep
until they meet: only links before that change, each once.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.optimise.routes.state import NO_LAYER, Goal, MinimalPaths, RouteSums, Traffic
from core.routing.flows import FixedPoint, Nodes
from core.routing.tables.fabric import NO_LINK
from core.routing.tables.kernel import NO_PATH

EQUAL = 1e-12
"""Relative difference of link times below which they count as equal."""
OVER = 1e-9
"""Relative excess over a limit within rounding."""


@inlined
def link_time(own: int, others: int, share: float, pace: float) -> float:
    """Return the time of a link in a run: none without a load of the job itself."""
    return (own + share * others) * pace if own > 0 else 0.0


@inlined
def term(time: float, limited: bool, doublings: int, unit: float) -> float:
    """Return a link's term in the sum of its run."""
    time /= unit
    if limited:
        return (time - 1.0) * (time - 1.0) if time > 1.0 + OVER else 0.0
    for _ in range(doublings):
        time *= time
    return time


@inlined
def energy_of(power: float, goal: Goal) -> float:
    """Return the energy of a run, except for its weight."""
    return power if goal.limited else power ** (1.0 / (1 << goal.doublings))


@inlined
def is_minimal(row: int, switch: int, link: int, paths: MinimalPaths) -> bool:
    """Return whether a link from a switch is on a minimal path to the LID of a row."""
    left = paths.hops[row, switch]
    if left == 1:
        return bool(link == paths.last[row])
    head = paths.head[link]
    return bool(head >= paths.nodes and paths.hops[row, head - paths.nodes] == left - 1)


@inlined
def _add_change(
    link: int, sign: int, run: int, amount: FixedPoint, traffic: Traffic, goal: Goal, sums: RouteSums
) -> None:
    own, rest, more = sums.load[link, run], 0, 0
    if traffic.others != NO_LAYER:
        rest, more = sums.load[link, traffic.others], sign * amount[traffic.others]
    share, pace, unit = traffic.share[run], traffic.pace[link], goal.unit[run]
    before = link_time(own, rest, share, pace)
    after = link_time(own + sign * amount[run], rest + more, share, pace)
    sums.change[run] += term(after, goal.limited, goal.doublings, unit) - term(
        before, goal.limited, goal.doublings, unit
    )


@kernel
def energy_change(
    row: int, old: int, new: int, amount: FixedPoint, paths: MinimalPaths, at: Nodes, traffic: Traffic, goal: Goal,
    sums: RouteSums,
) -> float:  # fmt: skip
    """Return the change of energy if a volume to the LID of a row moves from link `old` to link `new`.

    `at` is (switches * 256,) the link at each port.
    """
    runs, all_runs = traffic.times.size, traffic.others != NO_LAYER and amount[traffic.others] > 0
    for run in range(runs):
        sums.change[run] = 0.0
    while True:
        for run in range(runs):
            if all_runs or amount[run] > 0:
                _add_change(old, -1, run, amount, traffic, goal, sums)
                _add_change(new, 1, run, amount, traffic, goal, sums)
        a, b = paths.head[old], paths.head[new]
        if a == b:
            break
        old = at[(a - paths.nodes) * 256 + sums.ports[row, a - paths.nodes]]
        new = at[(b - paths.nodes) * 256 + sums.ports[row, b - paths.nodes]]
    total = 0.0
    for run in range(runs):
        if sums.change[run] != 0.0:
            after = max(sums.power[run] + sums.change[run], 0.0)
            total += goal.weight[run] * (energy_of(after, goal) - energy_of(sums.power[run], goal))
    return total


@inlined
def _shift_load(
    link: int, sign: int, amount: FixedPoint, all_runs: bool, traffic: Traffic, goal: Goal, sums: RouteSums
) -> None:
    rest, more = 0, 0
    if traffic.others != NO_LAYER:
        rest, more = sums.load[link, traffic.others], sign * amount[traffic.others]
        sums.load[link, traffic.others] += more
    for run in range(traffic.times.size):
        if not (all_runs or amount[run] > 0):
            continue
        own, share, pace = sums.load[link, run], traffic.share[run], traffic.pace[link]
        before = link_time(own, rest, share, pace)
        after = link_time(own + sign * amount[run], rest + more, share, pace)
        sums.load[link, run] = own + sign * amount[run]
        limited, doublings, unit = goal.limited, goal.doublings, goal.unit[run]
        sums.power[run] += term(after, limited, doublings, unit) - term(before, limited, doublings, unit)
        top = sums.hottest[run]
        was_hot, is_hot = before >= top * (1.0 - EQUAL), after >= top * (1.0 - EQUAL)
        if after > top * (1.0 + EQUAL):
            sums.hottest[run], sums.hot[run] = after, 1
        elif was_hot and not is_hot:
            sums.hot[run] -= 1
        elif is_hot and not was_hot:
            sums.hot[run] += 1


@kernel
def move(
    row: int, old: int, new: int, port: int, amount: FixedPoint, paths: MinimalPaths, at: Nodes, traffic: Traffic,
    goal: Goal, sums: RouteSums,
) -> None:  # fmt: skip
    """Move a volume to the LID of a row from link `old` to link `new`, which is at `port`; both leave one switch."""
    layers = amount.size
    all_runs = traffic.others != NO_LAYER and amount[traffic.others] > 0
    sums.ports[row, paths.src[old] - paths.nodes] = port
    while True:
        _shift_load(old, -1, amount, all_runs, traffic, goal, sums)
        _shift_load(new, 1, amount, all_runs, traffic, goal, sums)
        a, b = paths.head[old], paths.head[new]
        if a == b:
            break
        a -= paths.nodes
        b -= paths.nodes
        for layer in range(layers):
            sums.through[row, a, layer] -= amount[layer]
            sums.through[row, b, layer] += amount[layer]
        old, new = at[a * 256 + sums.ports[row, a]], at[b * 256 + sums.ports[row, b]]
    for run in range(traffic.times.size):
        if sums.hot[run] <= 0:
            find_hottest(run, traffic, sums)


@kernel
def find_hottest(run: int, traffic: Traffic, sums: RouteSums) -> None:
    """Find the hottest links of a run."""
    sums.hottest[run] = 0.0
    for count in range(2):
        sums.hot[run] = 0
        for link in range(traffic.pace.size):
            rest = sums.load[link, traffic.others] if traffic.others != NO_LAYER else 0
            time = link_time(sums.load[link, run], rest, traffic.share[run], traffic.pace[link])
            if count == 0:
                sums.hottest[run] = max(sums.hottest[run], time)
            elif time >= sums.hottest[run] * (1.0 - EQUAL):
                sums.hot[run] += 1


@kernel
def measure(traffic: Traffic, goal: Goal, sums: RouteSums) -> None:
    """Recompute the sums of terms and the hottest links from the loads."""
    for run in range(traffic.times.size):
        find_hottest(run, traffic, sums)
        sums.power[run] = 0.0
        for link in range(traffic.pace.size):
            rest = sums.load[link, traffic.others] if traffic.others != NO_LAYER else 0
            time = link_time(sums.load[link, run], rest, traffic.share[run], traffic.pace[link])
            sums.power[run] += term(time, goal.limited, goal.doublings, goal.unit[run])


@inlined
def figure_of(traffic: Traffic, sums: RouteSums) -> float:
    """Return the time of the current tables: the longest link times of all runs, added up."""
    total = 0.0
    for run in range(traffic.times.size):
        total += traffic.times[run] * sums.hottest[run]
    return total


@kernel
def by_descending_hops(row: int, paths: MinimalPaths, order: Nodes, place: NDArray[np.int64]) -> int:
    """Sort the switches with a path to the LID of a row by hops, farthest first; return their number.

    `order` is of shape ``(switches,)``, `place` of ``(switches + 2,)``.
    """
    switches, count = paths.hops.shape[1], 0
    for k in range(place.size):
        place[k] = 0
    for switch in range(switches):
        if paths.hops[row, switch] != NO_PATH:
            place[switches - paths.hops[row, switch] + 1] += 1
            count += 1
    for k in range(switches + 1):
        place[k + 1] += place[k]
    for switch in range(switches):
        if paths.hops[row, switch] != NO_PATH:
            k = switches - paths.hops[row, switch]
            order[place[k]] = switch
            place[k] += 1
    return count


@kernel
def _coolest(
    row: int, switch: int, first: int, paths: MinimalPaths, traffic: Traffic, uses: Nodes, sums: RouteSums
) -> int:
    """Return the index in `paths.out` of the minimal port with the least time, then with the fewest uses."""
    begin, end = paths.out.start[switch], paths.out.start[switch + 1]
    chosen, least = -1, 0.0
    for k in range(end - begin):
        index = begin + (first + k) % (end - begin)
        link = paths.out.link[index]
        if not is_minimal(row, switch, link, paths):
            continue
        time = 0.0
        for run in range(traffic.times.size):
            own = sums.load[link, run] + sums.through[row, switch, run]
            rest = sums.load[link, traffic.others] if traffic.others != NO_LAYER else 0
            time += traffic.times[run] * link_time(own, rest, traffic.share[run], traffic.pace[link])
        if chosen < 0 or time < least or (time == least and uses[link] < uses[paths.out.link[chosen]]):
            chosen, least = index, time
    return chosen


@kernel
def rebuild(
    rows: Nodes, first: Nodes, keep: bool, at: Nodes, paths: MinimalPaths, traffic: Traffic, sums: RouteSums
) -> None:
    """Choose a port for every entry, row after row in the order of `rows`, and add up the loads.

    Before, `sums.load` and `sums.through` are as in `traffic`.

    Each entry gets the minimal port that is least loaded so far; its ports are tried from the `first`, ``(rows,)``,
    of its row on. With `keep`, entries that have a minimal port keep it.
    """
    switches = paths.hops.shape[1]
    order, place = np.empty(switches, np.int32), np.empty(switches + 2, np.int64)
    uses = np.zeros(paths.head.size, np.int32)
    for number in range(rows.size):
        row = rows[number]
        for k in range(by_descending_hops(row, paths, order, place)):
            switch = order[k]
            link = at[switch * 256 + sums.ports[row, switch]]
            works = link != NO_LINK and traffic.pace[link] > 0.0
            if not (keep and works and is_minimal(row, switch, link, paths)):
                index = _coolest(row, switch, first[row], paths, traffic, uses, sums)
                link = paths.out.link[index]
                sums.ports[row, switch] = paths.out.port[index]
            uses[link] += 1
            head = paths.head[link]
            for layer in range(sums.load.shape[1]):
                volume = sums.through[row, switch, layer]
                sums.load[link, layer] += volume
                if head >= paths.nodes:
                    sums.through[row, head - paths.nodes, layer] += volume


@kernel
def reload(at: Nodes, paths: MinimalPaths, traffic: Traffic, sums: RouteSums) -> None:
    """Add up the loads of the current tables, all of whose ports are minimal; before, they are as in `traffic`."""
    switches = paths.hops.shape[1]
    order, place = np.empty(switches, np.int32), np.empty(switches + 2, np.int64)
    for row in range(paths.last.size):
        for k in range(by_descending_hops(row, paths, order, place)):
            switch = order[k]
            link = at[switch * 256 + sums.ports[row, switch]]
            head = paths.head[link]
            for layer in range(sums.load.shape[1]):
                volume = sums.through[row, switch, layer]
                sums.load[link, layer] += volume
                if head >= paths.nodes:
                    sums.through[row, head - paths.nodes, layer] += volume
