"""Reports of results that were edited by hand or damaged: a page or one line, never a traceback."""

import random

import pytest

from app.cli.main import main

HEAD = "# study 679e7d9781bfe7eb\n"
COLUMNS = ["point", "mapping.seed", "throughput_gbs", "seconds", "error"]
ROWS = [[str(k), str(k + 1), str(0.425 + k / 8), "0.1", ""] for k in range(4)]
WORDS = ["x", "two", "inf", "-inf", "nan", "1e-320", "1e400", "9" * 400, "", "true", "-1", "\u2028", '"', "0,5", "a;b"]


def report(tmp_path, capsys, text):
    """Return the status of a report of a table, and its error output."""
    table = tmp_path / "r.csv"
    table.write_bytes(text.encode())
    status = main(["report", str(table), "--out", str(tmp_path / "r.html"), "-q"])
    return status, capsys.readouterr().err


def table(columns, rows):
    return HEAD + "".join(",".join(cells) + "\n" for cells in (columns, *rows))


def test_an_unchanged_table_makes_a_page(qapp, tmp_path, capsys):
    assert report(tmp_path, capsys, table(COLUMNS, ROWS)) == (0, "")


@pytest.mark.parametrize("column", [2, 3])
@pytest.mark.parametrize("word", ["x", "inf", "1e-320", "9" * 400])
def test_a_word_in_a_column_of_numbers_is_reported_with_its_place(tmp_path, capsys, column, word):
    rows = [list(row) for row in ROWS]
    rows[2][column] = word
    status, line = report(tmp_path, capsys, table(COLUMNS, rows))
    assert status == 2
    assert line.startswith(f"fabriscope: file: r.csv: row 3, column {COLUMNS[column]}: ")
    assert line.count("\n") == 1


@pytest.mark.parametrize("missing", ["seconds", "error"])
def test_a_missing_column_is_named(tmp_path, capsys, missing):
    place = COLUMNS.index(missing)
    without = [[cell for k, cell in enumerate(row) if k != place] for row in (COLUMNS, *ROWS)]
    status, line = report(tmp_path, capsys, table(without[0], without[1:]))
    assert (status, line) == (2, f"fabriscope: file: r.csv must have exactly one column '{missing}'\n")


@pytest.mark.parametrize("seed", range(60))
def test_no_edit_of_a_table_causes_a_traceback(qapp, tmp_path, capsys, seed):
    draw, rows = random.Random(seed), [list(row) for row in (COLUMNS, *ROWS)]
    for _ in range(draw.randrange(1, 4)):
        row = draw.choice(rows)
        row[draw.randrange(len(row))] = draw.choice(WORDS)
    text = table(rows[0], rows[1:])
    if seed % 3 == 0:
        place = draw.randrange(len(text))
        text = text[:place] + draw.choice(["\r", "\n", ",", '"', "\0", ""]) + text[place + 1 :]
    status, lines = report(tmp_path, capsys, text)
    assert status in (0, 2)
    assert lines.count("\n") == (status == 2)
