"""Machines compared with their descriptions: matches, and differences with their reasons."""

import pytest

from core.network import AnyNetwork
from core.papers.machine_tables import MACHINES, PAPER, cables, ports, switches
from core.papers.papers import DIFFERS, cells_of, verdict
from core.spec import members


@pytest.fixture(scope="module")
def cells():
    return cells_of(PAPER.tables)


def test_stated_counts_match_built_counts_unless_explained(cells):
    differing = {cell.row for cell in cells if verdict(cell) == DIFFERS}
    assert differing == {"Frontier: nodes", "Like Leonardo: nodes", "TPU v4 pod: between two halves"}
    assert all(cell.note for cell in cells if cell.printed is not None)
    assert sum(cell.agrees is True for cell in cells) > 30


def test_every_preset_machine_with_a_source_has_a_row(cells):
    rows = {cell.row for cell in cells}
    offered = {name for family in members(AnyNetwork) for name in family.preset_notes}
    assert {name for name in offered if f"{name}: all nodes" not in rows} == {"DGX SuperPOD", "Tofu D, 324 nodes"}
    assert "SuperPOD of 4 units: all nodes" in rows


def test_built_counts_match_the_reference(cells):
    ours = {cell.row: cell.ours for cell in cells}
    assert (ours["Frontier: all nodes"], ours["Frontier: all switches"]) == (37_888, 2_368)
    assert (ours["Frontier: local cables"], ours["Frontier: global cables"]) == (36_704, 10_804)
    assert (ours["Aurora: local cables"], ours["Aurora: global cables"]) == (82_336, 27_390)
    assert ours["Like Leonardo: global cables"] == 4_554
    assert sum(ours[f"Fugaku: {name} cables"] for name in ("X", "Y", "Z", "A", "B", "C")) == 1_589_760 / 2
    assert ours["Three levels, 64 ports, 65,536 nodes: host cables"] == 65_536
    assert ours["4 × 4 × 8, 128 chips: electrical cables"] + ours["4 × 4 × 8, 128 chips: optical cables"] == 384


def test_what_is_counted():
    network = MACHINES["rail"][0].spec.build()
    assert [figure.count(network) for figure in (ports(), switches(), switches("leaf"))] == [64, 88, 16]
    assert switches(omitted=5).count(network) == 93
    assert cables("spine", "").count(network) == 512
