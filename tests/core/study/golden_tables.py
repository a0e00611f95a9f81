"""Our own figures of reproduced tables, one file per paper in `golden`, with which tests compare what is computed.

A figure that changes on purpose is written anew there, and the commit says why. Figures without a printed counterpart
are checked by nothing else.
"""

import json
from pathlib import Path

import pytest

from core.study.papers import cells_of, paper

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


def assert_golden(name: str, table: str) -> None:
    """Compute a table, and check its figures and that its progress rises from 0 to 1."""
    heard: list[float] = []
    found = cells_of(paper(name).chosen([table]), heard.append)
    golden = GOLDEN[name][table]
    assert [[cell.row, cell.column] for cell in found] == [[row, column] for row, column, _ in golden]
    assert [cell.ours for cell in found] == pytest.approx([ours for *_, ours in golden], rel=1e-9, abs=1e-12)
    assert heard == sorted(heard)
    assert all(0 < fraction <= 1 for fraction in heard)
