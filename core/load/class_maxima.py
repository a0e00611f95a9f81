"""Tracks the largest load of every link class without scanning all links.

The links of a class are divided into blocks with known maxima. When links change, a block is scanned again only if the
load of its heaviest link has decreased.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.load.fixed_point import BandLoads, load_of
from core.network.network import Network
from core.routing.flows import FixedPoint

BITS = 7
BLOCK_LINKS = 1 << BITS
"""Links of a block."""

Floats = NDArray[np.float64]
NO_FLOATS: Floats = np.zeros(0)
Bytes = NDArray[np.uint8]
NO_VOLUMES: FixedPoint = np.zeros(0, np.int64)
NO_BYTES: Bytes = np.zeros(0, np.uint8)
Links = NDArray[np.int32]
Indices = NDArray[np.int64]

BOUND_STEPS = 250
"""Quantisation of bounds on background load, relative to the largest in the block; 250 + 2 fits into a byte."""


class LinkBlocks(NamedTuple):
    """The blocks of all classes. The weight of a loaded link is (load + `others`) * `slow`, of an unloaded one 0."""

    others: Floats
    """(links,) background loads, or empty without background jobs."""
    slow: Floats
    """(links,) slowdown relative to the class, or empty if all are 1."""
    class_start: Indices
    """(classes + 1,) the first link of each class."""
    class_block: Indices
    """(classes,) the first block of each class; classes without links have one block too."""
    start: Indices
    """(blocks + 1,) the first link of each block."""
    weight: Floats
    """(blocks,) the largest weight."""
    heaviest: Links
    """(blocks,) the link with the largest weight."""
    step: Floats
    """(blocks,) the unit of `steps`; without `steps`, a bound on weight - load of the block's links."""
    steps: Bytes
    """(links,) or empty: upper bound on weight - load, in `step`. It rules out most changed links as the heaviest, and
    bytes stay in a cache where `others` would not."""


class ClassMaxima:
    """The largest loads of all classes: `add` changes loads, `refresh` registers changes made elsewhere."""

    def __init__(
        self, network: Network, loads: BandLoads, slow: Floats = NO_FLOATS, others: Floats = NO_FLOATS
    ) -> None:
        ends = [c.links.stop for c in network.classes]
        starts = [np.arange(c.links.start, max(c.links.stop, c.links.start + 1), BLOCK_LINKS) for c in network.classes]
        counts = [each.size for each in starts]
        self._class_of = np.repeat(np.arange(len(starts)), counts)
        blocks = sum(counts)
        step, steps = (np.full(blocks, np.inf), NO_BYTES) if slow.size else _bounds(others, np.concatenate(starts))
        self._blocks = LinkBlocks(
            others=others,
            slow=slow,
            class_start=np.array([0, *ends], np.int64),
            class_block=np.cumsum([0, *counts])[:-1],
            start=np.concatenate([*starts, [network.links]]).astype(np.int64),
            weight=np.zeros(blocks),
            heaviest=np.full(blocks, -1, np.int32),
            step=step,
            steps=steps,
        )
        # Plain tuples: numba needs microseconds per call to unpack named ones.
        self._arrays: Any = tuple(loads), tuple(self._blocks)
        self.refresh(np.arange(network.links, dtype=np.int32))

    def add(self, links: Links, volume: FixedPoint, sign: int, band: int) -> None:
        """Add volumes of a band to links, or subtract them if `sign` is -1; a link may appear more than once."""
        _add(links, volume, sign, band, *self._arrays)

    def refresh(self, links: Links) -> None:
        """Update maxima for links, in any order and number, whose loads have changed."""
        _add(links, NO_VOLUMES, 1, 0, *self._arrays)

    @property
    def tops(self) -> Floats:
        """Return the largest weight of every class, shape ``(classes,)``; 0 without load."""
        return np.maximum.reduceat(self._blocks.weight, self._blocks.class_block)

    def longest(self, gbs: Floats, tolerance: float) -> tuple[float, int]:
        """Return the longest time (weight / bandwidth of its class) of all links, and the number of links as slow."""
        time, links = _longest(gbs, tolerance, *self._arrays)
        return time, links

    def at_least(self, limits: Floats) -> Links:
        """Return the links whose weight is at least the limit (> 0) of their class, ascending."""
        blocks = np.flatnonzero(self._blocks.weight >= limits[self._class_of])
        return _at_least(blocks, limits[self._class_of[blocks]], *self._arrays)


def _bounds(others: Floats, first: Indices) -> tuple[Floats, Bytes]:
    # Upper bounds on background loads (`LinkBlocks.step` and `steps`), given the first link of each block.
    if not others.size:
        return np.zeros(first.size), NO_BYTES
    # Appended: the block of a last class without links begins at the end.
    step: Floats = np.maximum.reduceat(np.append(others, 0.0), first) / BOUND_STEPS
    of_link = np.repeat(step, np.diff(first, append=others.size))
    counted = np.divide(others, of_link, out=np.zeros_like(others), where=of_link > 0)
    # One more as it is rounded down, and one for rounding errors.
    return step, counted.astype(np.uint8) + np.uint8(2)


@inlined
def _weighed(load: float, link: int, others: float, slow: Floats) -> float:
    # Without own load the weight is 0, also of a failed link (slow = inf): the job does not wait for unused links.
    if load <= 0:
        return load
    return (load + others) * float(slow[link]) if slow.size else load + others


@inlined
def _weight(link: int, bands: FixedPoint, unit: Floats, noise: FixedPoint, others: Floats, slow: Floats) -> float:
    # Scalars from here on: for array arguments numba updates reference counts on every branch.
    return _weighed(load_of(link, bands, unit, noise), link, float(others[link]) if others.size else 0.0, slow)


@inlined
def _bound(link: int, block: int, step: Floats, steps: Bytes) -> float:
    # Upper bound on weight - load of a link.
    return float(step[block]) * float(steps[link]) if steps.size else float(step[block])


@kernel
def _add(links: Links, volume: FixedPoint, sign: int, band: int, loads: BandLoads, blocks: LinkBlocks) -> None:
    # Without volumes: the links have changed already.
    bands, unit, noise = loads
    others, slow, class_start, class_block, start, weights, heaviest, step, steps = blocks
    for i in range(volume.size):
        bands[band, links[i]] += sign * volume[i]
    for i in range(links.size):
        link, c = links[i], 0
        while link >= class_start[c + 1]:
            c += 1
        block = class_block[c] + ((link - class_start[c]) >> BITS)
        # A link whose load has decreased is not the heaviest of its block, unless it was before.
        if heaviest[block] != link and (
            (volume.size and sign * volume[i] <= 0)
            or load_of(link, bands, unit, noise) + _bound(link, block, step, steps) < weights[block]
        ):
            continue
        weight = _weight(link, bands, unit, noise, others, slow)
        if weight >= weights[block]:
            weights[block], heaviest[block] = weight, link
        elif heaviest[block] == link:
            weights[block] = weight
            for other in range(start[block], start[block + 1]):
                if load_of(other, bands, unit, noise) + _bound(other, block, step, steps) < weights[block]:
                    continue
                weight = _weight(other, bands, unit, noise, others, slow)
                if weight > weights[block]:
                    weights[block], heaviest[block] = weight, other


@kernel
def _longest(gbs: Floats, tolerance: float, loads: BandLoads, blocks: LinkBlocks) -> tuple[float, int]:
    bands, unit, noise = loads
    others, slow, _, class_block, start, weights, _, _, _ = blocks
    time, count = 0.0, 0
    for c in range(gbs.size):
        last = class_block[c + 1] if c + 1 < gbs.size else weights.size
        for block in range(class_block[c], last):
            time = max(time, weights[block] / gbs[c])
    if time == 0.0:
        return time, count
    for c in range(gbs.size):
        limit = time * (1 - tolerance) * gbs[c]
        last = class_block[c + 1] if c + 1 < gbs.size else weights.size
        for block in range(class_block[c], last):
            if weights[block] >= limit:
                for link in range(start[block], start[block + 1]):
                    count += _weight(link, bands, unit, noise, others, slow) >= limit
    return time, count


@kernel
def _at_least(blocks: Indices, limits: Floats, loads: BandLoads, all_blocks: LinkBlocks) -> Links:
    # The links of some blocks whose weight is at least the limit of the block.
    bands, unit, noise = loads
    others, slow, _, _, start, _, _, _, _ = all_blocks
    links, size = np.empty(BLOCK_LINKS * blocks.size, np.int32), 0
    for i in range(blocks.size):
        for link in range(start[blocks[i]], start[blocks[i] + 1]):
            if _weight(link, bands, unit, noise, others, slow) >= limits[i]:
                links[size] = link
                size += 1
    return links[:size]
