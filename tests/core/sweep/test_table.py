"""The table of a study on disk: complete at any moment, and only of its own study."""

import os
import time
from itertools import pairwise

import pyarrow.parquet as pq
import pytest

from core.spec import SpecError
from core.sweep import table as module
from core.sweep.results import read_results
from core.sweep.study import decode_study
from core.sweep.table import open_table
from tests.core.sweep.studies import BASE, content, study

VARIED = {"network.gbs": [1, 2.5, "all"], "mapping": [{"type": "ring"}, 'x,"y"']}
SWEEP = study(vary=VARIED, measure=["links", "notes"])
SUFFIXES = pytest.mark.parametrize("suffix", [".csv", ".parquet"])


def row(number, **figures):
    took = {"cpu_seconds": 0.09, "seconds": 0.1}
    return {"point": number, **SWEEP.cells(number), "links": 3, "notes": None, **took, "error": None, **figures}


ROWS = [row(0), row(1, links=None, error='network: no, "none"'), row(2, links=0.1 + 0.2), row(3, links=10**20), row(4)]


@SUFFIXES
def test_rows_are_on_disk_before_the_study_ends_and_in_order_after(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(module, "INTERVAL", 0.0)
    path = tmp_path / f"r{suffix}"
    table = open_table(path, SWEEP, resume=False)
    assert read_results(path).rows == ()
    table.add([ROWS[3], ROWS[1]])
    assert {row["point"] for row in read_results(path).rows} == {1, 3}
    time.sleep(0.01)
    table.add([ROWS[0]])
    table.close()
    results = read_results(path)
    assert results.columns == SWEEP.columns
    assert [row["point"] for row in results.rows] == [0, 1, 3]
    assert results.rows[1]["error"] == 'network: no, "none"'
    assert [row["mapping"] for row in results.rows] == ['{"type":"ring"}', 'x,"y"', 'x,"y"']


@SUFFIXES
def test_a_table_resumes_after_its_last_row(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    table = open_table(path, SWEEP, resume=True)
    table.add(ROWS[1:3])
    table.close()
    before = read_results(path)
    table = open_table(path, SWEEP, resume=True)
    assert (table.done, table.failed) == ({1, 2}, 1)
    table.add([ROWS[4], ROWS[0]])
    table.close()
    after = read_results(path)
    assert after.rows[1:3] == before.rows
    assert [row["point"] for row in after.rows] == [0, 1, 2, 4]
    assert after.rows[2]["links"] == 0.1 + 0.2


@SUFFIXES
def test_another_studys_table_is_refused_by_name_and_stays(tmp_path, suffix):
    path, other = tmp_path / f"r{suffix}", study(measure=["nodes"])
    open_table(path, SWEEP, resume=False).close()
    before = path.read_bytes()
    with pytest.raises(SpecError, match=f"--out: r{suffix} already exists; use --resume to continue it"):
        open_table(path, SWEEP, resume=False)
    words = f"--out: r{suffix} holds results of another study, {SWEEP.digest} instead of {other.digest}"
    with pytest.raises(SpecError, match=words):
        open_table(path, other, resume=True)
    assert path.read_bytes() == before


@SUFFIXES
def test_a_changed_file_is_reported(tmp_path, suffix):
    path, graph = tmp_path / f"r{suffix}", tmp_path / "graph.txt"

    def sweep():
        network = {"type": "edges", "file": "graph.txt"}
        return decode_study(content(base={**BASE, "network": network, "routing": {"type": "minimal"}}), tmp_path)

    graph.write_text("0 1\n1 2\n")
    open_table(path, sweep(), resume=False).close()
    open_table(path, sweep(), resume=True).close()
    graph.write_text("0 1\n1 3\n")
    words = f"--out: r{suffix} holds results that are older than the files of this study: graph.txt; choose"
    with pytest.raises(SpecError, match=words):
        open_table(path, sweep(), resume=True)


def test_a_truncated_line_is_dropped(tmp_path):
    path = tmp_path / "r.csv"
    table = open_table(path, SWEEP, resume=False)
    table.add(ROWS[:3])
    table.close()
    complete = path.read_bytes()
    os.truncate(path, len(complete) - 5)
    assert [row["point"] for row in read_results(path).rows] == [0, 1]
    table = open_table(path, SWEEP, resume=True)
    assert table.done == {0, 1}
    table.add([ROWS[2]])
    table.close()
    assert path.read_bytes() == complete


def test_a_csv_begins_with_the_digest_and_the_columns(tmp_path):
    path = tmp_path / "r.csv"
    open_table(path, SWEEP, resume=False).close()
    assert (
        path.read_text() == f"# study {SWEEP.digest}\npoint,network.gbs,mapping,links,notes,cpu_seconds,seconds,error\n"
    )


def test_parquet_has_a_type_for_each_column_and_knows_its_study(tmp_path):
    path = tmp_path / "r.parquet"
    table = open_table(path, SWEEP, resume=False)
    assert str(pq.read_schema(path).field("error").type) == "string"
    table.add([*ROWS[:3], ROWS[4]])
    table.close()
    schema = pq.read_schema(path)
    types = {field.name: str(field.type) for field in schema}
    assert types["point"] == "int64"
    assert types["links"] == types["seconds"] == "double"
    assert types["network.gbs"] == types["mapping"] == types["error"] == "string"  # 1, 2.5 and "all" are texts
    assert schema.metadata[b"study"].decode() == SWEEP.digest


@pytest.mark.parametrize("name", ["r.txt", "nowhere/r.csv"])
def test_an_invalid_path_is_refused(tmp_path, name):
    with pytest.raises(SpecError, match=r"--out: (r\.txt must end in \.csv or|.*r\.csv cannot be written: its)"):
        open_table(tmp_path / name, SWEEP, resume=False)


@SUFFIXES
def test_other_files_are_refused(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    path.write_bytes(b"# study\nnothing\n")
    with pytest.raises(SpecError, match=f"--out: r{suffix} (does not hold results of a study|cannot be read)"):
        open_table(path, SWEEP, resume=True)
    assert path.read_bytes() == b"# study\nnothing\n"


def test_parquet_is_written_less_often_if_writing_is_slow(tmp_path, monkeypatch):
    table, clock = open_table(tmp_path / "r.parquet", SWEEP, resume=False), [1000.0]
    written = []

    def write():
        written.append(clock[0])
        clock[0] += 1.0

    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(table, "_bring_to_disk", write)
    while clock[0] < 1100:
        table.add([])
        clock[0] += 0.5
    gaps = [later - earlier for earlier, later in pairwise(written)]
    assert min(gaps) >= 1.0 / module.SHARE
    assert max(gaps) <= 1.0 / module.SHARE + 2.0


@pytest.fixture
def earlier(monkeypatch):
    """Write tables as earlier versions did, without later columns."""

    def write(path, sweep, rows, dropped):
        with monkeypatch.context() as patch:
            columns = tuple(name for name in sweep.columns if name not in dropped)
            patch.setattr(type(sweep), "columns", columns)
            table = open_table(path, sweep, resume=False)
            table.add(rows)
            table.close()
        assert read_results(path).columns == columns

    return write


SEARCHED = study(vary={"network.gbs": [1, 2]}, measure=["links"], optimise={"seconds": 1})


@SUFFIXES
def test_a_table_of_an_earlier_version_resumes_with_empty_cells_in_new_columns(tmp_path, suffix, earlier):
    path = tmp_path / f"r{suffix}"
    first = {"point": 0, "network.gbs": 1, "links": 3, "seconds": 1.5, "error": None}
    earlier(path, SEARCHED, [first], ("optimise.steps", "cpu_seconds"))
    table = open_table(path, SEARCHED, resume=True)
    assert (table.done, table.unrecorded) == ({0}, ("optimise.steps", "cpu_seconds"))
    second = {**first, "point": 1, "network.gbs": 2, "optimise.steps": 40, "cpu_seconds": 1.25}
    table.add([second])
    table.close()
    results = read_results(path)
    assert results.columns == SEARCHED.columns
    assert list(results.rows) == [{**first, "optimise.steps": None, "cpu_seconds": None}, second]
    again = open_table(path, SEARCHED, resume=True)
    again.close()
    assert again.unrecorded == ()


@SUFFIXES
def test_a_table_without_another_column_is_refused_and_stays(tmp_path, suffix, earlier):
    path = tmp_path / f"r{suffix}"
    earlier(path, SWEEP, [ROWS[0]], ("links",))
    before = path.read_bytes()
    with pytest.raises(SpecError, match=f"--out: r{suffix} must have exactly one column 'links'"):
        open_table(path, SWEEP, resume=True)
    assert path.read_bytes() == before
