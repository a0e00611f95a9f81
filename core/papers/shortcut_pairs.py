"""Hops on shortcut networks: of collectives, of pairs of nodes, and of both mixed (sections 3.2.4, 5.3, 5.4).

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies", PhD
thesis, 2024. The thesis draws 100,000 pairs of a job's nodes; ours are means over all pairs of different nodes.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.load.scenario import Case
from core.mapping import CirculantStride, RingConsecutive
from core.mapping.mapping import MappingSpec
from core.papers.bounds import Bounds, moore
from core.papers.papers import Cell, PaperTable, cell
from core.papers.shortcut_cases import (
    COLLECTIVES,
    MAPPINGS,
    NODES,
    PRINTED,
    TIMING,
    circulant,
    degree,
    diameter,
    hop_bounds,
    minimal_case,
    of_draws,
    shortcuts,
)
from core.routing.flows import Volumes
from core.spec import Progress

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
"""Nodes of a job."""
DRAWN = "drawn as a curve, without numbers"
MOST_NODES = "most nodes at which it is least"
FEW_NODES = PRINTED["figure-5.12", MOST_NODES, "circulant, ring"].value
"""Nodes up to which the circulant network has the shorter paths, by Figures 5.12 and 5.14."""
MESSAGE, BYTES_PER_SECOND = 128.0, 12.5e9


class MeanHops(NamedTuple):
    """Mean hops of a message."""

    pair: float
    """Between two random nodes of the job."""
    collective: float
    """In an all-to-all among them by Bruck's algorithm."""

    @property
    def seconds(self) -> float:
        """Return the round-trip time of a message of 128 bytes between two nodes."""
        return 2 * (TIMING.hop_seconds * (self.pair + 1) + MESSAGE / BYTES_PER_SECOND)


ON_RANDOM: dict[str, Callable[[int], MappingSpec]] = {
    f"shortcuts, {name}": mapping for name, mapping in MAPPINGS.items()
}
ON_CIRCULANT: dict[str, Callable[[int], MappingSpec]] = {
    "circulant, ring": lambda seed: RingConsecutive(),
    "circulant, circulant": lambda seed: CirculantStride(),
}
RANDOM_ON_CIRCULANT = "circulant, random"


@lru_cache(maxsize=1)
def mean_hops(nodes: int) -> dict[str, dict[int, MeanHops]]:
    """Return the hops by network and mapping, and by number of nodes of the job."""
    everyone, hops = {RANDOM_ON_CIRCULANT: MAPPINGS["random"]} | ON_CIRCULANT, {}
    for network, mappings in ((shortcuts(nodes, 0), ON_RANDOM), (circulant(nodes), everyone)):
        case = minimal_case(network, COLLECTIVES["Broadcast"](nodes), RingConsecutive())
        for name, mapping in mappings.items():
            hops[name] = {size: hops_of(case, mapping(0), size) for size in sizes()}
    return hops


def hops_of(base: Case, mapping: MappingSpec, size: int) -> MeanHops:
    """Return the mean hops among the nodes that a mapping selects for `size` tasks, on the network of a case."""
    case = minimal_case(base.scenario.network, COLLECTIVES["Alltoall"](size), mapping, base)
    nodes = case.mapping.nodes
    far = case.router.hops(np.repeat(nodes, size), np.tile(nodes, size)).sum()
    return MeanHops(float(far) / (size * (size - 1)), float(np.mean(message_hops(case))))


def message_hops(case: Case) -> Volumes:
    """Return the hops of each message of a job, shape ``(messages,)``."""
    nodes, sent = case.mapping.nodes, [flows for phase in case.job.phases for _, flows in phase.blocks()]
    return np.concatenate([case.router.hops(nodes[flows.src], nodes[flows.dst]) for flows in sent])


def _by_mapping(progress: Progress) -> Iterator[Cell]:
    network = shortcuts(NODES, 0)
    base = minimal_case(network, COLLECTIVES["Broadcast"](NODES), RingConsecutive())
    for done, (name, job) in enumerate(COLLECTIVES.items()):
        hops: dict[str, list[float]] = {
            row: [float(message_hops(minimal_case(network, job(size), mapping(0), base)).sum()) for size in sizes()]
            for row, mapping in MAPPINGS.items()
        }
        for number, size in enumerate(sizes()):
            for row, of_sizes in hops.items():
                bounds = hop_bounds(name, size, network)
                yield cell("figure-3.4", f"{name}, {size} nodes", f"{row}, hops", of_sizes[number], None, DRAWN, bounds)
        for nearer, farther, note in (("ring", "tree", NEAR_ROOT), ("tree", "random", "")):
            fewer = sum(a < b for a, b in zip(hops[nearer], hops[farther], strict=True))
            statement = f"{name}: sizes at which {nearer} has fewer than {farther}"
            yield cell("figure-3.4", statement, f"{nearer}, hops", fewer, len(sizes()), note)
        progress((done + 1) / len(COLLECTIVES))


NEAR_ROOT = "on few nodes a tree has shorter paths, since all nodes are linked to its root"


def sizes() -> list[int]:
    """Return the possible numbers of nodes of a job."""
    return [size for size in SIZES if size <= NODES]


def shorter(mapping: str, size: int, figure: Callable[[MeanHops], float]) -> bool:
    """Return whether a figure is lower for a mapping on the circulant network than for all on the random network."""
    hops = mean_hops(NODES)
    return figure(hops[mapping][size]) < min(figure(hops[name][size]) for name in ON_RANDOM)


def _pair(hops: MeanHops) -> float:
    return hops.pair


def _ways(progress: Progress) -> Iterator[Cell]:
    table, note = "figure-5.12", "section 5.3.1: less on up to 128 nodes"
    yield from _figures(table, _pair, _pair_bounds)
    for name in ON_CIRCULANT:
        most = max((size for size in mean_hops(NODES)[name] if shorter(name, size, _pair)), default=0)
        yield PRINTED.cell(table, MOST_NODES, name, most, note)
    progress(1.0)


def _figures(table: str, figure: Callable[[MeanHops], float], bounds: Callable[[str, int], Bounds]) -> Iterator[Cell]:
    for name, by_size in mean_hops(NODES).items():
        for size, hops in by_size.items():
            yield cell(table, f"{size} nodes", name, figure(hops), None, DRAWN, bounds(name, size))


def _pair_bounds(name: str, size: int) -> Bounds:
    # Mean hops between `size` nodes are at least the mean hops of a Moore graph of the network's degree.
    network = circulant(NODES) if name.startswith("circulant") else shortcuts(NODES, 0)
    return moore(size, degree(NODES))[1], diameter(network)


def _round_trip_bounds(name: str, size: int) -> Bounds:
    # µs: both directions, 0.1 per switch on the path, and 128 bytes at 12,500 bytes per microsecond.
    least, most = (2 * (0.1 * (hops + 1) + 128 / 12_500) for hops in _pair_bounds(name, size))
    return least, most


def _times(progress: Progress) -> Iterator[Cell]:
    table, hops = "figure-5.13", mean_hops(NODES)
    yield from _figures(table, lambda hops: 1e6 * hops.seconds, _round_trip_bounds)
    last, name = RANDOM_ON_CIRCULANT, "circulant, circulant"
    few = [size for size in hops[last] if size < FEW_NODES]
    first = sum(shorter(name, size, lambda hops: hops.seconds) for size in few)
    yield cell(table, "sizes below 128 nodes at which it is first", name, first, len(few), "section 5.3.2")
    slowest = [
        hops[last][size].seconds > max(by_size[size].seconds for name, by_size in hops.items() if name != last)
        for size in hops[last]
        if size < NODES
    ]
    row = "sizes below the whole machine at which it is last"
    yield cell(table, row, last, sum(slowest), len(slowest), "section 5.3.2")
    progress(1.0)


FROM_HALF = "section 5.4: above 50 %, from a curve without numbers"


def _ratios(progress: Progress) -> Iterator[Cell]:
    table, column, hops = "figure-5.14", "% collective", mean_hops(NODES)
    for size in hops[RANDOM_ON_CIRCULANT]:
        row = f"{size} nodes: fewer hops on the circulant network from"
        printed, note = PRINTED.value(table, row, column), FROM_HALF
        if size <= FEW_NODES:
            printed, note = 0.0, "section 5.4: always"
        elif printed is None:
            note = "section 5.4: not if the ratio is small"
        least = max(
            100 * crossing(hops[on_circulant][size], hops[on_random][size])
            for on_circulant in ON_CIRCULANT
            for on_random in ON_RANDOM
        )
        yield cell(table, row, column, least, printed, note, (0, 100))
    for name, by_size in hops.items():
        section = "section 5.4"
        changes = [100 * (hops_of_size.collective / hops_of_size.pair - 1) for hops_of_size in by_size.values()]
        if name.endswith(", random"):
            yield of_draws(table, f"{name}: hops of a collective's message", "% more", changes, 0.0, section)
            continue
        fewer = sum(change < -1e-9 for change in changes)
        if fewer < len(changes):
            section = (
                "up to 16 nodes of a tree are a root and its neighbours, which collectives favour no more than others"
            )
        yield cell(table, f"{name}: collectives need fewer hops", "sizes", fewer, len(changes), section)
    progress(1.0)


def crossing(first: MeanHops, second: MeanHops) -> float:
    """Return the smallest fraction of collective messages from which the first has fewer hops, or 1 for none."""
    ahead, gains = second.pair - first.pair, second.collective - first.collective
    if ahead >= 0 and gains >= 0:
        return 0.0
    return min(1.0, -ahead / (gains - ahead)) if gains > 0 else 1.0


PAIRS = (
    PaperTable("figure-3.4", "hops on random shortcuts by the mapping (Figure 3.4)", _by_mapping),
    PaperTable("figure-5.12", "mean hops between two nodes of a job (Figure 5.12)", _ways),
    PaperTable("figure-5.13", "128 bytes between two nodes and back, µs (Figure 5.13)", _times),
    PaperTable("figure-5.14", "hops where part of all messages are of collectives (Figure 5.14)", _ratios),
)
