"""What a move would change, and the move itself: the loops inside all searches.

Cost of a look: the flows of the tasks that move, by row of the route tables; of rows whose sum is not zero, the links.
"""

from math import exp, log

import numpy as np

from core.kernels import copy, inlined, kernel
from core.load.moved import STAYS
from core.mapping.edit import EMPTY
from core.optimise.tables import CONTENTION, HOP_BYTES, HOPS, TIME, Distances, Goal, Layers, Moves, Place, Sums, Touched
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.route_tables import ANY, OTHER, SAME, RouteTables, hops_between

TINY = 1e-300
OVER = 1e-9
"""Relative excess over a limit that is rounding."""


@inlined
def counted(time: float, term: int, limit: float, doublings: int) -> float:
    """Return what a link adds to its layer's sum."""
    if term == CONTENTION:
        return time * time
    if limit > 0:
        over = time / limit - 1.0
        return over * over if over > OVER else 0.0
    for _ in range(doublings):
        time *= time
    return time


@inlined
def stage_move(a: int, b: int, spn: int, moves: Moves, place: Place) -> int:
    """Mark what exchanging two units moves to another node; return how many tasks that are."""
    count, slots = 0, moves.slots
    occupant, after, moved = place.occupant, place.after, place.moved
    for i in range(slots.shape[1]):
        s, t = slots[a, i], slots[b, i]
        if s // spn == t // spn:
            continue
        first, second = occupant[s], occupant[t]
        if first != EMPTY:
            after[first] = t // spn
            moved[count] = first
            count += 1
        if second != EMPTY:
            after[second] = s // spn
            moved[count] = second
            count += 1
    return count


@kernel
def evaluate_move(
    tasks: int,
    links: int,
    goal: Goal,
    place: Place,
    layers: Layers,
    routes: RouteTables,
    distances: Distances,
    sums: Sums,
    touched: Touched,
) -> int:
    """Work out what the marked move would make of all sums; return how many links are listed in `touched`."""
    count = 0
    for layer in range(layers.term.size):
        first = count
        pairs = list_pairs(layer, tasks, place, layers, touched)
        size = _note_rows(pairs, routes, touched)
        count = _spread(size, layer * links, count, routes, touched)
        load_delta(layer, first, count, goal, layers, sums, touched)
    if distances.other.size:
        hop_delta(tasks, place, routes, distances, sums)
    return count


@inlined
def list_pairs(layer: int, tasks: int, place: Place, layers: Layers, touched: Touched) -> int:
    """List the volumes that change between nodes; return how many."""
    # Arrays are taken out of their tuples before the loops: inside, each time costs as much as a look at memory.
    size = 0
    node, after, moved = place.node, place.after, place.moved
    start, turns, others, volumes = layers.start, layers.turn, layers.other, layers.volume
    src, dst, amount = touched.src, touched.dst, touched.volume
    for i in range(tasks):
        t = moved[i]
        here, there, turn = node[t], after[t], turns[layer, t]
        for f in range(start[layer, t], start[layer, t + 1]):
            other, volume = others[f], volumes[f]
            old, new = node[other], after[other]
            if new == STAYS:
                new = old
            elif f >= turn:
                # What leaves another task that moves is among the flows that leave that task.
                continue
            if here != old:
                u, v = (here, old) if f < turn else (old, here)
                src[size], dst[size], amount[size] = u, v, -volume
                size += 1
            if there != new:
                u, v = (there, new) if f < turn else (new, there)
                src[size], dst[size], amount[size] = u, v, volume
                size += 1
    return size


@kernel
def _note_rows(pairs: int, routes: RouteTables, touched: Touched) -> int:
    # Sum the pairs' volumes by row in the hash table; return how many rows there are.
    src, dst, volume = touched.src, touched.dst, touched.volume
    keys, values, used = touched.keys, touched.values, touched.used
    when, group, first, second, columns, base = (
        routes.when,
        routes.group,
        routes.first,
        routes.second,
        routes.columns,
        routes.base,
    )
    mask, size = keys.size - 1, 0
    for i in range(pairs):
        u, v = src[i], dst[i]
        wanted = SAME if group[u] == group[v] else OTHER
        for k in range(when.size):
            if when[k] != wanted and when[k] != ANY:
                continue
            row = base[k] + first[k, u] * columns[k] + second[k, v]
            at = (row * 0x9E3779B1 >> 7) & mask
            while keys[at] != row and keys[at] != -1:
                at = (at + 1) & mask
            if keys[at] == row:
                values[at] += volume[i]
            else:
                keys[at], values[at], used[size] = row, volume[i], at
                size += 1
    return size


@kernel
def _spread(size: int, offset: int, count: int, routes: RouteTables, touched: Touched) -> int:
    # Take the rows noted to their links; return how many links are listed.
    keys, values, used = touched.keys, touched.values, touched.used
    where, listed, change = touched.where, touched.links, touched.change
    start, links, shares, fluid = routes.start, routes.links, routes.shares, routes.fluid
    for i in range(size):
        at = used[i]
        row, volume = keys[at], values[at] // routes.whole
        keys[at] = -1
        if volume == 0:
            continue
        for e in range(start[row], start[row + 1]):
            link = offset + links[e]
            here = where[link]
            part = np.int64(np.rint(volume * fluid[e])) if fluid.size else volume * shares[e]
            if here >= 0:
                change[here] += part
            else:
                where[link], listed[count], change[count] = count, link, part
                count += 1
    return count


@kernel
def list_traced(links: Nodes, volume: FixedPoint, offset: int, count: int, touched: Touched) -> int:
    """List what a router has traced; return how many links are listed."""
    where, listed, change = touched.where, touched.links, touched.change
    for i in range(links.size):
        link = offset + links[i]
        here = where[link]
        if here >= 0:
            change[here] += volume[i]
        else:
            where[link], listed[count], change[count] = count, link, volume[i]
            count += 1
    return count


@inlined
def load_delta(layer: int, first: int, last: int, goal: Goal, layers: Layers, sums: Sums, touched: Touched) -> None:
    """Work out a layer's sum after the changes listed from `first` to `last`."""
    more, term = 0.0, layers.term[layer]
    listed, changes, paces, loads = touched.links, touched.change, layers.pace, sums.load
    for i in range(first, last):
        change = changes[i]
        if change != 0:
            link = listed[i]
            pace, load = paces[link], loads[link]
            more += counted((load + change) * pace, term, goal.limit, goal.doublings)
            more -= counted(load * pace, term, goal.limit, goal.doublings)
    sums.new_power[layer] = sums.power[layer] + more


@kernel
def hop_delta(tasks: int, place: Place, routes: RouteTables, distances: Distances, sums: Sums) -> None:
    """Work out what the marked move would make of the distances."""
    volume, messages, squared = 0.0, 0.0, 0.0
    node, after, moved = place.node, place.after, place.moved
    start, others, out, into = distances.start, distances.other, distances.out, distances.into
    table, known, symmetric = distances.table, distances.table.size > 0, distances.symmetric
    squares, wanted = distances.squares, distances.squares.size > 0
    for i in range(tasks):
        t = moved[i]
        here, there = node[t], after[t]
        for f in range(start[t], start[t + 1]):
            other = others[f]
            old, new = node[other], after[other]
            if new == STAYS:
                new = old
            elif other < t:
                continue
            if known:
                longer = float(table[there, new]) - float(table[here, old])
            else:
                longer = hops_between(routes, there, new) - hops_between(routes, here, old)
            volume += out[f, 0] * longer
            messages += out[f, 1] * longer
            if wanted:
                squared += out[f, 1] * (float(squares[there, new]) - float(squares[here, old]))
            if not symmetric:
                if known:
                    longer = float(table[new, there]) - float(table[old, here])
                else:
                    longer = hops_between(routes, new, there) - hops_between(routes, old, here)
                volume += into[f, 0] * longer
                messages += into[f, 1] * longer
                if wanted:
                    squared += into[f, 1] * (float(squares[new, there]) - float(squares[old, here]))
    sums.new_distance[2] = sums.distance[2] + squared
    sums.new_distance[0] = sums.distance[0] + volume
    sums.new_distance[1] = sums.distance[1] + messages


@inlined
def energy(goal: Goal, layers: Layers, power: Volumes, distance: Volumes) -> float:
    """Return what the search makes small: the excess over the limit, or the figures' logarithms, weighted."""
    times, contended = 0.0, 0.0
    for layer in range(layers.term.size):
        if layers.term[layer] == CONTENTION:
            contended += power[layer]
        elif goal.limit > 0:
            times += power[layer]
        else:
            times += power[layer] ** (1.0 / (1 << goal.doublings))
    return times if goal.limit > 0 else _weighed(goal, times, contended, distance)


@inlined
def _weighed(goal: Goal, times: float, contended: float, distance: Volumes) -> float:
    total = 0.0
    if goal.weights[TIME] > 0:
        total += goal.weights[TIME] * log(max(times, TINY))
    if goal.weights[HOP_BYTES] > 0:
        total += goal.weights[HOP_BYTES] * log(max(distance[0], TINY))
    if goal.weights[HOPS] > 0:
        total += goal.weights[HOPS] * log(max(distance[1], TINY))
    if goal.weights[CONTENTION] > 0:
        total += goal.weights[CONTENTION] * log(max(_pairs_sharing(contended, distance), TINY))
    return total


@inlined
def _pairs_sharing(contended: float, distance: Volumes) -> float:
    # Sum over links of the products of any two messages' shares; of whole messages C(x, 2).
    return max(contended - float(distance[2]), 0.0) / 2


@inlined
def figure(goal: Goal, layers: Layers, sums: Sums) -> float:
    """Return the exact figure of the mapping as it is; times are parts of that of the start."""
    times, contended = 0.0, 0.0
    for layer in range(layers.term.size):
        if layers.term[layer] == CONTENTION:
            contended += sums.power[layer]
        else:
            times += sums.hottest[layer]
    if goal.only == TIME:
        return times
    if goal.only == CONTENTION:
        return _pairs_sharing(contended, sums.distance)
    if goal.only >= 0:
        return float(sums.distance[0 if goal.only == HOP_BYTES else 1])
    return exp(_weighed(goal, times, contended, sums.distance) / goal.weights.sum())


@inlined
def commit_move(
    a: int,
    b: int,
    tasks: int,
    count: int,
    links: int,
    moves: Moves,
    place: Place,
    layers: Layers,
    sums: Sums,
    touched: Touched,
) -> None:
    """Make the move that was looked at."""
    slots, occupant, slot = moves.slots, place.occupant, place.slot
    for i in range(slots.shape[1]):
        s, t = slots[a, i], slots[b, i]
        first, second = occupant[s], occupant[t]
        occupant[s], occupant[t] = second, first
        if first != EMPTY:
            slot[first] = t
        if second != EMPTY:
            slot[second] = s
    for i in range(tasks):
        t = place.moved[i]
        place.node[t] = place.after[t]
    _load(count, links, layers, sums, touched)
    copy(sums.new_power, sums.power)
    copy(sums.new_distance, sums.distance)
    for layer in range(layers.term.size):
        if sums.hot[layer] <= 0:
            find_hottest(layer, links, layers, sums)


@kernel
def _load(count: int, links: int, layers: Layers, sums: Sums, touched: Touched) -> None:
    listed, changes, paces, loads = touched.links, touched.change, layers.pace, sums.load
    hottest, hot = sums.hottest, sums.hot
    for i in range(count):
        if changes[i] == 0:
            continue
        link = listed[i]
        layer, pace = link // links, paces[link]
        before = loads[link] * pace
        loads[link] += changes[i]
        after = loads[link] * pace
        if before == hottest[layer]:
            hot[layer] -= 1
        if after > hottest[layer]:
            hottest[layer], hot[layer] = after, 1
        elif after == hottest[layer]:
            hot[layer] += 1


@kernel
def find_hottest(layer: int, links: int, layers: Layers, sums: Sums) -> None:
    """Look at all links of a layer for the longest time."""
    hottest, count, loads, paces = 0.0, 0, sums.load, layers.pace
    for link in range(layer * links, (layer + 1) * links):
        time = loads[link] * paces[link]
        if time > hottest:
            hottest, count = time, 1
        elif time == hottest:
            count += 1
    sums.hottest[layer], sums.hot[layer] = hottest, count


@inlined
def discard_move(tasks: int, count: int, place: Place, touched: Touched) -> None:
    """Take the marks of a move away again."""
    after, moved, where, listed = place.after, place.moved, touched.where, touched.links
    for i in range(tasks):
        after[moved[i]] = STAYS
    for i in range(count):
        where[listed[i]] = -1


@kernel
def sum_loads(links: int, goal: Goal, layers: Layers, sums: Sums) -> None:
    """Sum over all links for another goal, or to sweep rounding away."""
    for layer in range(layers.term.size):
        total, term, loads, paces = 0.0, layers.term[layer], sums.load, layers.pace
        for link in range(layer * links, (layer + 1) * links):
            total += counted(loads[link] * paces[link], term, goal.limit, goal.doublings)
        sums.power[layer] = total
        find_hottest(layer, links, layers, sums)


@kernel
def sum_distances(place: Place, routes: RouteTables, distances: Distances, sums: Sums) -> None:
    """Sum the distances of all flows."""
    volume, messages, squared = 0.0, 0.0, 0.0
    for t in range(place.node.size):
        for f in range(distances.start[t], distances.start[t + 1]):
            other = distances.other[f]
            if distances.symmetric and other < t:
                continue
            u, v = place.node[t], place.node[other]
            hops = float(distances.table[u, v]) if distances.table.size else hops_between(routes, u, v)
            volume += distances.out[f, 0] * hops
            messages += distances.out[f, 1] * hops
            if distances.squares.size:
                squared += distances.out[f, 1] * distances.squares[u, v]
    sums.distance[0], sums.distance[1], sums.distance[2] = volume, messages, squared
