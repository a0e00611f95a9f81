"""Statements of Cui's thesis on shortcut networks about four NAS benchmarks, tested on their messages.

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies", PhD
thesis, 2024, Figures 3.13 to 3.16, 4.9 to 4.12 and 5.15 to 5.18: box plots of Mop/s of class A on 128 nodes, the
programs simulated in SimGrid. Here they are skeletons (Bailey et al., "The NAS Parallel Benchmarks", 1994, completed
by NPB 3.4): the messages of an iteration, without computation. A cell counts the pairs of placements of a sentence in
which the better placement is also faster here, by the median of draws.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from statistics import median
from typing import NamedTuple

import numpy as np

from core.job.collectives.all_to_all import AllToAll
from core.job.collectives.allreduce import Allreduce
from core.job.flows import Flows
from core.job.halo import Halo
from core.job.job import JobSpec
from core.job.sweep import Sweep
from core.load.evaluate import evaluate
from core.load.scenario import Case
from core.mapping import CirculantStride, RingConsecutive
from core.mapping.mapping import MappingSpec
from core.network.network import NetworkSpec
from core.optimise.best import with_slots
from core.optimise.method import TwoOpt
from core.optimise.objective import TotalHops
from core.papers.bounds import Bounds
from core.papers.papers import Cell, PaperTable, TableParts, cell
from core.papers.shortcut_cases import (
    COLLECTIVES,
    MAPPINGS,
    NODES,
    barrier_seconds,
    best_ranks,
    circulant,
    diameter,
    minimal_case,
    shortcuts,
)
from core.spec import Progress
from core.timing import timeline

RANKS = 128
DRAWS = 3
"""Draws of the random network and of random mappings; the thesis has 100."""
SWAPS = 20_000
ALONE = "medians of complete programs in SimGrid in the thesis, of messages with a barrier after each step here"
COMPLEX, DOUBLE, INTEGER = 16, 8, 4
"""Size of a number in bytes."""


def _ft() -> list[tuple[int, JobSpec]]:
    # The transpose of 256 x 256 x 128 complex numbers, and a checksum.
    block = COMPLEX * 256 * 256 * 128 / RANKS**2
    return [(1, AllToAll(RANKS, "bruck", block)), (1, Allreduce(RANKS, message_bytes=COMPLEX))]


def _is() -> list[tuple[int, JobSpec]]:
    # The sizes of 1,024 buckets and 5 test keys, the number of keys for each task, and 2^23 keys.
    sizes = [INTEGER, INTEGER * 2**23 / RANKS**2]
    counted = Allreduce(RANKS, message_bytes=INTEGER * (1024 + 5))
    return [(1, counted), *((1, AllToAll(RANKS, "bruck", size)) for size in sizes)]


GRID = (8, 4, 4)
"""Tasks of MG along z, y and x: rank = x + 4 (y + 4 z)."""


def _mg() -> list[tuple[int, JobSpec]]:
    # A V-cycle from 256^3 points to 8^3 and back: on each level, faces to all six neighbours; then a norm.
    levels = [(2, _sides(points)) for points in (256, 128, 64, 32, 16, 8)]
    return [*levels, (1, Allreduce(RANKS, message_bytes=2 * DOUBLE))]


def _sides(points: int) -> Flows:
    box, everyone = [points // tasks for tasks in GRID], np.arange(RANKS)
    at = np.array(np.unravel_index(everyone, GRID))
    src, dst, volume = [], [], []
    for axis, tasks in enumerate(GRID):
        side = DOUBLE * float(np.prod([edge for other, edge in enumerate(box) if other != axis]))
        for step in (1, -1):
            there = at.copy()
            there[axis] = (there[axis] + step) % tasks
            src += everyone.tolist()
            dst += np.ravel_multi_index(tuple(there), GRID).tolist()
            volume += [side] * RANKS
    return Flows(RANKS, tuple(src), tuple(dst), tuple(volume), unit="bytes")


def _lu() -> list[tuple[int, JobSpec]]:
    # Two sweeps over 62 planes of 64^3 points with five numbers each: all diagonals send at once, each for another
    # plane. Then two layers of points to each neighbour, and five norms.
    rows, cols = 16, 8
    row = 5 * DOUBLE * 64
    sweep = Sweep(rows, cols, corners=1, at_once=True, message_bytes=row / cols)
    layers = Halo(rows, cols, periodic=False, message_bytes=2 * 64 * row / cols)
    return [(2 * 62, sweep), (1, layers), (1, Allreduce(RANKS, message_bytes=5 * DOUBLE))]


class App(NamedTuple):
    """A benchmark."""

    parts: Callable[[], list[tuple[int, JobSpec]]]
    """The messages of an iteration: jobs, and how often each runs."""
    collective: str
    """The collective for which two-opt orders its ranks: Tables 3.7 and 4.3."""


APPS = {
    "FT": App(_ft, "Alltoall"),
    "IS": App(_is, "Alltoall"),
    "MG": App(_mg, "Allreduce"),
    "LU": App(_lu, "Allreduce"),
}
TOGETHER = (("FT", "IS"), ("MG", "LU"))
"""Applications whose ranks two-opt orders in the same way."""
TWO_OPT = " by two-opt"
R, T, G = (f"shortcuts, {row}" for row in ("random", "tree", "ring"))
C_R, C_T, C_G, C_C = (f"circulant, {row}" for row in ("random", "tree", "ring", "circulant"))
Mappings = dict[str, Callable[[int], MappingSpec]]
ON_SHORTCUTS = {f"shortcuts, {row}": mapping for row, mapping in MAPPINGS.items()}
DRAWN = {C_R: MAPPINGS["random"], C_T: MAPPINGS["tree"]}
FIXED: Mappings = {C_G: lambda seed: RingConsecutive(), C_C: lambda seed: CirculantStride()}
"""On the circulant network; they leave collectives almost no hops to save."""


def _with(*rows: str) -> tuple[str, ...]:
    return tuple(name for row in rows for name in (row, row + TWO_OPT))


class Statement(NamedTuple):
    """A sentence about a figure."""

    app: str
    figure: str
    words: str
    pairs: tuple[tuple[str, str], ...]
    """Pairs of a better and a worse placement."""
    why: str = ""
    """The reason for differing pairs."""


def _all(better: tuple[str, ...], worse: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(product(better, worse))


EQUAL = "neighbours have a link with either mapping, so both times are equal"
STATEMENTS = (
    Statement("FT", "3.13", "two-opt before ascending", tuple((row + TWO_OPT, row) for row in (R, T, G))),
    Statement("IS", "3.14", "two-opt before ascending", tuple((row + TWO_OPT, row) for row in (R, T, G))),
    Statement("MG", "3.15", "tree: two-opt before ascending", ((T + TWO_OPT, T),)),
    Statement("LU", "3.16", "ring: ascending before two-opt", ((G, G + TWO_OPT),)),
    Statement("FT", "4.9", "circulant and ring before random and tree", _all((C_C, C_G), _with(C_R, C_T))),
    Statement("FT", "4.9", "circulant before ring", ((C_C, C_G),)),
    Statement(
        "IS", "4.10", "ring is first", _all((C_G,), (C_C, *_with(C_R, C_T))),
        "the circulant mapping gives every message a link; the ring mapping does not for messages that wrap around",
    ),
    Statement("LU", "4.12", "circulant and ring before random and tree", _all((C_C, C_G), _with(C_R, C_T))),
    Statement("LU", "4.12", "circulant before ring", ((C_C, C_G),), EQUAL),
    Statement("FT", "5.15", "circulant network before shortcuts", _all((C_C, C_G), _with(R, G))),
    Statement(
        "IS", "5.16", "ring by two-opt on shortcuts is first", _all((G + TWO_OPT,), (R, R + TWO_OPT, G, C_C, C_G)),
        "on the circulant network its messages have links, as in FT, for which the text notes it",
    ),
    Statement(
        "MG", "5.17", "shortcuts before circulant network", _all(_with(R, G), (C_C, C_G)),
        "ranks that communicate are powers of two apart, like the linked nodes of the circulant network",
    ),
    Statement("LU", "5.18", "circulant mapping is first", _all((C_C,), (C_G, *_with(R, G))), EQUAL),
)  # fmt: skip


def _statements(names: tuple[str, ...], progress: Progress) -> Iterator[Cell]:
    medians = _medians(names, progress)
    limits = {name: _bounds(APPS[name]) for name in names}
    for row, name in product(medians[names[0]], names):
        yield cell("apps", row, f"{name}, µs", 1e6 * medians[name][row], None, ALONE, limits[name])
    for statement in STATEMENTS:
        if statement.app in names:
            held = sum(
                medians[statement.app][better] < medians[statement.app][worse] for better, worse in statement.pairs
            )
            row_name, count = f"{statement.app}: {statement.words} (Figure {statement.figure})", len(statement.pairs)
            yield cell(
                "apps", row_name, "pairs of these", held, count, ALONE if held == count else f"{statement.why}; {ALONE}"
            )


def _medians(names: tuple[str, ...], progress: Progress) -> dict[str, dict[str, float]]:
    # Seconds of an iteration, by application and placement.
    took: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in names}
    rounds: list[tuple[NetworkSpec, Mappings, int]] = []
    for seed in range(DRAWS):
        rounds += [(shortcuts(NODES, seed), ON_SHORTCUTS, seed)]
        rounds += [(circulant(NODES), DRAWN if seed else DRAWN | FIXED, seed)]
    for done, (network, mappings, seed) in enumerate(rounds):
        for row, mapping in mappings.items():
            case = minimal_case(network, COLLECTIVES[APPS[names[0]].collective](RANKS), mapping(seed))
            cases = {row: case}
            if row not in FIXED:
                cases[row + TWO_OPT] = with_slots(case, best_ranks(evaluate(case), TotalHops(), TwoOpt(), SWAPS).slots)
            for name, (placement, timed_case) in product(names, cases.items()):
                took[name][placement].append(seconds(APPS[name], timed_case))
        progress((done + 1) / len(rounds))
    return {name: {row: median(drawn) for row, drawn in rows.items()} for name, rows in took.items()}


def _bounds(app: App) -> Bounds:
    # µs of an iteration on any of the networks.
    longest = max(diameter(circulant(NODES)), *(diameter(shortcuts(NODES, seed)) for seed in range(DRAWS)))
    least = most = 0.0
    for count, part in app.parts():
        fastest, slowest = barrier_seconds(part.build(), longest)
        least, most = least + 1e6 * count * fastest, most + 1e6 * count * slowest
    return least, most


def seconds(app: App, case: Case) -> float:
    """Return the time of an iteration's messages with ranks placed as in a case."""
    scenario = case.scenario
    return sum(
        count * timeline(minimal_case(scenario.network, part, scenario.mapping, case)).seconds
        for count, part in app.parts()
    )


APPLICATIONS = PaperTable(
    "apps",
    "NAS benchmarks on 128 of 1,024 nodes (Figures 3.13 to 3.16, 4.9, 4.10, 4.12, 5.15 to 5.18)",
    TableParts(tuple(partial(_statements, names) for names in TOGETHER)),
    "about 40 s",
)
