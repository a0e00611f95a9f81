"""What a move would change, and the move itself: the loops inside all searches.

Cost of a look: the flows of the tasks that move, by row of the legs; of the rows whose sums are not zero, the links.
"""

from math import exp, log

from numba import njit

from core.load.moved import STAYS
from core.mapping.edit import EMPTY
from core.optimise.tables import CONTENTION, HOP_BYTES, HOPS, TIME, Distances, Goal, Layers, Moves, Place, Sums, Touched
from core.routing.legs import Legs, hops_between, row_of
from core.routing.routing import Nodes, Volumes, Wholes

TINY = 1e-300
OVER = 1e-9
"""Relative excess over a limit that is rounding."""


@njit(cache=True, nogil=True, inline="always")
def counted(time: float, term: int, goal: Goal) -> float:
    """Return what a link adds to its layer's sum."""
    if term == CONTENTION:
        return time * time
    if goal.limit > 0:
        over = time / goal.limit - 1.0
        return over * over if over > OVER else 0.0
    for _ in range(goal.doublings):
        time *= time
    return time


@njit(cache=True, nogil=True)
def aim(a: int, b: int, spn: int, moves: Moves, place: Place) -> int:
    """Mark what exchanging two units moves to another node; return how many tasks that are."""
    count = 0
    for i in range(moves.slots.shape[1]):
        s, t = moves.slots[a, i], moves.slots[b, i]
        if s // spn == t // spn:
            continue
        first, second = place.occupant[s], place.occupant[t]
        if first != EMPTY:
            place.after[first] = t // spn
            place.moved[count] = first
            count += 1
        if second != EMPTY:
            place.after[second] = s // spn
            place.moved[count] = second
            count += 1
    return count


@njit(cache=True, nogil=True)
def look(
    tasks: int,
    links: int,
    goal: Goal,
    place: Place,
    layers: Layers,
    legs: Legs,
    distances: Distances,
    sums: Sums,
    touched: Touched,
) -> int:
    """Work out what the marked move would make of all sums; return how many links are listed in `touched`."""
    count = 0
    for layer in range(layers.term.size):
        first = count
        pairs = list_pairs(layer, tasks, place, layers, touched)
        size = 0
        for i in range(pairs):
            size = _note_pair(touched.src[i], touched.dst[i], touched.volume[i], size, legs, touched)
        count = _spread(size, layer * links, count, legs, touched)
        weigh(layer, first, count, goal, layers, sums, touched)
    if distances.other.size:
        go_far(tasks, place, legs, distances, sums)
    return count


@njit(cache=True, nogil=True)
def list_pairs(layer: int, tasks: int, place: Place, layers: Layers, touched: Touched) -> int:
    """List the volumes that change between nodes; return how many."""
    size = 0
    node, after = place.node, place.after
    for i in range(tasks):
        t = place.moved[i]
        here, there, turn = node[t], after[t], layers.turn[layer, t]
        for f in range(layers.start[layer, t], layers.start[layer, t + 1]):
            other, volume = layers.other[f], layers.volume[f]
            old, new = node[other], after[other]
            if new == STAYS:
                new = old
            elif f >= turn:
                # What leaves another task that moves is among the flows that leave that task.
                continue
            if here != old:
                u, v = (here, old) if f < turn else (old, here)
                touched.src[size], touched.dst[size], touched.volume[size] = u, v, -volume
                size += 1
            if there != new:
                u, v = (there, new) if f < turn else (new, there)
                touched.src[size], touched.dst[size], touched.volume[size] = u, v, volume
                size += 1
    return size


@njit(cache=True, nogil=True)
def _note_pair(u: int, v: int, volume: int, size: int, legs: Legs, touched: Touched) -> int:
    for k in range(legs.when.size):
        row = row_of(legs, k, u, v)
        if row >= 0:
            size = _note(row, volume, size, touched)
    return size


@njit(cache=True, nogil=True)
def _note(row: int, volume: int, size: int, touched: Touched) -> int:
    # Add to a row of the hash table; return how many are filled.
    mask = touched.keys.size - 1
    at = (row * 0x9E3779B1 >> 7) & mask
    while touched.keys[at] != row:
        if touched.keys[at] == -1:
            touched.keys[at] = row
            touched.values[at] = volume
            touched.used[size] = at
            return size + 1
        at = (at + 1) & mask
    touched.values[at] += volume
    return size


@njit(cache=True, nogil=True)
def _spread(size: int, offset: int, count: int, legs: Legs, touched: Touched) -> int:
    # Take the rows noted to their links; return how many links are listed.
    for i in range(size):
        at = touched.used[i]
        row, volume = touched.keys[at], touched.values[at] // legs.whole
        touched.keys[at] = -1
        if volume != 0:
            for e in range(legs.start[row], legs.start[row + 1]):
                count = list_link(offset + legs.links[e], volume * legs.shares[e], count, touched)
    return count


@njit(cache=True, nogil=True)
def list_link(link: int, change: int, count: int, touched: Touched) -> int:
    """Add to the change of a link; return how many links are listed."""
    here = touched.where[link]
    if here >= 0:
        touched.change[here] += change
        return count
    touched.where[link] = count
    touched.links[count] = link
    touched.change[count] = change
    return count + 1


@njit(cache=True, nogil=True)
def list_traced(links: Nodes, volume: Wholes, offset: int, count: int, touched: Touched) -> int:
    """List what a router has traced; return how many links are listed."""
    for i in range(links.size):
        count = list_link(offset + links[i], volume[i], count, touched)
    return count


@njit(cache=True, nogil=True)
def weigh(layer: int, first: int, last: int, goal: Goal, layers: Layers, sums: Sums, touched: Touched) -> None:
    """Work out a layer's sum after the changes listed from `first` to `last`."""
    more, term = 0.0, layers.term[layer]
    for i in range(first, last):
        change = touched.change[i]
        if change != 0:
            link = touched.links[i]
            pace, load = layers.pace[link], sums.load[link]
            more += counted((load + change) * pace, term, goal) - counted(load * pace, term, goal)
    sums.new_power[layer] = sums.power[layer] + more


@njit(cache=True, nogil=True)
def go_far(tasks: int, place: Place, legs: Legs, distances: Distances, sums: Sums) -> None:
    """Work out what the marked move would make of the distances."""
    volume, messages = 0.0, 0.0
    node, after = place.node, place.after
    for i in range(tasks):
        t = place.moved[i]
        here, there = node[t], after[t]
        for f in range(distances.start[t], distances.start[t + 1]):
            other = distances.other[f]
            old, new = node[other], after[other]
            if new == STAYS:
                new = old
            elif other < t:
                continue
            longer = _hops(there, new, legs, distances) - _hops(here, old, legs, distances)
            volume += distances.out[f, 0] * longer
            messages += distances.out[f, 1] * longer
            if not distances.symmetric:
                longer = _hops(new, there, legs, distances) - _hops(old, here, legs, distances)
                volume += distances.into[f, 0] * longer
                messages += distances.into[f, 1] * longer
    sums.new_distance[0] = sums.distance[0] + volume
    sums.new_distance[1] = sums.distance[1] + messages


@njit(cache=True, nogil=True)
def _hops(u: int, v: int, legs: Legs, distances: Distances) -> float:
    if distances.table.size:
        return float(distances.table[u, v])
    return hops_between(legs, u, v) if u != v else 0.0


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _pairs_sharing(contended: float, distance: Volumes) -> float:
    # C(x, 2) summed over links: half of the squares, less half of the loads.
    return (contended - float(distance[1])) / 2


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def settle(
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
    for i in range(moves.slots.shape[1]):
        s, t = moves.slots[a, i], moves.slots[b, i]
        first, second = place.occupant[s], place.occupant[t]
        place.occupant[s], place.occupant[t] = second, first
        if first != EMPTY:
            place.slot[first] = t
        if second != EMPTY:
            place.slot[second] = s
    for i in range(tasks):
        t = place.moved[i]
        place.node[t] = place.after[t]
    for i in range(count):
        change = touched.change[i]
        if change != 0:
            _load(touched.links[i], change, links, layers, sums)
    sums.power[:] = sums.new_power
    sums.distance[:] = sums.new_distance
    for layer in range(layers.term.size):
        if sums.hot[layer] <= 0:
            find_hottest(layer, links, layers, sums)


@njit(cache=True, nogil=True)
def _load(link: int, change: int, links: int, layers: Layers, sums: Sums) -> None:
    layer, pace = link // links, layers.pace[link]
    before = sums.load[link] * pace
    sums.load[link] += change
    after = sums.load[link] * pace
    if before == sums.hottest[layer]:
        sums.hot[layer] -= 1
    if after > sums.hottest[layer]:
        sums.hottest[layer], sums.hot[layer] = after, 1
    elif after == sums.hottest[layer]:
        sums.hot[layer] += 1


@njit(cache=True, nogil=True)
def find_hottest(layer: int, links: int, layers: Layers, sums: Sums) -> None:
    """Look at all links of a layer for the longest time."""
    hottest, count = 0.0, 0
    for link in range(layer * links, (layer + 1) * links):
        time = sums.load[link] * layers.pace[link]
        if time > hottest:
            hottest, count = time, 1
        elif time == hottest:
            count += 1
    sums.hottest[layer], sums.hot[layer] = hottest, count


@njit(cache=True, nogil=True)
def forget(tasks: int, count: int, place: Place, touched: Touched) -> None:
    """Take the marks of a move away again."""
    for i in range(tasks):
        place.after[place.moved[i]] = STAYS
    for i in range(count):
        touched.where[touched.links[i]] = -1


@njit(cache=True, nogil=True)
def sum_anew(links: int, goal: Goal, layers: Layers, sums: Sums) -> None:
    """Sum over all links for another goal, or to sweep rounding away."""
    for layer in range(layers.term.size):
        total = 0.0
        for link in range(layer * links, (layer + 1) * links):
            total += counted(sums.load[link] * layers.pace[link], layers.term[layer], goal)
        sums.power[layer] = total
        find_hottest(layer, links, layers, sums)


@njit(cache=True, nogil=True)
def far_anew(place: Place, legs: Legs, distances: Distances, sums: Sums) -> None:
    """Sum the distances of all flows."""
    volume, messages = 0.0, 0.0
    for t in range(place.node.size):
        for f in range(distances.start[t], distances.start[t + 1]):
            other = distances.other[f]
            if distances.symmetric and other < t:
                continue
            hops = _hops(place.node[t], place.node[other], legs, distances)
            volume += distances.out[f, 0] * hops
            messages += distances.out[f, 1] * hops
    sums.distance[0], sums.distance[1] = volume, messages
