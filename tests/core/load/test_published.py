"""The deterministic cells of the PERCS paper's tables, the values behind their rounding, and its closed forms."""

import numpy as np
import pytest

from core.job import Halo, Transpose
from core.mapping import Blocks, Explicit, ModColour, RowOrColumn, Sequential
from core.network import Percs
from core.routing import PercsDirect, PercsIndirect
from tests.core.load.cases import report_of

DEF, DRAWERS, SUPERNODES, COLOURS, HYBRID = Sequential(), Blocks(4, 8), Blocks(8, 16), ModColour(), RowOrColumn()
GRIDS = {16: (32, 64), 32: (64, 64), 64: (64, 128), 128: (128, 128)}

TABLE_1 = {
    DEF: {1: "2 D", 2: "5 D", 4: "10 D", 8: "20 D", 16: "40 D"},
    DRAWERS: {1: "5 D", 2: "10 D", 4: "20 D", 8: "40 D", 16: "80 D"},
    SUPERNODES: {1: "10 D", 2: "20 D", 4: "40 D", 8: "80 D", 16: "160 D"},
    COLOURS: {1: "20 D", 2: "40 D", 4: "64 LR", 8: "107 LR", 16: "160 LR"},
}
TABLE_2 = {
    DEF: {16: "10 D", 32: "10 D", 64: "5 D", 128: "5 D"},
    DRAWERS: {16: "20 D", 32: "20 D", 64: "20 D", 128: "20 D"},  # the paper prints 10 in the last: a misprint
    SUPERNODES: {16: "40 D", 32: "40 D", 64: "40 D", 128: "40 D"},
    COLOURS: {16: "64 LR", 32: "64 LR", 64: "64 LR", 128: "64 LR"},
}
TABLE_3 = {
    DEF: {1: "20 D", 2: "34 LR", 4: "80 D", 8: "103 LL", 16: "64 LL"},
    DRAWERS: {1: "36 D", 2: "58 LR", 4: "128 LL", 8: "93 LL", 16: "179 LL"},
    SUPERNODES: {1: "53 D", 2: "91 LR", 4: "134 LL", 8: "183 LR", 16: "168 LL"},
}
TABLE_4 = {
    SUPERNODES: {1: "2 D", 2: "5 D", 4: "10 D", 8: "20 D", 16: "40 D"},
    HYBRID: {1: "20 D", 2: "40 D", 4: "80 D", 8: "80 LR", 16: "80 LR"},
}


def halo(supernodes, d_links, routing, mapping):
    return report_of(Percs(supernodes, d_links), Halo(*GRIDS[supernodes]), routing, mapping)


def transpose(d_links, mapping, routing):
    return report_of(Percs(32, d_links), Transpose(64, 64), routing, mapping)


def cells(table):
    return [pytest.param(m, n, cell, id=f"{m.tag()}-{n}") for m, row in table.items() for n, cell in row.items()]


def assert_cell(report, cell):
    """As printed: the authors round to whole GB/s, halves downwards; ties of classes may be printed either way."""
    printed, name = cell.split()
    assert abs(report.throughput_gbs - float(printed)) <= 0.5 + 1e-9
    limiting = {c.name for c in report.classes if c.throughput_gbs <= report.throughput_gbs * (1 + 1e-9)}
    assert name in limiting


@pytest.mark.parametrize(("mapping", "d_links", "cell"), cells(TABLE_1))
def test_table_1(mapping, d_links, cell):
    assert_cell(halo(32, d_links, PercsDirect(), mapping), cell)


@pytest.mark.parametrize(("mapping", "supernodes", "cell"), cells(TABLE_2))
def test_table_2(mapping, supernodes, cell):
    assert_cell(halo(supernodes, 4, PercsDirect(), mapping), cell)


@pytest.mark.parametrize(("mapping", "d_links", "cell"), cells(TABLE_3))
def test_table_3(mapping, d_links, cell):
    assert_cell(halo(32, d_links, PercsIndirect(), mapping), cell)


@pytest.mark.parametrize(("mapping", "d_links", "cell"), cells(TABLE_4))
def test_table_4(mapping, d_links, cell):
    assert_cell(transpose(d_links, mapping, PercsDirect()), cell)


@pytest.mark.parametrize("d_links", [1, 2, 4, 8, 16])
def test_exact_default_values(d_links):
    assert halo(32, d_links, PercsDirect(), DEF).throughput_gbs == pytest.approx(2.5 * d_links)
    assert transpose(d_links, SUPERNODES, PercsDirect()).throughput_gbs == pytest.approx(2.5 * d_links)


@pytest.mark.parametrize(
    ("d_links", "mapping", "routing", "exact"),
    [
        (8, COLOURS, PercsDirect(), 106.67),
        (2, DEF, PercsIndirect(), 33.68),
        (2, DRAWERS, PercsIndirect(), 58.18),
        (2, SUPERNODES, PercsIndirect(), 91.43),
        (8, DEF, PercsIndirect(), 103.38),
        (8, DRAWERS, PercsIndirect(), 92.69),
        (8, SUPERNODES, PercsIndirect(), 182.86),
        (16, DEF, PercsIndirect(), 64.0),
        (16, DRAWERS, PercsIndirect(), 179.2),
        (16, SUPERNODES, PercsIndirect(), 168.0),
    ],
)
def test_exact_values_behind_the_rounding(d_links, mapping, routing, exact):
    assert halo(32, d_links, routing, mapping).throughput_gbs == pytest.approx(exact, abs=0.005)


@pytest.mark.parametrize(("d_links", "mean"), [(1, 7.2), (2, 13.9), (4, 28.0), (8, 62.9), (16, 119.5)])
def test_random_drawers_average_what_the_brute_force_found(d_links, mean):
    draws = [halo(32, d_links, PercsDirect(), Blocks(4, 8, "random", seed)).throughput_gbs for seed in range(30)]
    assert np.mean(draws) == pytest.approx(mean, rel=0.1)


@pytest.mark.parametrize(("mapping", "factor"), [(SUPERNODES, 10), (COLOURS, 20)])
@pytest.mark.parametrize("d_links", [1, 4, 16])
def test_d_throughput_of_perfect_colourings(mapping, factor, d_links):
    d = {c.name: c for c in halo(32, d_links, PercsDirect(), mapping).classes}["D"]
    assert d.throughput_gbs == pytest.approx(factor * d_links)


@pytest.mark.parametrize("supernodes", [16, 32])
@pytest.mark.parametrize("d_links", [1, 2, 8])
def test_d_throughput_of_indirect_halo(supernodes, d_links):
    d = {c.name: c for c in halo(supernodes, d_links, PercsIndirect(), SUPERNODES).classes}["D"]
    assert d.throughput_gbs == pytest.approx(5 * supernodes * d_links / 3)


@pytest.mark.parametrize("d_links", [1, 2, 4, 8])
def test_transpose_closed_forms(d_links):
    h = d_links  # ports per node of 32 supernodes
    assert transpose(d_links, HYBRID, PercsDirect()).throughput_gbs == pytest.approx(min(20 * h, 80))
    assert transpose(d_links, HYBRID, PercsIndirect()).throughput_gbs >= min(10 * h, 320 / (4 + d_links)) * (1 - 1e-9)


@pytest.mark.parametrize(("block", "shift", "units"), [((2, 2), 1, 64), ((4, 8), 0, 24), ((8, 16), 0, 12)])
def test_data_that_leaves_a_supernode(block, shift, units):
    # 64 (a + b) / (a b) if no two adjacent blocks share a supernode: deal blocks out like cards.
    (a, b), supernodes = block, 32
    i, j = np.divmod(np.arange(64 * 64), 64)
    number = i // a * (64 // b) + j // b
    supernode, turn = (number + shift * (i // a)) % supernodes, number // supernodes
    slots = supernode * 128 + turn * a * b + i % a * b + j % b
    report = halo(supernodes, 4, PercsDirect(), Explicit(slots=tuple(slots.tolist())))
    d = {c.name: c for c in report.classes}["D"]
    assert units == 64 * (a + b) / (a * b)
    assert d.sum_load / supernodes == pytest.approx(units)
