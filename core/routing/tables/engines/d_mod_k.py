"""D-mod-k on any tree of switches: the number of the destination chooses among the shortest paths up and down.

On a perfect tree these are the paths of `core.routing.tree.d_mod_k`, for hosts numbered in the same order. Where cables
are missing, the number chooses among the remaining ones.
"""

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Ints, components, distinct
from core.routing.tables.engines.legal import Digits, legal_tables
from core.routing.tables.engines.ranks import ranks_by, tree_levels
from core.routing.tables.engines.subnet import Cables, Entries, Subnet, cables_between
from core.spec import Progress, SpecError


def d_mod_k(subnet: Subnet, progress: Progress) -> Entries:
    """Return tables in which the destination's number chooses the port upwards.

    Raises SpecError: if the fabric is not a tree of switches.
    """
    levels = tree_levels(subnet)
    if levels is None:
        why = "needs a tree, in which cables join switches of successive levels, with hosts at the lowest"
        raise SpecError("engine", f"d-mod-k {why}; choose up-down, sssp or minhop")
    cables = subnet.cables
    by_cable = cables_between(
        cables.tail,
        cables.head,
        cables.port.astype(np.int32),
        subnet.guids.size,
        _parallel(cables) * subnet.guids.size + cables.head,
    )
    order = _switch_order(by_cable, levels)
    digits = Digits(_numbers(subnet, order, levels), _strides(by_cable, levels))
    return legal_tables(subnet._replace(cables=by_cable), ranks_by(-levels, by_cable), digits, progress)


def _parallel(cables: Cables) -> NDArray[np.int64]:
    """Return the number of each link among the links between its switches, in the order of ports."""
    pair = cables.tail.astype(np.int64) * (cables.start.size - 1) + cables.head
    order = np.argsort(pair, kind="stable")
    number = np.empty(pair.size, np.int64)
    number[order] = np.arange(pair.size) - np.searchsorted(pair[order], pair[order])
    return number


def _switch_order(cables: Cables, levels: Ints) -> NDArray[np.intp]:
    """Return the switches such that switches of a subtree follow each other, at every level."""
    keys = [np.arange(levels.size, dtype=np.int32)]
    for level in range(1, int(levels.max())):
        below = (levels[cables.tail] <= level) & (levels[cables.head] <= level)
        keys.append(components(cables.tail[below], cables.head[below], levels.size, directed=False))
    return np.lexsort(keys)


def _numbers(subnet: Subnet, order: NDArray[np.intp], levels: Ints) -> NDArray[np.int64]:
    """Return the number of each destination; every leaf has the numbers of as many hosts as the largest leaf."""
    leaf = order[levels[order] == 0]
    place = np.zeros(order.size, np.int64)
    place[leaf] = np.arange(leaf.size)
    hosts = subnet.hosts
    base = np.flatnonzero(hosts.offset == 0)
    port = np.cumsum(hosts.offset == 0) - 1
    within = (np.arange(base.size) - np.searchsorted(hosts.switch[base], hosts.switch[base]))[port]
    number = place[hosts.switch] * int(subnet.host_count.max(initial=1)) + within + hosts.offset
    return np.append(number, np.arange(order.size))


def _strides(cables: Cables, levels: Ints) -> NDArray[np.int64]:
    """Return for each switch the product of the numbers of parents on the levels below it."""
    stride = np.ones(int(levels.max()) + 1, np.int64)
    rising = levels[cables.tail] < levels[cables.head]
    pairs = distinct(cables.tail[rising].astype(np.int64) * levels.size + cables.head[rising])
    parents = np.bincount(pairs // levels.size, minlength=levels.size)
    for level in range(stride.size - 1):
        stride[level + 1] = stride[level] * parents[levels == level].max(initial=1)
    return stride[levels]
