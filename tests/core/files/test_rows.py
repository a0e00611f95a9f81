"""Rows of figures as CSV and Parquet."""

import csv

import pytest
from msgspec import Struct

from core.files.rows import write_rows
from core.spec import SpecError


class Row(Struct):
    name: str
    value: float | None
    count: int


ROWS = [Row("a, b", 1.5, 2), Row("c", None, 0)]


def test_csv_has_a_column_for_each_field(tmp_path):
    path = tmp_path / "rows.csv"
    write_rows(path, Row, ROWS, "--out")
    with path.open(newline="") as stream:
        assert list(csv.DictReader(stream)) == [
            {"name": "a, b", "value": "1.5", "count": "2"}, {"name": "c", "value": "", "count": "0"}
        ]  # fmt: skip


@pytest.mark.parametrize("rows", [ROWS, []])
def test_parquet_has_the_same_columns(tmp_path, rows):
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    write_rows(path, Row, rows, "--out")
    table = pq.read_table(path)
    assert table.column_names == ["name", "value", "count"]
    assert table.column("value").to_pylist() == [row.value for row in rows]


def test_a_folder_that_does_not_exist_is_one_line(tmp_path):
    with pytest.raises(SpecError, match=r"^--out: .*its folder does not exist"):
        write_rows(tmp_path / "none" / "rows.csv", Row, ROWS, "--out")
