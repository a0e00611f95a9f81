"""Keeps the largest load of every link class without scanning all links.

A tree over the links of each class: a block holds the maximum of `FAN` links, a block of the next level that of
`FAN` blocks. When links change, only their blocks are scanned again, and above these only blocks whose child changed.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.routing.flows import FixedPoint

BITS = 4
FAN = 1 << BITS

Floats = NDArray[np.float64]
Loads = FixedPoint | Floats
Links = NDArray[np.int32]
Table = NDArray[np.int64]


class MaxTree:
    """The tree over one array of loads: `add` changes fixed-point loads, `refresh` takes note of other changes.

    A link weighs its load times `unit` times, if given, its entry in `slow`; a load of at most `noise` weighs nothing.
    """

    def __init__(self, network: Network, load: Loads, unit: float, slow: Floats | None = None, noise: int = 0) -> None:
        ends = [0, *(c.links.stop for c in network.classes)]
        self._starts = np.array(ends, np.int64)
        blocks = [_levels(c.count) for c in network.classes]
        levels = max(map(len, blocks), default=1)
        self._count = np.array([b + [0] * (levels - len(b)) for b in blocks], np.int64).reshape(-1, levels).T.copy()
        total = np.concatenate([[0], np.cumsum(self._count.ravel())])
        self._base = total[:-1].reshape(self._count.shape).copy()
        self._keys = np.zeros(int(total[-1]))
        self._tops = np.array([self._base[len(b) - 1, c] for c, b in enumerate(blocks)], np.int64)
        self._marked = np.zeros(self._keys.size, np.bool_)
        lowest = int(self._count[0].sum())
        self._todo = (np.zeros(lowest, np.int32), np.zeros(lowest, np.int32))
        self._shape = (self._starts, self._base, self._count)
        slowness = slow if slow is not None else np.zeros(0)
        self._arrays = (load, unit, noise, slowness, *self._shape, self._keys)
        _fill(*self._arrays)

    def add(self, links: Links, volume: FixedPoint, sign: int) -> None:
        """Add volumes to the loads of links, or if `sign` is -1 take them away; a link may appear more than once."""
        _add(links, volume, sign, *self._arrays, self._marked, *self._todo)

    def refresh(self, links: Links) -> None:
        """Update the tree for links, in any order and number, whose loads were changed elsewhere."""
        _refresh(links, *self._arrays, self._marked, *self._todo)

    @property
    def tops(self) -> Floats:
        """Return the largest weight in every class, shape ``(classes,)``; 0 where nothing is loaded."""
        return self._keys[self._tops]

    def at_least(self, limits: Floats) -> Links:
        """Return the links that weigh at least the limit (> 0) of their class, ascending."""
        return _at_least(limits, *self._arrays)


def _levels(links: int) -> list[int]:
    # Blocks at every level, down to the last one.
    counts = [max(-(-links // FAN), 1)]
    while counts[-1] > 1:
        counts.append(-(-counts[-1] // FAN))
    return counts


@kernel
def _weight(link: int, load: Loads, unit: float, noise: int, slow: Floats) -> float:
    if load[link] <= noise:
        return 0.0
    weight = float(load[link]) * unit
    return weight * float(slow[link]) if slow.size else weight


@kernel
def _heaviest_link(first: int, last: int, load: Loads, unit: float, noise: int, slow: Floats) -> float:
    if slow.size == 0:
        most = noise
        for link in range(first, last):
            most = max(most, load[link])
        return float(most) * unit if most > noise else 0.0
    heaviest = 0.0
    for link in range(first, last):
        heaviest = max(heaviest, _weight(link, load, unit, noise, slow))
    return heaviest


@kernel
def _heaviest(
    level: int,
    c: int,
    block: int,
    load: Loads,
    unit: float,
    noise: int,
    slow: Floats,
    starts: Table,
    base: Table,
    count: Table,
    keys: Floats,
) -> float:
    # The heaviest link below a block, from the level below.
    if level == 0:
        first = starts[c] + block * FAN
        return _heaviest_link(first, min(first + FAN, starts[c + 1]), load, unit, noise, slow)
    first, below = base[level - 1, c] + block * FAN, base[level - 1, c] + count[level - 1, c]
    heaviest = 0.0
    for child in range(first, min(first + FAN, below)):
        heaviest = max(heaviest, keys[child])
    return heaviest


@kernel
def _fill(
    load: Loads, unit: float, noise: int, slow: Floats, starts: Table, base: Table, count: Table, keys: Floats
) -> None:
    for level in range(count.shape[0]):
        for c in range(count.shape[1]):
            for block in range(count[level, c]):
                key = _heaviest(level, c, block, load, unit, noise, slow, starts, base, count, keys)
                keys[base[level, c] + block] = key


@kernel
def _block_of(link: int, starts: Table) -> tuple[int, int]:
    # The class of a link, and its block at the lowest level.
    c = 0
    while link >= starts[c + 1]:
        c += 1
    return c, (link - starts[c]) >> BITS


@kernel
def _listed(todo: int, here: int, c: int, block: int, marked: NDArray[np.bool_], classes: Links, blocks: Links) -> int:
    # List a block, whose key is at `here`, after `todo` others, unless it is among them; return how many there are.
    if marked[here]:
        return todo
    marked[here] = True
    classes[todo], blocks[todo] = c, block
    return todo + 1


@kernel
def _add(
    links: Links,
    volume: FixedPoint,
    sign: int,
    load: Loads,
    unit: float,
    noise: int,
    slow: Floats,
    starts: Table,
    base: Table,
    count: Table,
    keys: Floats,
    marked: NDArray[np.bool_],
    classes: Links,
    blocks: Links,
) -> None:
    # A block is scanned again only if a link may have become the heaviest, or was and has become lighter.
    todo = 0
    for i in range(links.size):
        before = _weight(links[i], load, unit, noise, slow)
        load[links[i]] += sign * volume[i]
        after = _weight(links[i], load, unit, noise, slow)
        c, block = _block_of(links[i], starts)
        here = base[0, c] + block
        if after > keys[here] or (before == keys[here] and after < before):
            todo = _listed(todo, here, c, block, marked, classes, blocks)
    _climb(todo, load, unit, noise, slow, starts, base, count, keys, marked, classes, blocks)


@kernel
def _refresh(
    links: Links,
    load: Loads,
    unit: float,
    noise: int,
    slow: Floats,
    starts: Table,
    base: Table,
    count: Table,
    keys: Floats,
    marked: NDArray[np.bool_],
    classes: Links,
    blocks: Links,
) -> None:
    todo = 0
    for i in range(links.size):
        c, block = _block_of(links[i], starts)
        todo = _listed(todo, base[0, c] + block, c, block, marked, classes, blocks)
    _climb(todo, load, unit, noise, slow, starts, base, count, keys, marked, classes, blocks)


@kernel
def _climb(
    todo: int,
    load: Loads,
    unit: float,
    noise: int,
    slow: Floats,
    starts: Table,
    base: Table,
    count: Table,
    keys: Floats,
    marked: NDArray[np.bool_],
    classes: Links,
    blocks: Links,
) -> None:
    # `classes` and `blocks` list the `todo` marked blocks; the list of the next level overwrites it.
    for level in range(count.shape[0]):
        above = 0
        for i in range(todo):
            c, block = classes[i], blocks[i]
            here = base[level, c] + block
            marked[here] = False
            key = _heaviest(level, c, block, load, unit, noise, slow, starts, base, count, keys)
            if key != keys[here]:
                keys[here] = key
                if count[level, c] > 1:
                    parent = block >> BITS
                    above = _listed(above, base[level + 1, c] + parent, c, parent, marked, classes, blocks)
        todo = above


@kernel
def _at_least(
    limits: Floats,
    load: Loads,
    unit: float,
    noise: int,
    slow: Floats,
    starts: Table,
    base: Table,
    count: Table,
    keys: Floats,
) -> Links:
    found = np.empty(0, np.int32)
    for c in range(limits.size):
        level = 0
        while count[level, c] > 1:
            level += 1
        if keys[base[level, c]] < limits[c]:
            continue
        blocks = np.zeros(1, np.int32)
        for lower in range(level - 1, -1, -1):
            blocks = _children(blocks, keys[base[lower, c] : base[lower, c] + count[lower, c]], limits[c])
        found = np.append(found, _links_below(blocks, starts[c], starts[c + 1], limits[c], load, unit, noise, slow))
    return found


@kernel
def _children(blocks: Links, keys: Floats, limit: float) -> Links:
    below, size = np.empty(FAN * blocks.size, np.int32), 0
    for block in blocks:
        for child in range(block * FAN, min((block + 1) * FAN, keys.size)):
            if keys[child] >= limit:
                below[size] = child
                size += 1
    return below[:size]


@kernel
def _links_below(
    blocks: Links, start: int, stop: int, limit: float, load: Loads, unit: float, noise: int, slow: Floats
) -> Links:
    found, size = np.empty(FAN * blocks.size, np.int32), 0
    for block in blocks:
        first = start + block * FAN
        for link in range(first, min(first + FAN, stop)):
            if _weight(link, load, unit, noise, slow) >= limit:
                found[size] = link
                size += 1
    return found[:size]
