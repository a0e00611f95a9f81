"""Statements of Chakaravarthy et al., "Mapping strategies for the PERCS architecture", 2012, outside its tables.

These are Figure 2, a colouring, the formulas of sections 4 and 5, and the comparisons of section 6. For a comparison, a
cell counts the pairs of figures that have the same order in our results.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf, isclose
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.figures.predictions import predictions
from core.job import Halo, Transpose
from core.job.job import JobSpec
from core.load.evaluate import evaluate
from core.load.scenario import Case, Scenario
from core.mapping import Blocks, ModColour, RowOrColumn
from core.mapping.mapping import MappingSpec
from core.network import Percs
from core.papers.papers import Cell, cell
from core.papers.printed_figures import printed_figures
from core.routing import PercsDirect, PercsIndirect
from core.routing.router import RoutingSpec
from core.spec import Progress

PRINTED = printed_figures("percs")
D_LINKS = (1, 2, 4, 8, 16)
SIDE = 8
"""Side of a block of the colouring, in tasks, and of the square of blocks that Figure 2 shows."""
TWICE = "colour 19 is printed a third time and 29 only once, but the rule 5 y + 2 modulo 8 gives 29"


def colouring(progress: Progress) -> Iterator[Cell]:
    """Yield the number of blocks in the supernode printed in Figure 2, by row, and whether neighbours differ."""
    colours = colours_of(Scenario(Percs(32, 1), Halo(64, 64), ModColour(), PercsDirect()).build())
    for number in range(SIDE):
        place = "figure-2", f"row {number}: blocks of the colour printed", "blocks"
        printed = PRINTED[place].values
        equal = int((colours[number] == np.array(printed)).sum())
        yield PRINTED.cell(*place, equal, "" if equal == len(printed) else TWICE)
    perfect = sum(len(set(around)) == len(around) for around in adjacent_colours(colours).values())
    yield PRINTED.cited_cell("figure-2", "colours with neighbours all different", "colours", perfect)
    place = "figure-2", "neighbours of colour 21, of those printed", "colours"
    of_21 = set(PRINTED[place].values) & set(adjacent_colours(colours)[21])
    yield PRINTED.cited_cell(*place, len(of_21))
    progress(1.0)


def colours_of(case: Case) -> NDArray[np.int64]:
    """Return the supernode of each block of 8 x 8 tasks, shape ``(rows / 8, columns / 8)``."""
    assert case.job.grid is not None
    supernodes = case.mapping.nodes.reshape(case.job.grid) // 32
    return np.asarray(supernodes[::SIDE, ::SIDE], np.int64)


def adjacent_colours(colours: NDArray[np.int64]) -> dict[int, list[int]]:
    """Return, for each colour, the colours adjacent to its blocks; the grid wraps around."""
    adjacent: dict[int, list[int]] = {int(colour): [] for colour in np.unique(colours)}
    for axis, step in product((0, 1), (1, -1)):
        for colour, neighbour in zip(colours.flat, np.roll(colours, step, axis).flat, strict=True):
            adjacent[int(colour)].append(int(neighbour))
    return adjacent


BLOCKS = {"node": (2, 2), "drawer": (4, 8), "supernode": (8, 16)}
"""Rows and columns of a block."""
FORMULAS: tuple[tuple[str, JobSpec, MappingSpec, RoutingSpec], ...] = (
    ("Halo, SN SEQ, direct", Halo(), Blocks(), PercsDirect()),
    ("Halo, MOD CLR, direct", Halo(), ModColour(), PercsDirect()),
    ("Halo, SN SEQ, indirect", Halo(), Blocks(), PercsIndirect()),
    ("Transpose, HYBRID, direct", Transpose(), RowOrColumn(), PercsDirect()),
    ("Transpose, HYBRID, indirect", Transpose(), RowOrColumn(), PercsIndirect()),
)


def formulas(progress: Progress) -> Iterator[Cell]:
    """Yield the units that leave a supernode, and the results of the paper's equations for 32 supernodes."""
    for name, block in BLOCKS.items():
        yield PRINTED.cited_cell("formulas", f"{name} blocks: data leaving a supernode", "units", leaving(*block))
    for done, (name, job, mapping, routing) in enumerate(FORMULAS):
        bounds: dict[str, list[bool]] = {}
        for d_links in D_LINKS:
            case = Scenario(Percs(d_links=d_links), job, mapping, routing).build()
            measured = {link_class.name: link_class.throughput_gbs or inf for link_class in evaluate(case).classes}
            for prediction in predictions(case):
                ours = measured[prediction.link_class]
                if prediction.at_least:
                    bounds.setdefault(prediction.link_class, []).append(ours >= prediction.gbs * (1 - 1e-9))
                else:
                    row = f"{name}, nd = {d_links}: {prediction.link_class}"
                    shown = cell("formulas", row, "GB/s", ours, prediction.gbs, prediction.formula)
                    yield msgspec.structs.replace(shown, agrees=isclose(ours, prediction.gbs))
        for link_class, holds in bounds.items():
            row = f"{name}: {link_class} no slower than its bound"
            yield cell(
                "formulas", row, "of nd", sum(holds), len(holds), "equations 4 and 6, and the text on equation 4"
            )
        progress((done + 1) / len(FORMULAS))


def leaving(rows: int, cols: int) -> float:
    """Return the units that leave the blocks of a supernode with 128 tasks, if its blocks are not adjacent."""
    (phase,), side = Halo(64, 64).build().phases, 64
    volume = 0.0
    for _, flows in phase.blocks():
        block = [task // side // rows * (side // cols) + task % side // cols for task in (flows.src, flows.dst)]
        volume += float(flows.volume[block[0] != block[1]].sum())
    return volume * 128 / side**2


class Found(NamedTuple):
    """The mean result of a mapping over its draws."""

    gbs: float
    """Throughput per node."""
    bottleneck: str


Figures = dict[tuple[int, str], Found]
"""Figures of a table, by value of the row and by column."""

NODE_BLOCKS = ("NODE SEQ", "NODE RND")
"""Columns that the tables omit because they perform poorly."""
DRAWER_BLOCKS, SUPERNODE_BLOCKS = ("DRW SEQ", "DRW RND"), ("SN SEQ", "SN RND")
NODES_UNPRINTED = "the figures of node blocks are not printed"
MANY_D_LINKS = 4
"""Number of D-links from which L-links are the bottleneck in Table 3."""


def orders(
    halo: Figures, by_size: Figures, indirect: Figures, transpose: Figures, no_middle: Figures
) -> Iterator[Cell]:
    """Yield the statements of section 6 on Tables 1 to 4, and on Table 3 without the middle L-hop."""
    colour, others = ("MOD CLR",), ("DEF", *DRAWER_BLOCKS, *SUPERNODE_BLOCKS)
    yield _pairs("Table 1: supernode blocks before drawer blocks", halo, SUPERNODE_BLOCKS, DRAWER_BLOCKS)
    yield _pairs("Table 1: MOD CLR before all others", halo, colour, others, "Table 1 itself prints 160 twice")
    best = max(halo[row, "MOD CLR"].gbs / max(halo[row, mapping].gbs for mapping in others) for row in _rows(halo))
    yield PRINTED.cited_cell("orders", "Table 1: MOD CLR over the best of the others, at most", "times", best)
    yield _pairs("node blocks before DEF", halo, NODE_BLOCKS, ("DEF",), NODES_UNPRINTED)
    yield _pairs("all other blocks before node blocks", halo, others[1:], NODE_BLOCKS, NODES_UNPRINTED)
    yield _pairs("Table 2: MOD CLR before all others", by_size, colour, others)
    first = {key: figure for key, figure in indirect.items() if key[0] == 1}
    yield _pairs(
        "Table 3, nd = 1: supernode blocks before all others", first, SUPERNODE_BLOCKS, ("DEF", *DRAWER_BLOCKS)
    )
    ahead = {
        f"{column} at nd = {row}": figure.gbs > halo[row, column].gbs for (row, column), figure in indirect.items()
    }
    yield _count("Table 3 before Table 1: indirect routing before direct", ahead, "the tables print 103 and 120")
    shifts = {
        f"{column} at nd = {row}": no_middle[row, column].bottleneck != figure.bottleneck
        for (row, column), figure in indirect.items()
        if row >= MANY_D_LINKS and figure.bottleneck != "D"
    }
    yield _count("Table 3, nd >= 4: another bottleneck without the middle L-hop", shifts)
    yield _pairs("Table 4: HYBRID before SN SEQ", transpose, ("HYBRID",), ("SN SEQ",))
    meets = {f"nd = {row}": isclose(transpose[row, "HYBRID"].gbs, min(20 * row, 80)) for row in _rows(transpose)}
    yield _count("Table 4: HYBRID has min(20 h, 80) GB/s, h = nd", meets)


def _rows(figures: Figures) -> list[int]:
    return sorted({row for row, _ in figures})


def _pairs(statement: str, figures: Figures, better: Sequence[str], worse: Sequence[str], note: str = "") -> Cell:
    cases = product(better, worse, _rows(figures))
    verdicts = {
        f"{column} and {rival} at {row}": figures[row, column].gbs > figures[row, rival].gbs
        for column, rival, row in cases
    }
    return _count(statement, verdicts, note)


def _count(statement: str, verdicts: dict[str, bool], note: str = "") -> Cell:
    exceptions = [case for case, holds in verdicts.items() if not holds]
    words = [f"except {', '.join(exceptions)}"] if exceptions else []
    return cell(
        "orders",
        statement,
        "cases",
        len(verdicts) - len(exceptions),
        len(verdicts),
        "; ".join(filter(None, (*words, note))),
    )
