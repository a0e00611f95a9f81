"""The comparison of A and B in a report: tables have the figures of both."""

from dataclasses import replace

import pytest

from app.report.comparison import MAX_LINKS, Rival, comparison_section
from app.report.document import Pictures, Table, Words
from app.wording.numbers import gbs
from core.job import Halo
from core.load.compare import Difference
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.sessions import evaluated

TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
MIXED = replace(TORUS, mapping=Random(seed=3))
OTHER = replace(TORUS, network=Torus(dims=(2, 8)))


def section(b, *rivals):
    named = [Rival(name, evaluated(scenario)) for name, scenario in zip(("first", "second"), rivals, strict=False)]
    return comparison_section(evaluated(b), named, (300, 200))


def number(text):
    return float(text.replace("\N{MINUS SIGN}", "-").removesuffix(" %"))


def test_classes_and_links_have_the_figures_of_both():
    a, b = evaluated(MIXED).report, evaluated(TORUS).report
    words, sides, listed, classes, pictures, links = section(TORUS, MIXED).parts
    rows = {title: row for title, *row in listed.rows}
    assert rows["Throughput"][:2] == [f"{gbs(report.throughput_gbs)} GB/s per node" for report in (a, b)]
    assert number(rows["Throughput"][2]) == pytest.approx(100 * (b.throughput_gbs / a.throughput_gbs - 1), rel=1e-2)
    assert rows["Tasks"][2] == ""
    assert {"Mean hops", "Idle links", "Mean utilisation"} <= set(rows)
    assert words.lines[0] == "A: first. B: this scenario."
    assert [row[:2] for row in sides.rows] == [("A", "first"), ("B", "this scenario")]
    assert [head.title for head in classes.columns] == [
        "Class", "Largest load, A", "Largest load, B", "Mean load, A", "Mean load, B", "Limit of this class, A",
        "Limit of this class, B", "Change",
    ]  # fmt: skip
    for (name, *figures), x, y in zip(classes.rows, a.classes, b.classes, strict=True):
        loads = x.max_load, y.max_load, x.mean_load, y.mean_load, x.throughput_gbs, y.throughput_gbs
        assert name == x.name == y.name
        assert [number(text) for text in figures] == pytest.approx([*loads, 100 * (loads[5] / loads[4] - 1)], rel=1e-3)
    assert isinstance(pictures, Pictures)
    assert len(links.rows) == MAX_LINKS < Difference(a, b).changed
    sizes = [abs(number(row[-1])) for row in links.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert all(number(row[3]) == pytest.approx(number(row[2]) - number(row[1])) for row in links.rows)


def test_different_networks_share_no_links_and_further_rivals_have_a_row_each():
    *_, words, rest = section(TORUS, OTHER, MIXED).parts
    assert isinstance(words, Words)
    assert any("different networks" in line for line in words.lines)
    assert isinstance(rest, Table)
    assert [row[0] for row in rest.rows] == ["first", "second"]


def test_equal_states_have_a_note():
    *_, words = section(TORUS, TORUS).parts
    assert words.lines == ["Every link carries the same load in A and B."]
