"""Tables in separate processes: the same cells in the same order, and no processes left behind."""

from multiprocessing import active_children

import pytest

from core.papers import papers_in_processes
from core.papers.papers import PaperTable, TableParts, cell, cells_of, paper
from core.papers.papers_in_processes import cells_in_processes
from core.spec import Cancelled, SpecError, no_progress


def test_processes_compute_the_same_cells_in_the_same_order():
    tables, heard = paper("shortcut").chosen(["3.1", "formulas"]), []
    assert cells_in_processes("shortcut", tables, 2, heard.append) == cells_of(tables)
    assert heard == sorted(heard)
    assert heard[-1] == 1
    assert not active_children()


def test_processes_end_when_their_results_are_no_longer_needed(monkeypatch):
    started, start = [], papers_in_processes.start_process
    monkeypatch.setattr(papers_in_processes, "start_process", lambda *sent: started.append(start(*sent)) or started[-1])

    def cancel(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        cells_in_processes("shortcut", paper("shortcut").chosen(["3.4", "3.5"]), 2, cancel)
    assert len(started) == 2
    assert not active_children()


def test_a_killed_process_is_reported():
    def kill(fraction):
        for child in active_children():
            child.kill()

    with pytest.raises(SpecError, match="--workers: a process was killed, perhaps for lack of memory"):
        cells_in_processes("shortcut", paper("shortcut").chosen(["3.4", "3.5"]), 2, kill)
    assert not active_children()


def test_tables_that_share_work_stay_in_one_process(monkeypatch):
    monkeypatch.setattr(papers_in_processes, "start_process", None)
    small = paper("clex").chosen(["graphs"]) * 2
    assert len(cells_in_processes("clex", small, 2)) == 2 * len(cells_of(small[:1]))


def test_parts_are_one_table_when_computed_together():
    def part(number):
        def cells(progress):
            yield cell("a", str(number), "b", number, None, bounds=(1, 2))
            progress(1.0)

        return cells

    table, heard = PaperTable("a", "parts", TableParts((part(1), part(2)))), []
    assert [cell.ours for cell in table.cells(heard.append)] == [1, 2]
    assert heard == [0.5, 0.5, 1.0, 1.0]
    assert [cell.ours for each in table.parts for cell in each(no_progress)] == [1, 2]
    assert len(PaperTable("a", "whole", part(1)).parts) == 1
