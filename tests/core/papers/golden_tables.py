"""Recorded figures of reproduced tables, one file per paper in `golden`, for comparison with computed figures.

A figure that changes on purpose is recorded again by ``python -m tests.checks PAPER TABLE``, and the commit says why.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.papers.papers import Cell, cells_of, paper
from core.papers.printed_figures import printed_figures

FOLDER = Path(__file__).with_name("golden")
FAST = {
    "percs": ("1", "2", "3", "4"),
    "machines": ("dragonfly", "dragonfly-plus", "xgft", "rail", "torus", "twisted-torus", "slim-fly"),
    "transpose": ("phases", "lemma-1"),
    "shortcut": ("formulas",),
}
"""Tables that take less than a second each, by paper; the others are compared in `tests/checks`."""
GOLDEN = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
"""[row, column, ours] of every cell, by paper and table."""


def possible(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells, none of which may lie outside its bounds."""
    checked = list(cells)
    wrong = [f"{cell.place}: {cell.ours}, {cell.range_text}" for cell in checked if cell.impossible]
    assert not wrong, wrong
    return checked


def computed(name: str, table: str) -> list[Cell]:
    """Return the cells of a table; no figure may be impossible, and progress rises from 0 to 1."""
    heard: list[float] = []
    computed_cells = possible(cells_of(paper(name).chosen([table]), heard.append))
    assert heard == sorted(heard)
    assert all(0 <= fraction <= 1 for fraction in heard)
    assert heard[-1] == 1
    return computed_cells


def assert_golden(name: str, table: str) -> None:
    """Compute a table, and compare its figures with the recorded figures, and printed values with the paper's file."""
    computed_cells = computed(name, table)
    golden = GOLDEN[name][table]
    assert [[cell.row, cell.column] for cell in computed_cells] == [[row, column] for row, column, _ in golden]
    assert [cell.ours for cell in computed_cells] == pytest.approx([ours for *_, ours in golden], rel=1e-9, abs=1e-12)
    lines = {(line.row, line.column): line.value for line in printed_figures(name).figures if line.table == table}
    assert lines.items() <= {(cell.row, cell.column): cell.printed for cell in computed_cells}.items()


def record(name: str, tables: Iterable[str]) -> None:
    """Compute some tables of a paper, and replace their recorded figures in its file."""
    file, recorded = FOLDER / f"{name}.json", dict(GOLDEN.get(name, {}))
    for table in tables:
        recorded[table] = [[cell.row, cell.column, cell.ours] for cell in computed(name, table)]
    write(file, {table.name: recorded[table.name] for table in paper(name).tables if table.name in recorded})


def write(file: Path, tables: dict[str, list[list[str | float]]]) -> None:
    """Write figures with a line for each cell, so that a diff shows the changed cells."""
    texts = []
    for table, cells in tables.items():
        lines = ",\n".join(f"  {json.dumps(cell, ensure_ascii=False)}" for cell in cells)
        texts.append(f" {json.dumps(table)}: [\n{lines}\n ]")
    file.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")
