"""The effect of a move, and the move itself: the inner loops of all searches.

Cost of an evaluation: the flows of the moved tasks, by row of the route tables; then the links of rows with a nonzero
sum.
"""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, inlined, kernel
from core.load.moved_flows import STAYS
from core.mapping.edit import EMPTY
from core.optimise.tables import (
    CONTENTION,
    FIRST,
    HOP_BYTES,
    HOPS,
    LINKS,
    NO_SLOT,
    SECOND,
    TASKS,
    TIME,
    WAITED,
    CommunicationGraph,
    Goal,
    Layers,
    Moves,
    Place,
    SearchState,
    Sums,
    Touched,
    Waits,
)
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.route_tables import ANY, OTHER, SAME, RouteTables, hops_between

TINY = 1e-300
OVER = 1e-9
"""Relative excess over a limit within rounding."""


@inlined
def link_term(time: float, term: int, limit: float, doublings: int) -> float:
    """Return a link's term in its layer's sum."""
    if term == CONTENTION:
        return time * time
    if limit > 0:
        over = time / limit - 1.0
        return over * over if over > OVER else 0.0
    for _ in range(doublings):
        time *= time
    return time


@inlined
def with_delay(time: float, load: int, delay: float) -> float:
    """Return a link's time including the delay due to other jobs: none without a load of its own, unless negative."""
    # Of numbers, not arrays: see `core.load.class_maxima`.
    return time - delay if delay < 0 else time + (delay if load > 0 else 0.0)


@inlined
def stage_move(a: int, b: int, spn: int, moves: Moves, place: Place) -> int:
    """Mark the tasks that exchanging two units moves to another node; return their number."""
    count, slots = 0, moves.slots
    occupant, after, moved = place.occupant, place.after, place.moved
    for i in range(slots.shape[1]):
        s, t = slots[a, i], slots[b, i]
        if s == NO_SLOT:
            break
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
    distances: CommunicationGraph,
    waits: Waits,
    sums: Sums,
    touched: Touched,
) -> int:
    """Compute the sums after the marked move; return the number of links listed in `touched`."""
    # Without `SearchState`: reading a field of a tuple in each step costs as much as a memory access.
    count, waited = 0, waits.fixed
    for layer in range(layers.term.size):
        first, pairs = count, list_pairs(layer, tasks, place, layers, touched)
        rows = _note_rows(pairs, layers.failure[layer], routes, touched)
        count = _spread(rows, layer * links, count, routes, touched)
        if waits.nodes:
            count = list_injected(pairs, (layer + 1) * links, count, waits, touched)
        if waits.level.size:
            waited += wait_after(layer, pairs, waits, touched)
        load_delta(layer, first, count, goal, layers, sums, touched)
    if distances.other.size:
        hop_delta(tasks, place, routes, distances, sums)
    sums.new_distance[WAITED] = waited
    return count


@inlined
def list_pairs(layer: int, tasks: int, place: Place, layers: Layers, touched: Touched) -> int:
    """List the volumes that change between nodes; return their number."""
    # Arrays are read from their tuples before the loops: see `evaluate_move`.
    size = 0
    node, after, moved = place.node, place.after, place.moved
    start, first_ins, others, volumes = layers.start, layers.first_in, layers.other, layers.volume
    src, dst, amount = touched.src, touched.dst, touched.volume
    for i in range(tasks):
        t = moved[i]
        old, new, first_in = node[t], after[t], first_ins[layer, t]
        for f in range(start[layer, t], start[layer, t + 1]):
            other, volume = others[f], volumes[f]
            other_old, other_new = node[other], after[other]
            if other_new == STAYS:
                other_new = other_old
            elif f >= first_in:
                # Flows from another moved task are listed with that task.
                continue
            if old != other_old:
                u, v = (old, other_old) if f < first_in else (other_old, old)
                src[size], dst[size], amount[size] = u, v, -volume
                size += 1
            if new != other_new:
                u, v = (new, other_new) if f < first_in else (other_new, new)
                src[size], dst[size], amount[size] = u, v, volume
                size += 1
    return size


@kernel
def _note_rows(pairs: int, failure: int, routes: RouteTables, touched: Touched) -> int:
    # Sum the pairs' volumes by row in the hash table; return the number of rows.
    src, dst, volume = touched.src, touched.dst, touched.volume
    keys, values, used = touched.keys, touched.values, touched.used
    when, group, first, second = routes.when, routes.group, routes.first, routes.second
    columns, base = routes.columns, routes.base
    detour, rerouted = routes.detour, routes.detour.size > 0
    mask, size = keys.size - 1, 0
    for i in range(pairs):
        u, v = src[i], dst[i]
        alone = detour[failure, u, v] if rerouted else -1
        wanted = SAME if group[u] == group[v] else OTHER
        for k in range(when.size if alone < 0 else 1):
            if alone < 0 and when[k] != wanted and when[k] != ANY:
                continue
            row = alone if alone >= 0 else base[k] + first[k, u] * columns[k] + second[k, v]
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
    # Distribute the rows to their links; return how many links are listed.
    keys, values, used = touched.keys, touched.values, touched.used
    where, listed, change = touched.where, touched.links, touched.change
    start, links, shares, fluid = routes.start, routes.links, routes.shares, routes.fluid
    for i in range(size):
        at = used[i]
        row, volume = keys[at], values[at] // routes.denominator
        keys[at] = -1
        if volume == 0:
            continue
        for e in range(start[row], start[row + 1]):
            link = offset + links[e]
            place = where[link]
            part = np.int64(np.rint(volume * fluid[e])) if fluid.size else volume * shares[e]
            if place >= 0:
                change[place] += part
            else:
                where[link], listed[count], change[count] = count, link, part
                count += 1
    return count


@kernel
def list_traced(links: Nodes, volume: FixedPoint, offset: int, count: int, touched: Touched) -> int:
    """List the links traced by a router; return the number of listed links."""
    where, listed, change = touched.where, touched.links, touched.change
    for i in range(links.size):
        link = offset + links[i]
        place = where[link]
        if place >= 0:
            change[place] += volume[i]
        else:
            where[link], listed[count], change[count] = count, link, volume[i]
            count += 1
    return count


@kernel
def list_injected(pairs: int, end: int, count: int, waits: Waits, touched: Touched) -> int:
    """List the volumes nodes would send and receive, as loads of virtual links before `end`; return their number."""
    where, listed, change = touched.where, touched.links, touched.change
    first, second = end - 2 * waits.nodes, end - waits.nodes
    for i in range(pairs):
        for link in (first + touched.src[i], second + touched.dst[i]):
            place = where[link]
            if place >= 0:
                change[place] += touched.volume[i]
            else:
                where[link], listed[count], change[count] = count, link, touched.volume[i]
                count += 1
    return count


@kernel
def wait_after(layer: int, pairs: int, waits: Waits, touched: Touched) -> float:
    """Return the wait of the farthest message of a layer after the listed changes."""
    _count_hops(layer, pairs, 1, waits, touched)
    waited = _longest_wait(layer, waits)
    _count_hops(layer, pairs, -1, waits, touched)
    return waited


@inlined
def _count_hops(layer: int, pairs: int, sign: int, waits: Waits, touched: Touched) -> None:
    for i in range(pairs):
        waits.flows[layer, waits.level[touched.src[i], touched.dst[i]]] += sign if touched.volume[i] > 0 else -sign


@inlined
def _longest_wait(layer: int, waits: Waits) -> float:
    for level in range(waits.seconds.shape[1] - 1, 0, -1):
        if waits.flows[layer, level] > 0:
            return float(waits.seconds[layer, level])
    return 0.0


@inlined
def load_delta(layer: int, first: int, last: int, goal: Goal, layers: Layers, sums: Sums, touched: Touched) -> None:
    """Compute a layer's sum after the changes listed from `first` to `last`."""
    more, term = 0.0, layers.term[layer]
    listed, changes, paces, loads = touched.links, touched.change, layers.pace, sums.load
    delays, delayed = layers.delay, layers.delay.size > 0
    for i in range(first, last):
        change = changes[i]
        if change != 0:
            link = listed[i]
            pace, load, delay = paces[link], loads[link], delays[link] if delayed else 0.0
            after = load + change
            more += link_term(with_delay(after * pace, after, delay), term, goal.limit, goal.doublings)
            more -= link_term(with_delay(load * pace, load, delay), term, goal.limit, goal.doublings)
    sums.new_power[layer] = sums.power[layer] + more


@inlined
def _hops(u: int, v: int, table: NDArray[np.float32], routes: RouteTables) -> float:
    return float(table[u, v]) if table.size else hops_between(routes, u, v)


@kernel
def hop_delta(tasks: int, place: Place, routes: RouteTables, distances: CommunicationGraph, sums: Sums) -> None:
    """Compute the distance sums after the marked move."""
    volume, messages, squared = 0.0, 0.0, 0.0
    node, after, moved = place.node, place.after, place.moved
    start, others, out, into = distances.start, distances.other, distances.out, distances.into
    table, squares, symmetric = distances.table, distances.squares, distances.symmetric
    for i in range(tasks):
        t = moved[i]
        old, new = node[t], after[t]
        for f in range(start[t], start[t + 1]):
            other = others[f]
            other_old, other_new = node[other], after[other]
            if other_new == STAYS:
                other_new = other_old
            elif other < t:
                continue
            longer = _hops(new, other_new, table, routes) - _hops(old, other_old, table, routes)
            volume += out[f, 0] * longer
            messages += out[f, 1] * longer
            if squares.size:
                squared += out[f, 1] * (float(squares[new, other_new]) - float(squares[old, other_old]))
            if not symmetric:
                longer = _hops(other_new, new, table, routes) - _hops(other_old, old, table, routes)
                volume += into[f, 0] * longer
                messages += into[f, 1] * longer
                if squares.size:
                    squared += into[f, 1] * (float(squares[other_new, new]) - float(squares[other_old, old]))
    sums.new_distance[0] = sums.distance[0] + volume
    sums.new_distance[1] = sums.distance[1] + messages
    sums.new_distance[2] = sums.distance[2] + squared


@inlined
def energy(goal: Goal, layers: Layers, power: Volumes, distance: Volumes) -> float:
    """Return the energy to minimise: the excess over the limit, or the weighted sum of the figures' logarithms."""
    times, contended, norm = distance[WAITED], 0.0, 1 << goal.doublings
    failure, before = 0, 0.0
    for layer in range(layers.term.size):
        if layers.term[layer] == CONTENTION:
            contended += power[layer]
        elif goal.limit > 0:
            times += power[layer]
        else:
            if layers.failure[layer] != failure:
                failure, before, times = layers.failure[layer], before + times**norm, 0.0
            times += power[layer] ** (1.0 / norm)
    if failure:
        # The p-norm also approximates the maximum over failures.
        times = (before + times**norm) ** (1.0 / norm)
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
    # Sum over links of the products of the shares of any two messages; for unsplit messages C(x, 2).
    return max(contended - float(distance[2]), 0.0) / 2


@inlined
def current_figure(state: SearchState) -> float:
    """Return the exact figure of the current mapping; times are relative to the start."""
    goal, layers, sums, contended = state.goal, state.layers, state.sums, 0.0
    times, failure, worst = sums.distance[WAITED], 0, 0.0
    for layer in range(layers.term.size):
        if layers.term[layer] == CONTENTION:
            contended += sums.power[layer]
        else:
            if layers.failure[layer] != failure:
                failure, worst, times = layers.failure[layer], max(worst, times), 0.0
            times += sums.hottest[layer]
    times = max(worst, times)
    if goal.only == TIME:
        return float(times)
    if goal.only == CONTENTION:
        return _pairs_sharing(contended, sums.distance)
    if goal.only >= 0:
        return float(sums.distance[0 if goal.only == HOP_BYTES else 1])
    return exp(_weighed(goal, times, contended, sums.distance) / goal.weights.sum())


@inlined
def exchange_units(a: int, b: int, spn: int, moves: Moves, place: Place) -> None:
    """Exchange two units."""
    slots, slot, node, occupant = moves.slots, place.slot, place.node, place.occupant
    for i in range(slots.shape[1]):
        s, t = slots[a, i], slots[b, i]
        if s == NO_SLOT:
            break
        first, second = occupant[s], occupant[t]
        occupant[s], occupant[t] = second, first
        if first != EMPTY:
            slot[first], node[first] = t, t // spn
        if second != EMPTY:
            slot[second], node[second] = s, s // spn


@inlined
def commit_move(state: SearchState) -> None:
    """Make the evaluated move."""
    counters, sums = state.walk.counters, state.sums
    if state.waits.level.size:
        _commit_waits(state)
    exchange_units(counters[FIRST], counters[SECOND], state.slots_per_node, state.moves, state.place)
    _load(state)
    copy(sums.new_power, sums.power)
    copy(sums.new_distance, sums.distance)
    for layer in range(state.layers.term.size):
        if sums.hot[layer] <= 0:
            find_hottest(layer, state)


@kernel
def _commit_waits(state: SearchState) -> None:
    for layer in range(state.layers.term.size):
        pairs = list_pairs(layer, state.walk.counters[TASKS], state.place, state.layers, state.touched)
        _count_hops(layer, pairs, 1, state.waits, state.touched)


@kernel
def _load(state: SearchState) -> None:
    links, sums, touched = state.links, state.sums, state.touched
    listed, changes, paces, loads = touched.links, touched.change, state.layers.pace, sums.load
    delays, delayed = state.layers.delay, state.layers.delay.size > 0
    hottest, hot = sums.hottest, sums.hot
    for i in range(state.walk.counters[LINKS]):
        if changes[i] == 0:
            continue
        link = listed[i]
        layer, pace, delay = link // links, paces[link], delays[link] if delayed else 0.0
        before = with_delay(loads[link] * pace, loads[link], delay)
        loads[link] += changes[i]
        after = with_delay(loads[link] * pace, loads[link], delay)
        if before == hottest[layer]:
            hot[layer] -= 1
        if after > hottest[layer]:
            hottest[layer], hot[layer] = after, 1
        elif after == hottest[layer]:
            hot[layer] += 1


@kernel
def find_hottest(layer: int, state: SearchState) -> None:
    """Find the longest time of a layer's links."""
    hottest, count, links, loads, paces = 0.0, 0, state.links, state.sums.load, state.layers.pace
    delays, delayed = state.layers.delay, state.layers.delay.size > 0
    for link in range(layer * links, (layer + 1) * links):
        time = with_delay(loads[link] * paces[link], loads[link], delays[link] if delayed else 0.0)
        if time > hottest:
            hottest, count = time, 1
        elif time == hottest:
            count += 1
    state.sums.hottest[layer], state.sums.hot[layer] = hottest, count


@inlined
def discard_move(tasks: int, count: int, place: Place, touched: Touched) -> None:
    """Clear the marks of a move."""
    after, moved, where, listed = place.after, place.moved, touched.where, touched.links
    for i in range(tasks):
        after[moved[i]] = STAYS
    for i in range(count):
        where[listed[i]] = -1


@kernel
def sum_loads(state: SearchState) -> None:
    """Recompute the sums over links, for another goal, or to remove rounding errors."""
    goal, layers, links, loads, paces = state.goal, state.layers, state.links, state.sums.load, state.layers.pace
    delays, delayed = layers.delay, layers.delay.size > 0
    for layer in range(layers.term.size):
        total, term = 0.0, layers.term[layer]
        for link in range(layer * links, (layer + 1) * links):
            time = with_delay(loads[link] * paces[link], loads[link], delays[link] if delayed else 0.0)
            total += link_term(time, term, goal.limit, goal.doublings)
        state.sums.power[layer] = total
        find_hottest(layer, state)


@kernel
def sum_waits(state: SearchState) -> None:
    """Recompute the waits of steps other than for links."""
    waits, layers, node = state.waits, state.layers, state.place.node
    total = waits.fixed
    if waits.level.size:
        waits.flows[:] = 0
        for layer in range(layers.term.size):
            for t in range(node.size):
                for f in range(layers.start[layer, t], layers.first_in[layer, t]):
                    u, v = node[t], node[layers.other[f]]
                    if u != v:
                        waits.flows[layer, waits.level[u, v]] += 1
            total += _longest_wait(layer, waits)
    state.sums.distance[WAITED] = total


@kernel
def sum_distances(routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    """Recompute the distances of all flows."""
    volume, messages, squared = 0.0, 0.0, 0.0
    node, sums = state.place.node, state.sums.distance
    for t in range(node.size):
        for f in range(distances.start[t], distances.start[t + 1]):
            other = distances.other[f]
            if distances.symmetric and other < t:
                continue
            u, v = node[t], node[other]
            hops = _hops(u, v, distances.table, routes)
            volume += distances.out[f, 0] * hops
            messages += distances.out[f, 1] * hops
            if distances.squares.size:
                squared += distances.out[f, 1] * distances.squares[u, v]
    sums[0], sums[1], sums[2] = volume, messages, squared
