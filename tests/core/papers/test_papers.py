"""Tables of papers: the choice of tables, the agreement of figures, and the output."""

import json
from dataclasses import replace

import msgspec
import pytest

from app.cli.main import main
from app.model import search_run
from core.papers import all_to_all, papers_in_processes
from core.papers.papers import (
    PAPERS,
    Cell,
    Paper,
    PaperTable,
    as_printed,
    cell,
    cells_of,
    drawn_cell,
    for_comparison,
    in_print,
    paper,
)
from core.spec import SpecError

GRID = [cell("3.4", f"row {row}", f"column {col}", row + col, 3.0, "why") for row in range(2) for col in range(3)]
DRAWN = Cell(table="3.5", row="a", column="s", ours=1.5, printed=1.9, agrees=True, low=1.0, high=2.0)


def quick(progress):
    progress(0.5)
    yield from GRID
    progress(1.0)


SMALL = Paper(
    "Someone, Something, 2000",
    (PaperTable("3.4", "a grid", quick), PaperTable("3.5", "draws", lambda progress: [DRAWN], takes="an hour")),
    ("a remark",),
    (("Figure 1", "a picture"),),
)


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_has_tables_with_distinct_names(name):
    tables = paper(name).tables
    assert len({table.name for table in tables}) == len(tables) > 0
    assert any(not table.takes for table in tables)


@pytest.mark.parametrize(
    ("ours", "printed", "agrees"),
    [(2.499, 2.5, True), (2.44, 2.5, False), (1368.4, 1368, True), (1368.6, 1368, False), (0.5, 0.5, True)],
)
def test_ours_agrees_as_rounded_in_print(ours, printed, agrees):
    assert as_printed(ours, printed) == agrees


def test_slow_tables_are_computed_only_on_request():
    first, second = SMALL.tables
    assert SMALL.chosen() == (first,)
    assert SMALL.chosen(everything=True) == (first, second)
    assert SMALL.chosen(["3.5"]) == (second,)
    with pytest.raises(SpecError, match=r"unknown table '9'; tables: 3.4, 3.5"):
        SMALL.chosen(["9"])


def test_progress_rises_over_all_tables():
    heard = []
    assert cells_of(SMALL.tables, heard.append) == [*GRID, DRAWN]
    assert heard == [0.25, 0.5]


def test_everything_is_printed_and_omissions_are_listed(monkeypatch, capsys):
    monkeypatch.setattr(all_to_all, "PAPER", SMALL)
    assert main(["reproduce", "alltoall"]) == 0
    text = capsys.readouterr().out
    assert "row 1        1 (3) !   2 (3) !     3 (3)\n" in text
    assert "1 of 6 cells agree" in text
    assert "differs: table 3.4, row 0, column 2: computed 2, printed 3: why" in text
    assert "skipped: table 3.5, draws, takes an hour; use --table 3.5 or --all" in text
    assert "not reproduced: Figure 1: a picture\n" in text
    assert main(["reproduce", "alltoall", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["absent"] == [{"what": "Figure 1", "why": "a picture"}]
    assert (len(printed["cells"]), printed["left_out"], printed["remarks"]) == (6, ["3.5"], ["a remark"])
    assert main(["reproduce", "alltoall", "--table", "3.5", "--workers", "1"]) == 0
    text = capsys.readouterr().out
    assert "a  1.5 [1..2] (1.9)  s" in text
    assert "left out" not in text
    assert "not here" not in text
    assert main(["reproduce", "alltoall", "--table", "x"]) == 2
    assert capsys.readouterr().err == "fabriscope: --table: unknown table 'x'; tables: 3.4, 3.5\n"
    monkeypatch.setattr(all_to_all, "PAPER", replace(SMALL, remarks=()))
    assert main(["reproduce", "alltoall", "--all", "--workers", "1"]) == 0
    assert "2 of 7 cells agree" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [([], None), (["--workers", "1", "--all"], None), (["--all"], 5), (["--workers", "3"], 3), (["--table", "3.5"], 5)],
)
def test_slow_tables_use_one_process_per_core(monkeypatch, arguments, asked):
    heard = []

    def processes(name, tables, workers, progress):
        heard.append(workers)
        return cells_of(tables)

    monkeypatch.setattr(papers_in_processes, "cells_in_processes", processes)
    monkeypatch.setattr(search_run, "cores", lambda: 5)
    monkeypatch.setattr(all_to_all, "PAPER", SMALL)
    assert main(["reproduce", "alltoall", *arguments]) == 0
    assert heard == ([] if asked is None else [asked])


def test_zero_workers_are_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "alltoall", "--workers", "0"])
    assert ended.value.code == 2
    assert "--workers: must be a whole number from 1 to 256" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ours", "printed", "agrees", "texts"),
    [
        (2.5, 2.5, True, ("2.5", "2.5")),
        (2.4996, 2.5, True, ("2.5", "2.5")),
        (2.500004, 2.5, False, ("2.500004", "2.5")),
        (2.0, 2.0, False, ("2", "2")),
        (2.6, 2.0, False, ("2.6", "2")),
        (1589760.0, 1589760.0, True, ("1,589,760", "1,589,760")),
        (1368.26, 1368.25, False, ("1,368.26", "1,368.25")),
        (0.125, 0.12345, False, ("0.125", "0.12345")),
    ],
)
def test_printed_figures_are_shown_in_full_and_differences_are_visible(ours, printed, agrees, texts):
    shown_cell = msgspec.structs.replace(cell("1", "row", "column", ours, printed), agrees=agrees)
    assert (for_comparison(shown_cell), in_print(printed)) == texts


@pytest.mark.parametrize(
    ("values", "printed", "expected"),
    [
        ([10.0, 30.0], 29, (20.0, 10.0, 30.0, True, "")),
        ([10.0, 30.0], 31, (20.0, 10.0, 30.0, False, "why")),
        ([19.6, 19.8], 20, (pytest.approx(19.7), 19.6, 19.8, True, "")),
        ([1.0, 3.0], None, (2.0, 1.0, 3.0, None, "")),
    ],
)
def test_draws_agree_in_their_range_or_by_their_mean_and_others_are_explained(values, printed, expected):
    drawn = drawn_cell("1", "row", "column", values, printed, "why", (0, 100))
    assert (drawn.ours, drawn.low, drawn.high, drawn.agrees, drawn.note) == expected


@pytest.mark.parametrize(("printed", "half"), [(2.5, 0.05), (1589760.0, 0.5), (0.125, 0.0005), (13.69, 0.005)])
def test_ours_agrees_within_half_of_the_last_printed_digit(printed, half):
    assert as_printed(printed + 0.99 * half, printed)
    assert not as_printed(printed + 1.01 * half, printed)


def test_every_printed_figure_is_shown_with_all_its_digits(monkeypatch, capsys):
    printed = [2.5, 13.69, 1368.25, 1589760.0, 0.5, 57.3, -0.125]
    cells = [cell("1", f"row {number}", "hops", 2.0, figure) for number, figure in enumerate(printed)]
    table = PaperTable("1", "figures", lambda progress: cells)
    monkeypatch.setattr(all_to_all, "PAPER", Paper("Someone, 2000", (table,)))
    assert main(["reproduce", "alltoall"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for number, figure in enumerate(printed):
        (row,) = [line for line in lines if line.startswith(f"row {number} ")]
        assert float(row.split("(")[1].split(")")[0].replace(",", "")) == figure
        (differs,) = [line for line in lines if line.startswith(f"differs: table 1, row {number},")]
        assert float(differs.split("printed ")[1].split(":")[0].replace(",", "")) == figure
    assert main(["reproduce", "alltoall", "--json"]) == 0
    assert [cell["printed"] for cell in json.loads(capsys.readouterr().out)["cells"]] == printed


def test_unprinted_figures_are_within_bounds_or_impossible(monkeypatch, capsys):
    cells = [
        cell("1", "a", "hops", 2.0, None, bounds=(1, 3)),
        cell("1", "b", "hops", 34836480.0, None, bounds=(1.9, 3)),
        cell("1", "c", "hops", 4.0, 4.0),
        cell("1", "d", "links", 7.0, None, bounds=(8, 8)),
    ]
    monkeypatch.setattr(all_to_all, "PAPER", Paper("Someone, 2000", (PaperTable("1", "x", lambda progress: cells),)))
    assert main(["reproduce", "alltoall"]) == 0
    text = capsys.readouterr().out
    assert "1 of 1 cells agree: 1 exact match, 0 within seed variation.\n" in text
    assert "1 of 3 cells without a printed value are within their bounds.\n" in text
    assert "b  34,836,480 !" in text
    wrong = "impossible: table 1, b, hops: computed 34,836,480 must be between 1.9 and 3; please report this\n"
    assert wrong in text
    assert "impossible: table 1, d, links: computed 7 must be 8; please report this\n" in text
    assert main(["reproduce", "alltoall", "--json"]) == 0
    assert [cell["bounds"] for cell in json.loads(capsys.readouterr().out)["cells"]] == [[1, 3], [1.9, 3], None, [8, 8]]
