"""Published and computed values: tables to tick, and a row with a verdict for each cell."""

import msgspec
import pytest
from PySide6.QtTest import QTest

from app.panels.studies.papers_page import cell_columns
from core.papers import papers
from core.papers.papers import DIFFERS, EQUAL, IMPOSSIBLE, UNPRINTED, WITHIN, Cell, Paper, PaperTable, cell, verdict
from core.papers.percs_best import BestCell
from core.papers.percs_tables import PAPER
from tests.app.panels.studies.conftest import LEFT, choose, click_box

SPREAD = Cell(table=1, row="r", column="c", ours=3.0, printed=2.5, agrees=True, low=2.0, high=4.0)
CELLS = [
    cell(1, "halo", "random", 2.0, 2.0),
    cell(1, "halo", "blocks", 3.0, 4.0, "the paper counts links twice"),
    SPREAD,
    cell("text", "steps", "s", 7.0, None, bounds=(0, 8)),
    cell("text", "shares", "%", 107.0, None, "of the time", bounds=(0, 100)),
    msgspec.structs.replace(cell("text", "path", "hops", 2.500004, 2.5, "a formula"), agrees=False),
]
LONG = PaperTable("2", "A long one", lambda progress: [cell(2, "a", "b", 1.0, 1.0)], "an hour")


@pytest.fixture
def page(opened, monkeypatch):
    paper_of_page = Paper(
        "A. Uthor, On paper, 2026", (PaperTable("1", "Cells", lambda progress: CELLS), LONG), ("Draws: 4.",)
    )
    monkeypatch.setattr(
        "app.panels.studies.papers_page.paper", lambda name: paper_of_page if name == "percs" else PAPER
    )
    QTest.mouseClick(opened.shown.group.button(1), LEFT)
    return opened.papers


def cells_in(page, title):
    column = next(column for column in page.table.source.columns if column.title == title)
    return [column.write(value) for value in column.values]


@pytest.mark.parametrize(
    ("cell", "words"), list(zip(CELLS, (EQUAL, DIFFERS, WITHIN, UNPRINTED, IMPOSSIBLE, DIFFERS), strict=True))
)
def test_cell_has_a_verdict_and_a_note(cell, words):
    assert verdict(cell) == words


def test_ticked_tables_are_computed_and_compared_with_published_values(page):
    page.window().setUpdatesEnabled(True)  # nothing breaks where it is drawn
    assert page.isVisible()
    QTest.mouseClick(page.button, LEFT)
    assert page.cells == CELLS
    assert cells_in(page, "paper") == ["2", "4", "2.5", "–", "–", "2.5"]
    assert cells_in(page, "ours") == ["2", "3", "3", "7", "107", "2.500004"]
    assert cells_in(page, "spread") == ["", "", "2 … 4", "", "", ""]
    assert cells_in(page, "difference")[:4] == ["0 %", "−25 %", "+20 %", "–"]
    assert page.summary.text() == "2 of 4 cells agree · not reproduced: 2 · impossible: 1"
    for number, words in (
        (1, "table 1, halo, blocks: the paper counts links twice"),
        (4, "table text, shares, %: must be between 0 and 100: of the time"),
    ):
        index = page.table.view_index(number)
        QTest.mouseClick(page.table.viewport(), LEFT, pos=page.table.visualRect(index).center())
        assert page.note.text() == words


def test_the_best_stored_mappings_show_the_gap_to_their_bounds():
    best = BestCell(
        table="best", row="r", column="c", ours=3.0, printed=None, agrees=None, low=3.0, high=3.0, bounds=(0, 4),
        bottleneck="D", percent_of_bound=75, gap="bound 4, 75 %",
    )  # fmt: skip
    wrong = msgspec.structs.replace(best, bounds=(0, 2))
    verdicts = next(column for column in cell_columns([best, wrong, *CELLS]) if column.title == "verdict").values
    assert list(verdicts) == ["bound 4, 75 %", IMPOSSIBLE, *map(verdict, CELLS)]


def test_slow_tables_are_computed_only_if_ticked(page):
    assert "an hour" in page.ticks["2"].toolTip()
    assert not page.ticks["2"].isChecked()
    click_box(page.ticks["1"])
    click_box(page.ticks["2"])
    QTest.mouseClick(page.button, LEFT)
    assert [cell.table for cell in page.cells] == [2]


def test_another_paper_has_other_tables(page):
    choose(page.choice, "alltoall")
    assert list(page.ticks) == [table.name for table in PAPER.tables]
    assert page.cells == []
    assert page.title.text() == PAPER.title


@pytest.mark.parametrize("name", papers.PAPERS)
def test_every_paper_can_be_shown(opened, name):
    QTest.mouseClick(opened.shown.group.button(1), LEFT)
    choose(opened.papers.choice, name)
    paper = papers.paper(name)
    assert list(opened.papers.ticks) == [table.name for table in paper.tables]
