"""Tables of Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies".

Source: PhD thesis, 2024. Its tables, and figures stated in its text, are compared with our figures. "Ascending order"
of ranks must mean the order of the mapping, rank i on the i-th node, since only then are its tables reproduced.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import ceil, log2, sqrt
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
import numpy as np

from core.job.collectives.allreduce import Allreduce
from core.job.collectives.binomial import Broadcast
from core.load.evaluate import LoadReport
from core.mapping import CirculantStride, Explicit, RingConsecutive
from core.mapping.explicit import SlotList
from core.network import Dragonfly, Hypercube, Mesh, Shortcut, Torus
from core.network.families.global_wiring import Arrangement
from core.network.layouts.ring import ring
from core.network.metrics.cabling import Prices, cabling
from core.network.metrics.metrics import count
from core.network.network import Counts, Network, NetworkSpec
from core.network.wiring import EdgeList, network_from_edges
from core.optimise.method import Annealing, TwoOpt
from core.optimise.objective import AnyObjective, Contention, Seconds, TotalHops
from core.papers.bounds import Bounds, moore, saving
from core.papers.papers import Cell, Paper, PaperTable, TableParts, cell
from core.papers.plain_annealing import anneal
from core.papers.shortcut_apps import APPLICATIONS, DRAWS
from core.papers.shortcut_cases import (
    COLLECTIVES,
    DRAGONFLY,
    FEW,
    FEW_SWAPS,
    MANY_SWAPS,
    MAPPINGS,
    MESSAGES,
    NEAR,
    NODES,
    PRINTED,
    RANKS,
    SWAPS,
    TOPOLOGIES,
    barrier_seconds,
    best_ranks,
    circulant,
    degree,
    diameter,
    drawn,
    evaluated,
    hop_bounds,
    hops,
    phase_sums,
    shortcuts,
)
from core.papers.shortcut_pairs import PAIRS
from core.papers.shortcut_times import TIMES
from core.spec import Progress
from core.timing.messages import total


def _formula(row: str, unit: str, ours: float, printed: float, right: str = "") -> Cell:
    # Results of formulas are not rounded.
    return msgspec.structs.replace(cell("formulas", row, unit, ours, printed, right), agrees=abs(ours - printed) < 1e-9)


def _formulas(progress: Progress) -> Iterator[Cell]:
    for k in (4, 5):
        name, ours = f"torus {k} x {k}: diameter, n ceil(k/2)", _counted(Torus((k, k))).diameter
        yield _formula(name, "hops", ours, 2 * -(-k // 2), "correct: n floor(k/2)")
    yield _formula("mesh 4 x 4: diameter, n (k - 1)", "hops", _counted(Mesh((4, 4))).diameter, 2 * (4 - 1))
    yield _formula("hypercube of 16: diameter, n", "hops", _counted(Hypercube(4)).diameter, 4)
    for name, network, printed in (
        ("torus 4 x 4: ASPL, n (k - 1) / 4", Torus((4, 4)), 2 * (4 - 1) / 4),
        ("mesh 4 x 4: ASPL, n (k - 1) / 3", Mesh((4, 4)), 2 * (4 - 1) / 3),
        ("hypercube of 16: ASPL, n / 2", Hypercube(4), 4 / 2),
    ):
        far = _counted(network).distance_sum
        why = f"correct: {far} hops over 240 ordered pairs of different nodes"
        yield _formula(name, "hops", far / 240, printed, why)
    yield from _dragonfly_formulas()
    progress(1.0)


def _dragonfly_formulas() -> Iterator[Cell]:
    a, p, h, g = 4, 4, 2, 9
    network = Dragonfly(routers=a, global_links=h, groups=g, nodes_per_router=p).build()
    wide = next(link_class.count for link_class in network.classes if link_class.name == "global") / 2
    where, radix = f"dragonfly a = {a}, p = {p}, h = {h}, g = {g}", int(np.diff(network.out_links.start).max())
    yield _formula(f"{where}: PEs, N = a p / 2", "nodes", network.nodes, a * p / 2, "correct: a p g")
    yield _formula(f"{where}: radix, p + a", "ports", radix, p + a, "correct: p + h + a - 1")
    yield _formula(f"{where}: routers, a g", "routers", network.vertices - network.nodes, a * g)
    yield _formula(f"{where}: global links, a p g / 4", "links", wide, a * p * g / 4)


def _counted(spec: NetworkSpec) -> Counts:
    return count(spec.build())[0]


MEASURED_NODES, CABLED_NODES = (64, 256, 1024, 4096, 8192), (64, 256, 1024, 4096)
"""Network sizes of Figures 5.1 and 5.2, and of 5.19 and 5.20."""


def _metrics(progress: Progress) -> Iterator[Cell]:
    sizes = MEASURED_NODES
    by_network: dict[str, list[Measured]] = {"circulant": [], "random": []}
    for done, nodes in enumerate(sizes):
        for name, network in (("circulant", circulant(nodes)), ("random", shortcuts(nodes, 0))):
            metrics = measured(network)
            by_network[name].append(metrics)
            limits = SizeBounds.of(nodes, degree(nodes), nodes // 2)
            yield from _shown(f"{name}, {nodes:,}", metrics, limits)
        progress((done + 1) / len(sizes))
    dragonfly, ports = measured(DRAGONFLY), DRAGONFLY.routers - 1 + DRAGONFLY.global_links
    yield from _shown(f"dragonfly, {NODES:,}", dragonfly, SizeBounds.of(NODES, ports, 3))
    wider = sum(a.diameter > b.diameter for a, b in zip(*by_network.values(), strict=True))
    row, beyond = "section 5.1: beyond 64 nodes", len(sizes) - 1
    yield cell("metrics", "sizes at which the circulant's is larger", "diameter", wider, beyond, row)
    farther = sum(a.aspl > b.aspl for a, b in zip(*by_network.values(), strict=True))
    yield cell("metrics", "sizes at which the circulant's is larger", "ASPL", farther, len(sizes), "section 5.1")
    of_1024 = {name: some[sizes.index(NODES)].aspl for name, some in by_network.items()}
    between = of_1024["random"] < dragonfly.aspl < of_1024["circulant"]
    yield cell("metrics", "dragonfly's lies between the others'", "ASPL", between, 1, "section 5.1")


class Measured(NamedTuple):
    """Size and distances of a network."""

    links: int
    degree: int
    diameter: float
    aspl: float


def measured(spec: NetworkSpec) -> Measured:
    """Return the figures of a connected network."""
    network = spec.build()
    counts, pairs = count(network)[0], network.nodes * (network.nodes - 1)
    return Measured(counts.joined, counts.degree, counts.diameter, counts.distance_sum / pairs)


class SizeBounds(NamedTuple):
    """Bounds of the figures of a network whose nodes all have the same degree."""

    links: Bounds
    degree: Bounds
    diameter: Bounds
    aspl: Bounds

    @classmethod
    def of(cls, nodes: int, degree: int, most: int) -> Self:
        """Return the bounds for a diameter of at most `most`: half the nodes if they are on a ring."""
        links, (diameter, aspl) = nodes * degree / 2, moore(nodes, degree)
        return cls((links, links), (degree, degree), (diameter, most), (aspl, most))


def _shown(row: str, metrics: Measured, limits: SizeBounds) -> Iterator[Cell]:
    for column, ours, bounds in zip(("links", "degree", "diameter", "ASPL"), metrics, limits, strict=True):
        yield PRINTED.cell("metrics", row, column, ours, bounds=bounds)


ARRANGEMENTS: tuple[Arrangement, ...] = ("absolute", "relative", "cyclic")


def _hop_counts(progress: Progress) -> Iterator[Cell]:
    for done, (name, collective) in enumerate(COLLECTIVES.items()):
        job, mapping, row = collective(NODES), RingConsecutive(), partial(drawn, "hops", name)
        least = hops(circulant(NODES), job, mapping)
        topologies = [shortcuts(NODES, seed) for seed in range(FEW)]
        random = [hops(topology, job, mapping) for topology in topologies]
        wired = [msgspec.structs.replace(DRAGONFLY, arrangement=arrangement) for arrangement in ARRANGEMENTS]
        dragonfly = [hops(wired_spec, job, mapping) for wired_spec in wired]
        yield row("circulant", [least], bounds=hop_bounds(name, NODES, circulant(NODES)))
        yield row("random", random, bounds=hop_bounds(name, NODES, *topologies))
        yield row("dragonfly", dragonfly, bounds=hop_bounds(name, NODES, *wired))
        yield row("less than random, %", [100 * (1 - least / random_hops) for random_hops in random])
        why = "the thesis does not give the router of each global link; three arrangements are computed here"
        yield row("less than dragonfly, %", [100 * (1 - least / wired_hops) for wired_hops in dragonfly], why)
        progress((done + 1) / len(COLLECTIVES))


def _cables(progress: Progress) -> Iterator[Cell]:
    sizes, prices = CABLED_NODES, Prices()
    for done, nodes in enumerate(sizes):
        of_circulant = cabling(circulant(nodes).build(), prices)
        of_random = [cabling(shortcuts(nodes, seed).build(), prices) for seed in range(FEW)]
        assert of_circulant is not None
        kept = [cables for cables in of_random if cables is not None]
        row, length = str(nodes), _cable_bounds(nodes, prices)
        yield cell("cable", row, "circulant, m", of_circulant.mean_m, None, bounds=length)
        yield drawn("cable", row, "random, m", [cables.mean_m for cables in kept], bounds=length)
        less = [100 * (1 - of_circulant.mean_m / cables.mean_m) for cables in kept]
        yield drawn("cable", row, "shorter, %", less, bounds=saving(length, length))
        cheaper = [100 * (1 - of_circulant.cost / cables.cost) for cables in kept]
        note = "the thesis gives no prices; prices are assumed here"
        yield drawn("cable", row, "cheaper, %", cheaper, note, saving(length, length))
        progress((done + 1) / len(sizes))


def _cable_bounds(nodes: int, prices: Prices) -> Bounds:
    # A cable inside a cabinet is the shortest, one across the entire floor of nearly square rows the longest.
    side = ceil(sqrt(nodes / prices.switches_per_cabinet))
    return prices.inside, prices.between + (side - 1) * (prices.width + prices.depth)


class RingOf32(NetworkSpec, frozen=True, tag="ring-of-32"):
    """The network of Cui's Figures 3.1 to 3.6, as far as the tables determine it: a ring and four shortcuts."""

    def build(self, folder: Path | None = None) -> Network:
        """Return the network."""
        node = np.arange(32, dtype=np.int32)
        ends = np.array([(5, 7), (0, 20), (7, 20), (2, 4)], np.int32).T
        edges = [EdgeList("ring", 12.5, node, np.roll(node, -1)), EdgeList("shortcut", 12.5, *ends)]
        return network_from_edges(self, 32, edges, ring, slots=1)

    def summary(self) -> str:
        """Return its size."""
        return "32 nodes"


def _small_case(progress: Progress) -> Iterator[Cell]:
    report = evaluated(RingOf32(), Broadcast(8), RingConsecutive())
    ascending = round(total(report)[1])
    yield PRINTED.cell("3.1", "ascending", "hops", ascending)
    swapped = Explicit(SlotList((0, 1, 2, 3, 7, 5, 6, 4)))
    why = "Table 3.1 has 2 hops between nodes 4 and 6, Table 3.2 has 1"
    hops_swapped = hops(RingOf32(), Broadcast(8), swapped)
    yield PRINTED.cell("3.1", "ranks 4 and 7 swapped (Table 3.2)", "hops", hops_swapped, why)
    best = best_ranks(report, TotalHops(), TwoOpt(), 1000).best
    yield cell("3.1", "after a thousand swaps", "hops", best, None, bounds=(MESSAGES["Broadcast"](8), ascending))
    progress(1.0)


MIN_HOPS_NODES = (16, 128, 1024)
"""Network sizes for which the formulas of Table 4.1 are tested."""


def _least(progress: Progress) -> Iterator[Cell]:
    for done, nodes in enumerate(MIN_HOPS_NODES):
        for name, job in COLLECTIVES.items():
            printed = nodes - 1 if name == "Broadcast" else nodes * log2(nodes)
            row = f"{name}, n = {nodes}"
            yield cell("4.1", row, "whole machine", hops(circulant(nodes), job(nodes), RingConsecutive()), printed)
            of_twice = hops(circulant(2 * nodes), job(nodes), CirculantStride())
            yield cell("4.1", row, "half of one, circulant mapping", of_twice, printed)
        progress((done + 1) / len(MIN_HOPS_NODES))


PLACED = {"3.4": "Broadcast", "3.5": "Allreduce", "3.6": "Alltoall"}
"""Tables of hops in ascending order and after two-opt, and the reduction in % that the text states."""


def _placement(table: str, row: str, progress: Progress) -> Iterator[Cell]:
    before, after = [], []
    for seed in range(TOPOLOGIES):
        report = evaluated(shortcuts(NODES, seed), COLLECTIVES[PLACED[table]](RANKS), MAPPINGS[row](seed))
        before.append(total(report)[1])
        after.append(best_ranks(report, TotalHops(), TwoOpt(), SWAPS).best)
        progress((seed + 1) / TOPOLOGIES)
    fewer = [100 * (1 - end / start) for start, end in zip(before, after, strict=True)]
    yield drawn(table, row, "ascending", before)
    yield drawn(table, row, "two-opt", after)
    yield drawn(table, row, "fewer, %", fewer, "the text contradicts its own table")


def _many_swaps(name: str, progress: Progress) -> Iterator[Cell]:
    curve = "from a curve of up to a million swaps, at an unknown point"
    swapped = "the text gives random 32 and tree 44, which fit if exchanged"
    for done, (row, mapping) in enumerate(MAPPINGS.items()):
        fewer = []
        for seed in range(FEW):
            report = evaluated(shortcuts(NODES, seed), COLLECTIVES[name](RANKS), mapping(seed))
            best = best_ranks(report, TotalHops(), TwoOpt(), MANY_SWAPS).best
            fewer.append(100 * (1 - best / total(report)[1]))
        note = swapped if name == "Broadcast" and row != "ring" else curve
        yield drawn("swaps", name, f"{row}, % fewer", fewer, note)
        progress((done + 1) / len(MAPPINGS))


def _annealing(name: str, row: str, objective: AnyObjective, progress: Progress) -> Iterator[Cell]:
    note = "Figure 3.17 and its text: annealing needs fewer hops than two-opt; numbers drawn, and for other sizes"
    plain = "two random ranks per swap, T from 2 to 0.05 hops; our search mostly moves a rank next to a partner"
    of_hops = isinstance(objective, TotalHops)
    swaps, job = (MANY_SWAPS, Broadcast(RANKS)) if of_hops else (FEW_SWAPS, Allreduce(RANKS, message_bytes=1e6))
    report = evaluated(shortcuts(NODES, 0), job, MAPPINGS[row](0))
    by_swaps = best_ranks(report, objective, TwoOpt(), swaps)
    cell_of = partial(cell, "annealing", f"{name}, {row}: {objective.tag()}")
    least, most = _objective_bounds(report, name, objective)
    limits = least, by_swaps.start
    yield cell_of("ascending", by_swaps.start, None, note, (least, most))
    yield cell_of("two-opt", by_swaps.best, None, note, limits)
    progress(0.3)
    yield cell_of("annealing", best_ranks(report, objective, Annealing(), swaps).best, None, note, limits)
    if of_hops:
        yield cell_of("textbook annealing", anneal(report, swaps), None, plain, limits)
    progress(1.0)


def _objective_bounds(report: LoadReport, name: str, objective: AnyObjective) -> Bounds:
    network, tasks = report.case.scenario.network, report.case.job.tasks
    if isinstance(objective, TotalHops):
        return hop_bounds(name, tasks, network)
    if isinstance(objective, Seconds):
        return barrier_seconds(report.case.job, diameter(network))
    # Any two messages of a step may meet on every link of the longer path.
    pairs = sum(phase.messages * (phase.messages - 1) / 2 for phase in phase_sums(report.case.job))
    return 0, pairs * diameter(network)


SMALL_DEGREE, A_FEW_SWAPS = 8, 5000
"""Sizes in section 3.5."""
GROWING = (128, 256, 512, 1024, 2048)


def _scaling(progress: Progress) -> Iterator[Cell]:
    fewer = []
    for done, nodes in enumerate(GROWING):
        report = evaluated(Shortcut(nodes, SMALL_DEGREE, 0), Broadcast(nodes), RingConsecutive())
        result = best_ranks(report, TotalHops(), TwoOpt(), A_FEW_SWAPS)
        fewer.append(result.best < result.start)
        note = "section 3.5.1; drawn, without numbers"
        least, most = hop_bounds("Broadcast", nodes, report.case.scenario.network)
        yield cell("figure-3.17", f"{nodes:,} nodes", "MPICH2, hops", result.start, None, note, (least, most))
        yield cell("figure-3.17", f"{nodes:,} nodes", "two-opt, hops", result.best, None, note, (least, result.start))
        progress((done + 1) / len(GROWING))
    yield cell("figure-3.17", "sizes at which it has fewer", "two-opt, hops", sum(fewer), len(fewer), "section 3.5.1")


ANNEALED = (
    *(partial(_annealing, "Broadcast", row, TotalHops()) for row in MAPPINGS),
    *(partial(_annealing, "Allreduce", "random", objective) for objective in (Contention(), Seconds())),
)


def _in_parts(part: Callable[[str, Progress], Iterator[Cell]], names: Iterable[str]) -> TableParts:
    return TableParts(tuple(partial(part, name) for name in names))


PAPER = Paper(
    "Ke Cui, Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies, 2024",
    (
        PaperTable("formulas", "sizes and distances by the formulas of section 2.1", _formulas),
        PaperTable("metrics", "networks of one degree (Figures 5.1 and 5.2)", _metrics),
        PaperTable("hops", "hops on 1,024 nodes, all of them, ring mapping (Figures 5.3 to 5.5)", _hop_counts),
        PaperTable("cable", "mean cable length, and cost of switches and cables (Figures 5.19 and 5.20)", _cables),
        PaperTable("3.1", "hops of a Broadcast among 8 of 32 nodes", _small_case),
        PaperTable("figure-3.17", "hops of a Broadcast to all nodes, degree 8, 5,000 swaps (Figure 3.17)", _scaling),
        PaperTable("4.1", "hops on the circulant network G(n, log2 n)", _least),
        *(
            PaperTable(
                table,
                f"hops of {name}, 512 ranks on 1,024 nodes",
                _in_parts(partial(_placement, table), MAPPINGS),
                "about 20 s",
            )
            for table, name in PLACED.items()
        ),
        PaperTable(
            "swaps",
            "savings by a million swaps (text on Figures 3.7 to 3.9)",
            _in_parts(_many_swaps, COLLECTIVES),
            "about 40 s",
        ),
        PaperTable(
            "annealing",
            f"ranks after {MANY_SWAPS:,} swaps for hops, {FEW_SWAPS:,} for others, 1 MB",
            TableParts(ANNEALED),
            "about 40 s",
        ),
        *PAIRS,
        *TIMES,
        APPLICATIONS,
    ),
    (
        f"Tables 3.4 to 3.6: mean [minimum .. maximum] of {TOPOLOGIES} random topologies, of {FEW} elsewhere; a "
        f"printed value agrees within that range, or within {NEAR:.0%} of the mean",
        "ascending order: rank i on the i-th node in the order of the mapping",
        "annealing: ours only swaps ranks, as two-opt does; it finds fewer hops than textbook annealing by bringing a "
        "rank next to a rank that it communicates with",
        f"two-opt: {SWAPS:,} swaps, on contention {FEW_SWAPS:,}, which leave next to none",
        f"apps: medians of {DRAWS} draws; skeletons of class A, of an iteration's messages without computation",
    ),
    (
        ("Figure 3.17, annealing of 72, 1,000 and 10,000 iterations", "the number of swaps per iteration is not given"),
        (
            "Mop/s of Figures 3.13 to 5.18",
            "box plots without numbers, of programs including computation; orders are in apps",
        ),
        ("Figure 4.11", "MG hardly depends on the mapping, since its Mop/s do not reflect the time of messages"),
        ("Figure 3.18", "run times of the program on the author's machine"),
        ("Figures 3.10 to 3.12, 4.6 to 4.8 and 5.6 to 5.11, seconds", "curves without numbers; orders are in times-*"),
        ("Figures 3.1 to 3.3 and 4.1 to 4.5", "illustrations; the numbers of Figures 3.5 and 3.6 are in table 3.1"),
    ),
)
