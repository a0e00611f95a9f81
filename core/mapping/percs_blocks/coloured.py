"""Coloured blocks: small blocks assigned to supernodes so that no two share many edges, then placed carefully on nodes.

Generalises mod-colouring (`mod_colour`) to any block, grid and number of supernodes; `colouring` explains how colours
are found, and for which grids a perfect colouring exists.
"""

from collections.abc import Iterator
from itertools import islice
from math import inf
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.blocks import Shape, block_order, block_problem, check_block, node_tile
from core.mapping.mapping import MappingSpec, Slots, results_of, task_grid
from core.mapping.percs_blocks.colouring import BlockGrid, colourings, neighbourly
from core.mapping.percs_blocks.colouring_kernel import Ints
from core.mapping.percs_blocks.labels import label_apart, label_together
from core.mapping.percs_blocks.places import Routes, TileSearch, Tiling
from core.mapping.percs_blocks.places_kernel import DRAWER, DRAWERS
from core.network.families.percs import Percs
from core.network.network import Network
from core.random_numbers import state_of
from core.spec import Progress, Seed, SharedProgress, SpecError, declare
from core.text import plural_noun

CANDIDATES, SEARCHED = 24, 2
"""Numbers of equally good colourings that are labelled, and of the most promising of them that are searched."""
LABELLING, ROUND = 0.4, 0.2
"""Shares of the progress for labelling, and for each round of comparisons."""


class ColouredBlocks(MappingSpec, frozen=True, tag="coloured-blocks"):
    """Coloured blocks: rectangles of tasks spread over supernodes so that any two supernodes share few edges."""

    title: ClassVar[str] = "Coloured blocks"
    sees = "machine"
    searches: ClassVar[bool] = True
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "4 × 4, direct routing": {"rows": 4, "cols": 4},
        "4 × 8, direct routing": {"rows": 4, "cols": 8},
        "8 × 8, direct routing": {"rows": 8, "cols": 8},
        "8 × 16, indirect routing": {"rows": 8, "cols": 16, "tuned_for": "indirect"},
        "4 × 8, indirect routing": {"rows": 4, "cols": 8, "tuned_for": "indirect"},
        "4 × 4, indirect routing": {"rows": 4, "cols": 4, "tuned_for": "indirect"},
    }

    rows: Annotated[int, declare("Block rows", "rows of tasks per block", ge=1, le=1 << 20)] = 4
    cols: Annotated[int, declare("Block columns", "columns of tasks per block", ge=1, le=1 << 20)] = 4
    placement: Annotated[
        Literal["careful", "in-order"],
        declare("Node placement", "careful (search for nodes that spread the load of LL and LR links) or in order"),
    ] = "careful"
    tuned_for: Annotated[
        Routes,
        declare(
            "Optimised for",
            "direct routing (neighbours in different supernodes) or indirect routing (neighbours on the same gates)",
        ),
    ] = "direct"
    seed: Seed = 0

    def search(self, job: Job, network: Network, progress: Progress) -> Slots:
        """Return the slots of the colouring.

        Raises SpecError: if the network has no groups, or blocks do not tile the grid or a group, or cannot be divided
        evenly among the groups; with careful placement, also unless the network has the supernodes of a Power 775.
        Raises Cancelled: when `progress` does.
        """
        grid, block = task_grid(job, self.tag()), (self.rows, self.cols)
        if not network.levels:
            needed = f"{self.tag()} needs groups of nodes, such as the supernodes of percs"
            raise SpecError("mapping.type", f"{needed}; try blocks or sequential")
        check_block(block, grid, lambda b: block_problem(b, grid, network) or _uneven(b, grid, network))
        colours = _shared(block, grid, network)
        if self.placement == "careful":
            if not isinstance(network.spec, Percs):
                reason = "careful placement needs a percs network"
                raise SpecError("mapping.placement", f"{reason}; try in-order")
            if (network.spec.drawers, network.spec.nodes_per_drawer) != (DRAWERS, DRAWER):
                reason = f"careful placement needs supernodes of {DRAWERS} drawers of {DRAWER} nodes"
                raise SpecError("mapping.placement", f"{reason}; try in-order")
            results = results_of(self, grid, network.spec, colours)
            if not results:
                results.append(placed_carefully(self, grid, network.spec, colours, progress))
            return results[0].copy()
        tiling, order = _tiling(self, grid, network.slots_per_node, next(_candidates(self, grid, colours)))
        nodes = tiling.supernode * network.levels[0].nodes_per_group + tiling.place
        return _slots(nodes, order, network.slots_per_node)


def _uneven(block: Shape, grid: Shape, network: Network) -> tuple[str, str] | None:
    # The field and the reason, if blocks cannot be divided evenly among groups.
    if _shared(block, grid, network):
        return None
    (rows, cols), size, level = block, block[0] * block[1], network.levels[0]
    most = f"at most {level.nodes_per_group * network.slots_per_node // size} per {level.name}"
    groups = f"{level.count} {plural_noun(level.name)}, {most}"
    return "rows", f"{grid[0] * grid[1] // size} blocks of {rows} x {cols} cannot be divided evenly among {groups}"


def _shared(block: Shape, grid: Shape, network: Network) -> int:
    # The largest number of groups that can hold equal numbers of blocks, or 0.
    size = block[0] * block[1]
    blocks = grid[0] * grid[1] // size
    capacity = network.levels[0].nodes_per_group * network.slots_per_node // size
    counts = range(network.levels[0].count, 0, -1)
    return next((count for count in counts if blocks % count == 0 and blocks // count <= capacity), 0)


def _candidates(spec: ColouredBlocks, grid: Shape, colours: int) -> Iterator[Ints]:
    blocks = BlockGrid(grid[0] // spec.rows, grid[1] // spec.cols, spec.rows, spec.cols)
    if spec.tuned_for == "indirect":
        return islice([neighbourly(blocks, colours)], 1)
    return islice(colourings(blocks, colours, spec.seed), CANDIDATES)


def _tiling(spec: ColouredBlocks, grid: Shape, slots: int, colour: Ints) -> tuple[Tiling, NDArray[np.intp]]:
    # The node tiles, row-major, and the place of each task: tile * slots + place in the tile.
    shape = node_tile(slots, (spec.rows, spec.cols))
    assert shape is not None
    block, within = block_order(grid, (spec.rows, spec.cols), shape)
    tile, core = block_order(grid, shape, shape)
    share = spec.rows * spec.cols // slots
    first = np.flatnonzero(core == 0)
    first = first[np.argsort(tile[first])]
    rank = np.empty(colour.size, np.int64)
    order = np.argsort(colour, kind="stable")
    rank[order] = np.arange(colour.size) - np.searchsorted(colour[order], colour[order])
    place = rank[block[first]] * share + within[first] // slots
    tiles = BlockGrid(grid[0] // shape[0], grid[1] // shape[1], *shape)
    return Tiling(colour[block[first]], place, tiles.neighbours, tiles.edges), tile * slots + core


def _slots(nodes: Ints, order: NDArray[np.intp], slots: int) -> Slots:
    tile, core = np.divmod(order, slots)
    return (nodes[tile] * slots + core).astype(np.int32)


def placed_carefully(spec: ColouredBlocks, grid: Shape, percs: Percs, colours: int, progress: Progress) -> Slots:
    """Return the slots of the best placement found.

    Raises Cancelled: when `progress` does.
    """
    state, slots = state_of(spec.seed), percs.slots_per_node
    tiles = spec.rows * spec.cols // slots
    chunk = tiles if DRAWER % tiles == 0 else DRAWER
    relabel = label_apart if spec.tuned_for == "direct" else label_together
    searches: list[tuple[float, TileSearch]] = []
    shared = SharedProgress(progress)
    labelled = shared.part(LABELLING)
    for colour in _candidates(spec, grid, colours):
        labelled(len(searches) / CANDIDATES)
        tiling, order = _tiling(spec, grid, slots, colour)
        tiling = tiling.relabelled(relabel(tiling, percs, state))
        search = TileSearch(tiling, percs, spec.tuned_for, chunk, state)
        promise = search.promise(1)
        if promise <= search.goal:
            searches = [(promise, search)]
            break
        searches.append((promise, search))
    nodes = _most_promising(searches, shared.part())
    progress(1.0)
    return _slots(nodes, order, slots)


def _most_promising(searches: list[tuple[float, TileSearch]], progress: Progress) -> Ints:
    # The nodes of the tiles from the best search. The worst two thirds of the searches are dropped repeatedly.
    attempts, shared = 2, SharedProgress(progress)
    while len(searches) > SEARCHED:
        searches = sorted(searches, key=lambda entry: entry[0])[: max(SEARCHED, len(searches) // 3)]
        compared = shared.part(ROUND)
        for k, (_, search) in enumerate(searches):
            searches[k] = search.promise(attempts), search
            compared((k + 1) / len(searches))
        attempts *= 2
    first, *others = (search for _, search in sorted(searches, key=lambda entry: entry[0]))
    first.run(inf, shared.part(0.5))
    for other in others:
        if first.time > first.goal:
            other.run(first.time, shared.part())
            first = min(first, other, key=lambda search: search.time)
    return first.nodes
