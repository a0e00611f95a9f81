"""The best stored mappings of halo exchanges on PERCS with direct routing, for Tables 1 and 2 and further machines.

A mapping that reaches its upper bound is a preset; the others are in ``resources/papers/percs``. Only the slots of the
tasks are read from these files: throughputs and bounds are computed.
"""

from collections.abc import Iterator
from importlib.resources import files
from itertools import product

import resources
from core.files import SUFFIX, decode
from core.job import Halo
from core.load.bounds import bounds, gap
from core.load.evaluate import evaluate
from core.load.rate import throughput
from core.load.scenario import Scenario
from core.mapping.mapping import MappingSpec
from core.network import Percs
from core.papers.papers import Cell
from core.routing import PercsDirect
from core.spec import Progress
from core.text import figure, plural

GRIDS = {16: (32, 64), 32: (64, 64), 64: (64, 128), 128: (128, 128), 256: (128, 256), 512: (256, 256)}
"""Task grid for each number of supernodes (powers of two, P <= Q <= 2P)."""
BEST = "best known here"
FURTHER = tuple(product((16, 64, 128), (1, 2)))
"""Supernodes and D links per pair of machines that are not in Tables 1 and 2."""
REMARK = (
    f"{BEST}: the best mapping stored in this program, with the proved upper bound for all mappings and the share "
    "that is reached; optimal if equal"
)


class BestCell(Cell, frozen=True, kw_only=True):
    """The throughput of the best stored mapping; the upper end of `bounds` is the upper bound for all mappings."""

    bottleneck: str
    """The classes that limit the throughput: ``LR/D``."""
    percent_of_bound: float
    gap: str
    """``optimal``, or ``bound 268.8, 59.5 %``."""


def best_cell(table: int | str, row: str, column: str, network: Percs) -> BestCell:
    """Return the cell of the best stored mapping for a network of the paper.

    Raises FileNotFoundError: if no mapping is stored.
    """
    place = stored(network.supernodes, network.d_links)
    mapping = decode(files(resources).joinpath(f"{place}{SUFFIX}").read_bytes()).mapping
    report = evaluate(scenario_of(network, mapping).build())
    distance = gap(bounds(report.case, report), report.time)
    assert distance is not None
    ours, highest = report.throughput_gbs or 0.0, throughput(report.case, distance.bound.time) or 0.0
    return BestCell(
        table=table,
        row=row,
        column=column,
        ours=ours,
        printed=None,
        agrees=None,
        low=ours,
        high=ours,
        note=f"{distance.sentence} File: resources/{place}",
        bounds=(0.0, highest),
        bottleneck="/".join(report.limiting),
        percent_of_bound=100 * distance.reached,
        gap="optimal" if distance.closed else f"bound {figure(highest)}, {distance.percent}",
    )


def scenario_of(network: Percs, mapping: MappingSpec) -> Scenario:
    """Return the scenario of a cell: the halo exchange of the paper that fills the network, with direct routing."""
    return Scenario(network, Halo(*GRIDS[network.supernodes]), mapping, PercsDirect())


def stored(supernodes: int, d_links: int) -> str:
    """Return the place of the best mapping in ``resources``, without suffix.

    Raises FileNotFoundError: if there is none.
    """
    for place in (optimal(supernodes, d_links), other(supernodes, d_links)):
        if files(resources).joinpath(f"{place}{SUFFIX}").is_file():
            return place
    raise FileNotFoundError(f"no stored mapping for {supernodes} supernodes and {d_links} D links per pair")


def optimal(supernodes: int, d_links: int) -> str:
    """Return the place of an optimal mapping, a preset."""
    links = plural(d_links, "d-link").replace(" ", "-")
    return f"presets/power775-optimal-halo-{supernodes}-supernodes-{links}"


def other(supernodes: int, d_links: int) -> str:
    """Return the place of a mapping below the upper bound."""
    return f"papers/percs/{supernodes}-{d_links}"


def further_cells(progress: Progress) -> Iterator[BestCell]:
    """Yield the cells of machines that are not in Tables 1 and 2."""
    for number, (supernodes, d_links) in enumerate(FURTHER, 1):
        yield best_cell("best", f"ns = {supernodes}", f"nd = {d_links}", Percs(supernodes, d_links))
        progress(number / len(FURTHER))
