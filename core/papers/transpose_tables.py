"""Matrix transpose on tori with short-dimension routing: the paper's figures, and ours from link loads.

Source: Chakaravarthy, Jain and Sabharwal, "Optimizing matrix transpose on torus interconnects", 2010. It measured on
Blue Gene/P; ours are fluid loads, which show where its analysis holds and which of its gains loads explain.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, product
from math import inf, lcm, prod
from statistics import mean
from typing import Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job import TransposePhases
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.mapping import MappingSpec
from core.network import Mesh, Network, Torus
from core.network.families.torus import Lattice
from core.papers.bounds import Bounds, torus_rate
from core.papers.papers import Cell, Paper, PaperTable, TableParts, cell, drawn_cell
from core.papers.printed_figures import printed_figures
from core.routing import Adaptive, ShortDimension
from core.routing.flows import NodeFlows
from core.routing.lattice.detours import NOWHERE, Choice, Shape, chosen_nodes, opposite, shape_of
from core.routing.lattice.grid import grid_of
from core.routing.router import Router, RoutingSpec
from core.spec import Progress

PRINTED = printed_figures("transpose")
SEEDS = 10
"""Draws of each random mapping or permutation."""
MODELS: tuple[Literal["uniform", "hop-local"], ...] = ("uniform", "hop-local")
GRIDS = ((4, 6), (24, 36), (8, 8), (3, 5))
SIZES = {32: (2, 4, 4), 128: (4, 4, 8), 256: (4, 8, 8), 1024: (8, 8, 16), 2048: (8, 16, 16)}
"""Nodes along each dimension, d x d x 2d or d x 2d x 2d: section 5.2."""
WRAPPED = 1024
"""Number of nodes from which Blue Gene/P's lattices of these sizes are tori (section 5.3)."""
AS_PUBLISHED = ShortDimension(alpha=0.5, gamma=2, delta=2)
PUBLISHED, PLAIN = Choice(0.5, 2, 2, True), Choice(1.0, 0, 0, False)
"""The pairs that take a detour: as published, or all, as in section 4.1."""
UNEXPLAINED = "measured on Blue Gene/P; not explained by link loads"
SWEPT = {"alpha": (0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0), "gamma": (0, 1, 2, 3, 4, 6), "delta": (0, 1, 2, 3, 4)}
BETAS = (1, 4, 16, 64, 256, 1024)
LINK_GBS = 0.425
UNEVEN = 4
"""Maximum ratio of the busiest link's load to the mean: for thousands of random loads, and for phases."""
NEARER = 1.25
"""Maximum factor by which drawn partners are nearer to each other than the mean of all nodes."""
GAINS = 100 * (1 / UNEVEN - 1), 100.0 * (UNEVEN - 1)
"""Bounds of a gain in percent: with any routing the busiest link carries at least the mean."""


def _phases(progress: Progress) -> Iterator[Cell]:
    for rows, cols in GRIDS:
        spec, period = TransposePhases(rows, cols), lcm(rows, cols)
        job, name = spec.build(), f"{rows} x {cols}"
        everyone = np.arange(job.tasks, dtype=np.int32)
        targets = [phase.out_flows(everyone).dst for phase in job.phases]
        yield cell("phases", name, "phases", len(job.phases), period // rows * (period // cols), "section 2: L/P x L/Q")
        apart = sum(np.array_equal(np.sort(to), everyone) for to in targets)
        yield cell("phases", name, "permutations", apart, len(targets), "section 2: each phase is a permutation")
        itself = int((targets[0] == everyone).sum())
        # By Figure 2, tasks with p = q modulo the common divisor.
        kept = job.tasks // spec.common
        yield cell("phases", name, "to itself in phase 0", itself, None, bounds=(kept, kept))
        wrong = sum(
            int((to[_printed_sender(spec, i, j)] != everyone).sum())
            for (i, j), to in zip(_steps(spec), targets, strict=True)
        )
        note = "the printed receiving rule inverts the sending rule only if P = Q or G = 1; here it always does"
        yield cell("phases", name, "wrong senders", wrong, 0, "" if not wrong else note)
    progress(1.0)


def _steps(spec: TransposePhases) -> list[tuple[int, int]]:
    return [(i, j) for j in range(spec.cols // spec.common) for i in range(spec.rows // spec.common)]


def _printed_sender(spec: TransposePhases, i: int, j: int) -> NDArray[np.int64]:
    # Figure 2: the sender to each task.
    everyone = np.arange(spec.rows * spec.cols, dtype=np.int64)
    p, q = np.divmod(everyone, spec.cols)
    g = (q - p) % spec.common
    row, col = (p + g - i * spec.common) % spec.rows, (q - g + j * spec.common) % spec.cols
    return np.asarray(row * spec.cols + col)


def _theorem(progress: Progress) -> Iterator[Cell]:
    for dims in ((8, 4), (16, 8), (4, 4, 8), (5, 3)):
        network = Torus(dims).build()
        for model in MODELS:
            means = _class_loads(network, Adaptive(model).router(network).loads(_everyone(network)))
            for axis, size, ours in zip("XYZ", dims, means, strict=False):
                note = "" if size % 2 == 0 else "for odd N it is (N² - 1)/(8N): N/8 counts half a hop too much"
                yield cell("theorem-1", f"{_name(dims)}, {model}", axis, ours, size / 8, note)
    torus = Torus((8, 4))
    network = torus.build()
    drawn = [_class_loads(network, Adaptive().router(network).loads(_permuted(network, seed))) for seed in range(SEEDS)]
    for number, axis in enumerate("XY"):
        values = [loads[number] for loads in drawn]
        by_theorem = torus.dims[number] / 8
        yield drawn_cell("theorem-1", f"8 x 4, {SEEDS} permutations", axis, values, by_theorem)
    note = "N/4 and twice as much on Y in the introduction, which the correct theorem 1 contradicts"
    along_x, along_y = _class_loads(network, Adaptive().router(network).loads(_everyone(network)))
    yield cell("theorem-1", "8 x 4, introduction", "X", along_x, torus.dims[0] / 4, note)
    yield PRINTED.cell("theorem-1", "8 x 4, introduction", "Y over X", along_y / along_x, note)
    progress(1.0)


def _everyone(network: Network) -> list[NodeFlows]:
    # A random permutation sends from each node to every node, itself included, with the same probability.
    src, dst = (ends.ravel().astype(np.int32) for ends in np.divmod(np.arange(network.nodes**2), network.nodes))
    return [NodeFlows(src, dst, np.full(src.size, 1 / network.nodes))]


def _permuted(network: Network, seed: int) -> list[NodeFlows]:
    everyone = np.arange(network.nodes, dtype=np.int32)
    return [NodeFlows(everyone, np.random.default_rng(seed).permutation(everyone), np.ones(everyone.size))]


def _class_loads(network: Network, loads: NDArray[np.float64]) -> list[float]:
    return [float(loads[link_class.links].mean()) for link_class in network.classes]


def _lemma(progress: Progress) -> Iterator[Cell]:
    for dims in ((8, 4), (6, 4), (16, 8)):
        torus = Torus(dims)
        network = torus.build()
        # By section 4.3 no dimension of 6 x 4 is short, but the lemma detours in Y.
        shape = shape_of(grid_of(network, torus), False)._replace(short=np.array([1]), long=np.array([0]))
        expected, permutations = (dims[0] / 8, 3 * dims[1] / 8), [_permuted(network, seed) for seed in range(SEEDS)]
        for model in MODELS:
            router = Adaptive(model).router(network)
            exact, *drawn = (
                _class_loads(network, router.loads(_detour_flows(flows, shape)))
                for flows in (_everyone(network), *permutations)
            )
            for axis, printed, ours, values in zip("XY", expected, exact, zip(*drawn, strict=True), strict=True):
                yield cell("lemma-1", f"{_name(dims)}, {model}", axis, ours, printed)
                yield drawn_cell("lemma-1", f"{_name(dims)}, {model}, permutations", axis, values, printed)
    progress(1.0)


def _detour_flows(flows: list[NodeFlows], shape: Shape) -> list[NodeFlows]:
    (pairs,) = flows
    middle = opposite(pairs.src, pairs.dst, shape)
    return [NodeFlows(pairs.src, middle, pairs.volume), NodeFlows(middle, pairs.dst, pairs.volume)]


def _lattice(nodes: int) -> Lattice:
    return Torus(SIZES[nodes]) if nodes >= WRAPPED else Mesh(SIZES[nodes])


def _job(lattice: Lattice) -> TransposePhases:
    # One rank per node, on a grid as square as powers of two allow; a rank sends 1 GB.
    nodes = prod(lattice.dims)
    rows = 1 << (nodes.bit_length() - 1) // 2
    return TransposePhases(rows, nodes // rows)


def _gains(name: str, mapping: str, progress: Progress) -> Iterator[Cell]:
    placed = [Random(seed) for seed in range(SEEDS)] if mapping == "random" else [Sequential()]
    least, speeds = dict.fromkeys(MODELS, inf), {}
    for number, nodes in enumerate(SIZES):
        lattice = _lattice(nodes)
        job = _job(lattice)
        for model in MODELS:
            routing = replace(AS_PUBLISHED, model=model)
            times = [_times(lattice, job, mapping, routing) for mapping in placed]
            values = [_gain(*both) for both in times]
            least[model] = min(least[model], *values)
            speeds[nodes, model] = mean(nodes / ours for _, ours in times)
            row = f"{nodes:,} nodes, {_name(lattice.dims)}"
            yield _drawn(name, row, f"{model}, %", values, UNEXPLAINED, GAINS)
        progress((number + 1) / len(SIZES))
    for model in MODELS:
        if mapping == "default":
            yield PRINTED.cell(name, "least of these", f"{model}, %", least[model], UNEXPLAINED)
        pairs = list(product([n for n in SIZES if n >= WRAPPED], [n for n in SIZES if n < WRAPPED]))
        faster = sum(speeds[torus, model] > speeds[mesh, model] for torus, mesh in pairs)
        row = f"of {len(pairs)} pairs of a torus and a mesh, tori of more GB/s"
        yield cell(name, row, model, faster, len(pairs), "Opt is significantly faster on tori than on meshes")


def _times(
    lattice: Lattice, job: TransposePhases, mapping: MappingSpec, routing: ShortDimension
) -> tuple[float, float]:
    return _seconds(lattice, job, mapping, Adaptive(routing.model)), _seconds(lattice, job, mapping, routing)


def _gain(base: float, ours: float) -> float:
    return 100 * (base / ours - 1)


def _seconds(lattice: Lattice, job: TransposePhases, mapping: MappingSpec, routing: RoutingSpec) -> float:
    return evaluate(Scenario(lattice, job, mapping, routing).build()).time


def _long(progress: Progress) -> Iterator[Cell]:
    lattice, job = Torus((24, 8)), TransposePhases(12, 16)
    for number, model in enumerate(MODELS):
        routing = replace(AS_PUBLISHED, alpha=1.0, model=model)
        values = [_gain(*_times(lattice, job, Random(seed), routing)) for seed in range(SEEDS)]
        yield _drawn("24x8", f"alpha 1, {SEEDS} random mappings", f"{model}, %", values, bounds=GAINS)
        faster = sum(value > 0 for value in values)
        note = "section 4.1: it performs well where one side is at least three times the other"
        yield cell("24x8", f"of {SEEDS} mappings, how many are faster", model, faster, SEEDS, note)
        progress((number + 1) / len(MODELS))


def _sweep(name: str, field: str, progress: Progress) -> Iterator[Cell]:
    lattice, tried = _lattice(1024), SWEPT[field]
    job, even = _job(lattice), torus_rate(lattice.dims, LINK_GBS)
    rates = even / UNEVEN, even * NEARER
    for count, model in enumerate(MODELS):
        means = {}
        for number, value in enumerate(tried):
            routing = replace(AS_PUBLISHED, model=model, **{field: value})
            values = [job.rows * job.cols / _seconds(lattice, job, Random(seed), routing) for seed in range(SEEDS)]
            means[value] = mean(values)
            yield _drawn(name, f"{field} = {value:g}", f"{model}, GB/s", values, UNEXPLAINED, rates)
            progress((count + (number + 1) / len(tried)) / len(MODELS))
        ours, best = max(means, key=means.__getitem__), PRINTED[name, f"best {field}", model].value
        note = f"{UNEXPLAINED}; here it is {100 * (1 - means[best] / means[ours]):.1f} % slower than at {ours:g}"
        same = ", ".join(f"{value:g}" for value in means if value != ours and means[value] == means[ours])
        note = f"the printed value is best, but these are equally good: {same}" if same and ours == best else note
        agrees = ours == best and not same
        shown = PRINTED.cell(name, f"best {field}", model, ours, "" if agrees else note)
        yield replace(shown, agrees=agrees)


def _size(nodes: int, progress: Progress) -> Iterator[Cell]:
    # Gains over direct routing: one parameter varied, all others as published; in chunks for random permutations.
    lattice = _lattice(nodes)
    job, tried = _job(lattice), [(field, value) for field, values in SWEPT.items() for value in values]
    for number, model in enumerate(MODELS):
        base = [_seconds(lattice, job, Random(seed), Adaptive(model)) for seed in range(SEEDS)]
        for done, (field, value) in enumerate(tried):
            routing = replace(AS_PUBLISHED, model=model, **{field: value})
            ours = [_seconds(lattice, job, Random(seed), routing) for seed in range(SEEDS)]
            values = list(map(_gain, base, ours))
            yield _drawn("sizes", f"{nodes:,} nodes, {field} = {value:g}", f"{model}, %", values, bounds=GAINS)
            progress((number + (done + 1) / len(tried)) / len(MODELS))
        yield from _by_chunks(lattice, model)


def _by_chunks(lattice: Lattice, model: Literal["uniform", "hop-local"]) -> Iterator[Cell]:
    network, shape = _shaped(lattice)
    router, drawn = Adaptive(model).router(network), []
    for seed in range(SEEDS):
        (pairs,) = _permuted(network, seed)
        base, legs = float(router.loads([pairs]).max()), _detour_loads(pairs, router, shape, PUBLISHED)
        drawn.append([_gain(base, _chunked(*legs, chunks)) for chunks in BETAS])
    for chunks, values in zip(BETAS, zip(*drawn, strict=True), strict=True):
        row = f"{network.nodes:,} nodes, beta = {chunks:,}"
        yield _drawn("sizes", row, f"{model}, %", values, bounds=GAINS)


Loads = NDArray[np.float64]
DetourLoads = tuple[Loads, Loads, Loads]
"""Loads of the first and of the second legs of detours, and of direct pairs."""


def _detour_loads(pairs: NodeFlows, router: Router, shape: Shape, choice: Choice) -> DetourLoads:
    via = chosen_nodes(pairs.src, pairs.dst, shape, choice)
    apart = via != NOWHERE
    src, dst, middle = pairs.src[apart], pairs.dst[apart], via[apart]
    parts = ((src, middle), (middle, dst), (pairs.src[~apart], pairs.dst[~apart]))
    first, second, direct = (router.loads([NodeFlows(*part, np.ones(part[0].size))]) for part in parts)
    return first, second, direct


def _chunks(progress: Progress) -> Iterator[Cell]:
    network, shape = _shaped(_lattice(1024))
    for number, model in enumerate(MODELS):
        router, drawn = Adaptive(model).router(network), []
        for seed in range(SEEDS):
            first, second, direct = _detour_loads(_permuted(network, seed)[0], router, shape, PUBLISHED)
            least = float((first + second + direct).max())
            drawn.append([100 * least / _chunked(first, second, direct, chunks) for chunks in BETAS])
            progress((number + (seed + 1) / SEEDS) / len(MODELS))
        means = []
        column = f"{model}, % of the speed at most"
        for chunks, values in zip(BETAS, zip(*drawn, strict=True), strict=True):
            means.append(mean(values))
            # Of b + 1 parts none takes longer than all loads together, and together they take b times as long.
            slowest = 100 * chunks / (chunks + 1)
            yield _drawn("figure-4b", f"beta = {chunks:,}", column, values, bounds=(slowest, 100))
        rises = sum(after > before for before, after in pairwise(means))
        yield cell(
            "figure-4b", f"of {len(BETAS) - 1} steps of beta, how many are faster", column, rises, len(BETAS) - 1
        )
        note = "the performance saturates for large values"
        yield cell("figure-4b", "gained by the last step", column, means[-1] - means[-2], 0.0, note)


def _shaped(lattice: Lattice) -> tuple[Network, Shape]:
    network = lattice.build()
    return network, shape_of(grid_of(network, lattice), False)


OPTIMISATIONS = {
    "alpha 1/2": (PLAIN._replace(alpha=0.5), 1),
    "beta 1,024": (PLAIN, BETAS[-1]),
    "gamma 2": (PLAIN._replace(gamma=2), 1),
    "delta 2": (PLAIN._replace(delta=2, exclusive=True), 1),
}


def _contributions(progress: Progress) -> Iterator[Cell]:
    # Each optimisation alone, against detours of all pairs in one piece, then all together; for permutations, Figure
    # 4(b).
    network, shape = _shaped(_lattice(1024))
    variants = {"all pairs round": (PLAIN, 1), **OPTIMISATIONS, "all four": (PUBLISHED, BETAS[-1])}
    for number, model in enumerate(MODELS):
        router = Adaptive(model).router(network)
        gains: dict[str, list[float]] = {name: [] for name in variants}
        for seed in range(SEEDS):
            (pairs,) = _permuted(network, seed)
            base = float(router.loads([pairs]).max())
            for name, (choice, chunks) in variants.items():
                gains[name].append(_gain(base, _chunked(*_detour_loads(pairs, router, shape, choice), chunks)))
            progress((number + (seed + 1) / SEEDS) / len(MODELS))
        for name, values in gains.items():
            row_name = name if name in ("all pairs round", "all four") else f"and {name}"
            yield _drawn("figure-4d", row_name, f"{model}, %", values, bounds=GAINS)
        least = mean(gains["all pairs round"])
        helping = sum(mean(gains[name]) > least for name in OPTIMISATIONS)
        yield cell("figure-4d", "of the four, how many help", model, helping, len(OPTIMISATIONS), UNEXPLAINED)


def _chunked(first: Loads, second: Loads, direct: Loads, chunks: int) -> float:
    """Return the time with b chunks: [M(L1 + kD) + (b - 1) M(L1 + L2 + kD) + M(L2 + kD)] / b, with k = b / (b + 1).

    Direct pairs are spread over all chunks and the extra one that the second leg needs.
    """
    part = chunks / (chunks + 1) * direct
    both = float((first + second + part).max())
    return (float((first + part).max()) + (chunks - 1) * both + float((second + part).max())) / chunks


def _drawn(
    table: str, row: str, column: str, values: Sequence[float], note: str = "", bounds: Bounds | None = None
) -> Cell:
    return drawn_cell(table, row, column, values, PRINTED.value(table, row, column), note, bounds)


def _name(dims: Sequence[int]) -> str:
    return " x ".join(map(str, dims))


PAPER = Paper(
    "Chakaravarthy, Jain and Sabharwal, Optimizing matrix transpose on torus interconnects, 2010",
    (
        PaperTable("phases", "partners and phases on a P x Q grid", _phases),
        PaperTable("theorem-1", "load of a link under a random permutation, messages", _theorem),
        PaperTable("lemma-1", "load of a link when all pairs take the long way around Y, messages", _lemma),
        PaperTable("24x8", "gain of short-dimension routing on a long torus", _long),
        PaperTable("figure-3a", "gain of Opt over Base, random mapping", partial(_gains, "figure-3a", "random")),
        PaperTable("figure-3b", "gain of Opt over Base, default mapping", partial(_gains, "figure-3b", "default")),
        PaperTable("figure-4a", "1,024 nodes: alpha", partial(_sweep, "figure-4a", "alpha")),
        PaperTable("figure-4b", "1,024 nodes: beta, the number of chunks", _chunks),
        PaperTable("figure-4c", "1,024 nodes: gamma", partial(_sweep, "figure-4c", "gamma")),
        PaperTable("figure-4d", "1,024 nodes: gain by each optimisation, Figure 4(d)", _contributions),
        PaperTable("delta", "1,024 nodes: delta, section 4.4", partial(_sweep, "delta", "delta")),
        PaperTable(
            "sizes",
            "gain by alpha, gamma, delta or beta on 32 to 2,048 nodes",
            TableParts(tuple(partial(_size, nodes) for nodes in SIZES)),
            "a minute",
        ),
    ),
    (
        "adaptive routing as a fluid model: uniform over all shortest paths, or hop-local, equal shares at every hop",
        f"random mappings and permutations: mean [minimum .. maximum] of {SEEDS} seeds",
        "meshes below 1,024 nodes, then tori; links of 425 MB/s per direction; alpha 1/2, gamma 2, delta 2 as "
        "published",
    ),
    (
        ("Figures 3 and 4, points not given in the text", "in a drawing, without numbers"),
        ("Figures 1 and 2", "illustrations; the formulas of Figure 2 are in table phases"),
        ("time to choose the intermediate nodes", "stated to be negligible, without a number"),
    ),
)
