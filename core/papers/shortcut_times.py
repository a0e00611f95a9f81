"""Statements of Cui's thesis on shortcut networks about times of collectives, tested in a simple model.

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies", PhD
thesis, 2024. The thesis simulates with SimGrid; here a step takes 100 ns for each hop of its longest path plus one, and
the time of its busiest link at 100 Gb/s (Tables 3.3 and 4.2). Hence only the order of mappings is compared: a cell
counts the message sizes at which the order read off a figure holds.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import msgspec
import numpy as np

from core.load.scenario import Case
from core.mapping import CirculantStride, HierarchicalTree, RingConsecutive
from core.mapping.explicit import Explicit, SlotList
from core.mapping.mapping import MappingSpec
from core.network.network import NetworkSpec
from core.optimise.best import with_slots
from core.optimise.method import TwoOpt
from core.optimise.objective import AnyObjective, Contention, TotalHops
from core.papers.papers import Cell, PaperTable, TableParts, cell
from core.papers.shortcut_cases import (
    COLLECTIVES,
    DRAGONFLY,
    FEW_SWAPS,
    MAPPINGS,
    NODES,
    PRINTED,
    RANKS,
    SWAPS,
    TIMING,
    best_ranks,
    circulant,
    evaluated,
    minimal_case,
    shortcuts,
)
from core.spec import Progress
from core.timing import timeline

SMALL, LARGE = (256, 1 << 10, 1 << 12, 1 << 14), (1 << 16, 1 << 18, 1 << 20)
"""Message sizes of the figures, bytes."""
GB = 1e9
MODEL = "the simulator of the thesis shares links differently, so only orders can be compared, not percentages"

WIRING = "each step waits for its longest path, 3 hops on a dragonfly, whose global links are not given in the thesis"


class Time(NamedTuple):
    """Time of a collective as a function of the message size."""

    waits: float
    byte: float

    def of(self, size: float) -> float:
        """Return the seconds for messages (or blocks of them) of `size` bytes."""
        return self.waits + self.byte * size


def time_of(case: Case) -> Time:
    """Return the time of a collective, whose messages here have 1 GB."""
    times = timeline(case)
    waits = sum(TIMING.hop_seconds * (step.max_hops + 1) for step in times.steps)
    return Time(waits, (times.seconds - waits) / GB)


def timed(network: NetworkSpec, name: str, mapping: MappingSpec, objective: AnyObjective | None = None) -> Time:
    """Return the time of a collective with ranks ordered by the mapping, or by two-opt for an objective."""
    report = evaluated(network, msgspec.structs.replace(COLLECTIVES[name](RANKS), message_bytes=GB), mapping)
    if objective is None:
        return time_of(report.case)
    swaps = FEW_SWAPS if isinstance(objective, Contention) else SWAPS
    return time_of(with_slots(report.case, best_ranks(report, objective, TwoOpt(), swaps).slots))


def sizes_faster(better: Sequence[Time], worse: Sequence[Time], sizes: Sequence[int]) -> int:
    """Return the number of sizes at which all of `better` are faster than all of `worse`."""
    return sum(max(time.of(size) for time in better) < min(time.of(size) for time in worse) for size in sizes)


def order(table: str, row: str, better: Sequence[Time], worse: Sequence[Time], sizes: Sequence[int], note: str) -> Cell:
    """Return a cell: the number of sizes at which `better` is faster; the printed statement is for all sizes."""
    return cell(table, row, "sizes", sizes_faster(better, worse, sizes), len(sizes), note)


ASCENDING, CCO, BY_HOPS, BY_CONTENTION = "ascending", "CCO", "two-opt", "two-opt on contention"


def times_by_order(network: NetworkSpec, name: str, mapping: MappingSpec) -> dict[str, Time]:
    """Return the times of a collective on a mapping's nodes, by method of ordering the ranks.

    CCO orders nodes for a Broadcast only, as in the thesis.
    """
    times = {
        ASCENDING: timed(network, name, mapping),
        BY_HOPS: timed(network, name, mapping, TotalHops()),
        BY_CONTENTION: timed(network, name, mapping, Contention()),
    }
    if name == "Broadcast":
        times[CCO] = timed(network, name, chained(network, mapping))
    return times


def chained(network: NetworkSpec, mapping: MappingSpec) -> Explicit:
    """Return a mapping's nodes in pre-order of the breadth-first tree from node 0 (CCO)."""
    job = COLLECTIVES["Broadcast"]
    all_nodes = minimal_case(network, job(NODES), HierarchicalTree(order="random", ranks="depth-first"))
    turn = np.argsort(all_nodes.mapping.nodes)
    nodes = minimal_case(network, job(RANKS), mapping, all_nodes).mapping.nodes
    return Explicit(SlotList(nodes[np.argsort(turn[nodes])].tolist()))


def _on_shortcuts(name: str, progress: Progress) -> Iterator[Cell]:
    table, network, sizes, note = "times-3", shortcuts(NODES, 0), SMALL + LARGE, "section 3.4.2"
    by_row = {}
    for done, (row, mapping) in enumerate(MAPPINGS.items()):
        by_row[row] = times_by_order(network, name, mapping(0))
        yield order(
            table,
            f"{name}, {row}: two-opt before ascending",
            [by_row[row][BY_HOPS]],
            [by_row[row][ASCENDING]],
            sizes,
            note,
        )
        progress((done + 1) / len(MAPPINGS))
    for row, by in by_row.items():
        if CCO in by:
            row_name = f"{name}, {row}: two-opt before CCO"
            yield order(table, row_name, [by[BY_HOPS]], [by[CCO]], sizes, f"{note}: usually")
        elif name != "Broadcast":
            row_name = f"{name}, {row}: two-opt on contention before that on hops"
            faster = sizes_faster([by[BY_CONTENTION]], [by[BY_HOPS]], LARGE)
            yield cell(table, row_name, "sizes", faster, None, FROM_64_KB, (0, len(LARGE)))
    first = by_row["random"].pop(BY_HOPS)
    others = {f"{row}, {ordering}": time for row, by in by_row.items() for ordering, time in by.items()}
    ahead = [ordering for ordering, time in others.items() if time.of(LARGE[-1]) < first.of(LARGE[-1])]
    words = f"{note}: usually" + (f"; at 1 MB it comes after {', '.join(ahead)}" if ahead else "")
    yield order(table, f"{name}: random by two-opt is first", [first], list(others.values()), sizes, words)


FROM_64_KB = "of 3 sizes from 64 KB; from a drawing"


def _on_circulant(name: str, progress: Progress) -> Iterator[Cell]:
    table, network = "times-4", circulant(NODES)
    best = [timed(network, name, mapping) for mapping in (CirculantStride(), RingConsecutive())]
    by_row = {row: times_by_order(network, name, MAPPINGS[row](0)) for row in ("random", "tree")}
    sizes = LARGE if name == "Broadcast" else SMALL + LARGE
    row_name = f"{name}: circulant and ring before random and tree"
    yield order(table, row_name, best, [time for by in by_row.values() for time in by.values()], sizes, "section 4.5.2")
    for ordering, row in product((ASCENDING, BY_HOPS), () if name == "Broadcast" else by_row):
        gain = 100 * (1 - best[0].of(LARGE[-1]) / by_row[row][ordering].of(LARGE[-1]))
        yield PRINTED.cell(table, f"{name}, 1 MB: circulant faster than {row}, {ordering}", "%", gain, MODEL)
    progress(1.0)


def _compared(name: str, progress: Progress) -> Iterator[Cell]:
    table, sizes = "times-5", SMALL + LARGE
    random = shortcuts(NODES, 0)
    ours = [MAPPINGS[row](0) for row in ("ring", "random")]
    dragonfly_ring, dragonfly = (timed(DRAGONFLY, name, mapping) for mapping in ours)
    plain = [timed(random, name, mapping) for mapping in ours]
    by_hops = [timed(random, name, mapping, TotalHops()) for mapping in ours]
    best = timed(circulant(NODES), name, RingConsecutive())
    others = [dragonfly, *plain, *by_hops]
    yield order(table, f"{name}: ring on a dragonfly is last", [best, *others], [dragonfly_ring], sizes, WIRING)
    row_name = f"{name}: two-opt on random shortcuts before a dragonfly"
    yield order(table, row_name, by_hops, [dragonfly, dragonfly_ring], sizes, WIRING)
    where = LARGE if name == "Broadcast" else sizes
    yield order(table, f"{name}: ring on the circulant is first", [best], others, where, "section 5.2.2")
    times = dict(zip(("dragonfly, random", "dragonfly, ring"), (dragonfly, dragonfly_ring), strict=True))
    times |= dict(zip(("shortcuts, ring", "shortcuts, random"), plain, strict=True))
    for faster, slower in PAIRED[name]:
        yield order(table, f"{name}: {faster} before {slower}", [times[faster]], [times[slower]], sizes, WIRING)
    progress(1.0)


PAIRED = {
    "Broadcast": (("dragonfly, random", "shortcuts, random"), ("dragonfly, random", "shortcuts, ring")),
    "Allreduce": (("dragonfly, random", "shortcuts, ring"), ("shortcuts, random", "dragonfly, random")),
    "Alltoall": (("shortcuts, ring", "dragonfly, ring"), ("shortcuts, random", "shortcuts, ring")),
}
"""Pairs of placements in section 5.2.2: the faster, the slower."""


def _by_collective(statements: Callable[[str, Progress], Iterator[Cell]]) -> TableParts:
    return TableParts(tuple(partial(statements, name) for name in COLLECTIVES))


TIMES = (
    PaperTable(
        "times-3",
        "sizes, of those shown, at which it holds on random shortcuts",
        _by_collective(_on_shortcuts),
        "about 20 s",
    ),
    PaperTable(
        "times-4", "sizes at which it holds on the circulant network", _by_collective(_on_circulant), "about 10 s"
    ),
    PaperTable("times-5", "sizes at which it holds among networks", _by_collective(_compared), "about 10 s"),
)
