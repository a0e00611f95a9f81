"""Traced traffic from files: four forms of one matrix, and files that must not be trusted."""

import io
import os
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.io import mmwrite
from scipy.sparse import coo_array

from core.job import Flows, matrix_file
from core.spec import SpecError


def flows_of(folder, name, **fields):
    """Number of tasks, and the volume by pair of tasks."""
    job = Flows(file=name, **fields).build(folder)
    volumes = Counter()
    for _, block in job.phases[0].blocks():
        for src, dst, volume in zip(*(array.tolist() for array in block), strict=True):
            volumes[src, dst] += volume
    return job.tasks, volumes


def write_all(folder, matrix):
    """Write the matrix in every form; return the names of the files."""
    np.savetxt(folder / "dense.csv", matrix, delimiter=",", fmt="%.17g")
    # Traces also list pairs that sent nothing.
    rows = "".join(f"{i},{j},{float(matrix[i, j])!r}\n" for i, j in np.ndindex(matrix.shape))
    (folder / "listed.csv").write_text("src,dst,volume\n" + rows)
    np.save(folder / "dense.npy", matrix)
    np.save(folder / "fortran.npy", np.asfortranarray(matrix))
    mmwrite(folder / "sparse.mtx", coo_array(matrix))
    mmwrite(folder / "array.mtx", matrix)
    return ["dense.csv", "listed.csv", "dense.npy", "fortran.npy", "sparse.mtx", "array.mtx"]


volumes = st.sampled_from([0.0, 0.0, 1.0, 3218.0, 0.1]) | st.floats(0, 1e9)
squares = st.integers(1, 6).flatmap(lambda n: hnp.arrays(np.float64, (n, n), elements=volumes))


@given(matrix=squares)
def test_all_forms_give_the_same_job(empty_folder, matrix):
    folder = empty_folder()
    tasks = len(matrix)
    expected = {(int(i), int(j)): float(matrix[i, j]) for i, j in np.argwhere(matrix)}
    for name in write_all(folder, matrix):
        assert flows_of(folder, name, tasks=tasks) == (tasks, expected), name
        # There is a task for every row of a matrix and every task in a list, even if the last tasks send nothing.
        assert flows_of(folder, name) == (tasks, expected), name


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.float32, ">f8"])
def test_numbers_of_any_width_are_read(tmp_path, dtype):
    np.save(tmp_path / "m.npy", np.array([[0, 2], [3, 0]], dtype))
    assert flows_of(tmp_path, "m.npy") == (2, {(0, 1): 2.0, (1, 0): 3.0})


def test_scale_multiplies_volumes_and_tasks_adds_idle_tasks(tmp_path):
    (tmp_path / "m.csv").write_text("0,2\n3,0\n")
    assert flows_of(tmp_path, "m.csv", scale=0.5, tasks=7) == (7, {(0, 1): 1.0, (1, 0): 1.5})


def test_listed_flows_need_no_header(tmp_path):
    (tmp_path / "m.csv").write_text("0,1,5\n1,2,6\n2,0,7\n0,1,1\n")
    assert flows_of(tmp_path, "m.csv") == (3, {(0, 1): 6.0, (1, 2): 6.0, (2, 0): 7.0})
    np.save(tmp_path / "m.npy", np.array([[0, 1, 5], [1, 2, 6.0]]))
    assert flows_of(tmp_path, "m.npy") == (3, {(0, 1): 5.0, (1, 2): 6.0})


def test_three_rows_of_three_are_dense_unless_they_have_a_header(tmp_path):
    (tmp_path / "dense.csv").write_text("0,1,5\n1,2,6\n2,0,7\n")
    (tmp_path / "listed.csv").write_text("src, dst, volume\n0,1,5\n1,2,6\n2,0,7\n")
    assert flows_of(tmp_path, "dense.csv")[1][0, 2] == 5
    assert flows_of(tmp_path, "listed.csv")[1] == {(0, 1): 5.0, (1, 2): 6.0, (2, 0): 7.0}
    (tmp_path / "silent.csv").write_text("0,1,5\n1,0,6\n2,0,0\n")
    warnings_of = {name: Flows(file=f"{name}.csv").build(tmp_path).warnings for name in ("dense", "listed", "silent")}
    either = "three lines of three numbers are read as a matrix; for a list of flows, add the header src,dst,volume"
    assert {name for name, warnings in warnings_of.items() if either in warnings} == {"dense"}


def test_symmetric_and_pattern_matrix_market_files_are_read(tmp_path):
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
    assert flows_of(tmp_path, "m.mtx") == (3, {(0, 1): 1.0, (1, 0): 1.0})


def npy_with_header(header, body=b""):
    """A .npy file with a custom header."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


def saved(array, **options):
    data = io.BytesIO()
    np.save(data, array, **options)
    return data.getvalue()


def archive():
    data = io.BytesIO()
    np.savez(data, a=np.eye(3))
    return data.getvalue()


HUGE = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000000), }\n"


def test_matrix_market_arrays_list_columns_or_the_lower_triangle(tmp_path):
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix array real general\n% of nobody\n\n2 2\n0\n1\n2\n3\n")
    assert flows_of(tmp_path, "m.mtx") == (2, {(1, 0): 1.0, (0, 1): 2.0, (1, 1): 3.0})
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix array integer symmetric\n3 3\n0\n1\n2\n0\n3\n0\n")
    mirrored = {(1, 0): 1.0, (2, 0): 2.0, (2, 1): 3.0}
    assert flows_of(tmp_path, "m.mtx") == (3, mirrored | {(v, u): volume for (u, v), volume in mirrored.items()})


@pytest.mark.parametrize("value", ["0.5=", "1e", "0x1", "--1", "1 2 3", ""])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_broken_entry_of_matrix_market_names_its_line(tmp_path, value, end):
    # scipy's reader ends the process at "0.5=" without a line end.
    (tmp_path / "m.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5\n3 1 {value}{end}")
    with pytest.raises(SpecError, match=r"m\.mtx, line 4"):
        flows_of(tmp_path, "m.mtx")


MARKET = b"%%MatrixMarket matrix coordinate real general\n"
HOSTILE = {
    "empty.csv": b"",
    "binary.csv": bytes(range(256)),
    "nul.csv": b"0,\x00\n1,0\n",
    "words.csv": b"a,b\nc,d\n",
    "ragged.csv": b"0,1\n1\n",
    "negative.csv": b"0,-1\n1,0\n",
    "nan.csv": b"0,nan\n1,0\n",
    "infinite.csv": b"0,inf\n1,0\n",
    "oblong.csv": b"0,1,2,3\n1,0,2,3\n",
    "too wide.csv": b"src,dst,volume\n0,1,2,3\n1,2,3,4\n2,3,4,5\n",
    "half a task.csv": b"src,dst,volume\n0.5,1,2\n",
    "below zero.csv": b"src,dst,volume\n-1,1,2\n",
    "far away.csv": b"src,dst,volume\n0,1e300,2\n",
    "no task.csv": b"src,dst,volume\nnan,1,2\n",
    "negative volume.csv": b"src,dst,volume\n0,1,-2\n",
    "empty.npy": b"",
    "magic only.npy": b"\x93NUMPY",
    "huge.npy": npy_with_header(HUGE),
    "negative.npy": npy_with_header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1), }\n", b"0" * 64),
    "open bracket.npy": npy_with_header(b"{'descr': '<f8', 'shape': (2,2), 'fortran_order': ((((\n"),
    "open string.npy": npy_with_header(b"'''\n"),
    "deep.npy": npy_with_header(b"(" * 9000 + b")" * 9000 + b"\n"),
    "code.npy": npy_with_header(b"__import__('os').abort()\n"),
    "short.npy": saved(np.eye(4))[:-8],
    "pickle.npy": saved(np.array([[{}, 1], [2, 3]], object), allow_pickle=True),
    "complex.npy": saved(np.eye(3, dtype=complex)),
    "words.npy": saved(np.array([["a", "b"], ["c", "d"]])),
    "flat.npy": saved(np.arange(4.0)),
    "cube.npy": saved(np.zeros((2, 2, 2))),
    "oblong.npy": saved(np.ones((2, 4))),
    "nan.npy": saved(np.full((2, 2), np.nan)),
    "negative entry.npy": saved(-np.eye(2)),
    "archive.npy": archive(),
    "not an archive.npy": b"PK\x03\x04garbage",
    "empty.mtx": b"",
    "words.mtx": b"garbage",
    "huge.mtx": MARKET + b"1000000000 1000000000 1\n1 2 1.0\n",
    "many.mtx": MARKET + b"10 10 100000000000\n1 2 1.0\n",
    "short.mtx": MARKET + b"10 10 3\n1 2 1.0\n",
    "outside.mtx": MARKET + b"2 2 1\n5 7 1.0\n",
    "negative size.mtx": MARKET + b"-2 -2 1\n1 1 1.0\n",
    "oblong.mtx": MARKET + b"2 3 1\n1 2 1.0\n",
    "nan.mtx": MARKET + b"2 2 1\n1 2 nan\n",
    "complex.mtx": b"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1.0 5.0\n",
    "skew.mtx": b"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
    "vector.mtx": b"%%MatrixMarket vector coordinate real general\n2 1\n2 3\n",
    "integer.mtx": b"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 99999999999999999999999\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(tmp_path, name):
    (tmp_path / name).write_bytes(HOSTILE[name])
    with pytest.raises(SpecError) as refusal:
        Flows(file=name).build(tmp_path)
    assert refusal.value.field == "job.file"
    assert len(str(refusal.value).splitlines()) == 1
    assert name in refusal.value.message


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("src,dst,volume\n0,1,5\n\n# then\n0,-1,5\n", "a.csv, line 5: -1 is not a task; give whole numbers from 0 to"),
        ("src,dst,volume\n0.5,1,5\n", "a.csv, line 2: 0.5 is not a task; give whole numbers from 0 to 4,194,303"),
        ("0 1 5\n1 0 5\n1 2 nan\n2 1 5\n", "a.csv, line 3: nan is not a volume; give numbers from 0"),
        ("0 1\n-4 0\n", "a.csv: task 1 to 0: -4 is not a volume; give numbers from 0"),
    ],
)
def test_an_invalid_number_is_reported_with_its_place(tmp_path, lines, words):
    (tmp_path / "a.csv").write_text(lines)
    with pytest.raises(SpecError, match=re.escape(words)):
        Flows(file="a.csv").build(tmp_path)


@given(ending=st.sampled_from([".csv", ".npy", ".mtx"]), start=st.sampled_from([b"", MARKET, HUGE]), data=st.binary())
def test_random_content_is_read_or_refused(empty_folder, ending, start, data):
    folder = empty_folder()
    (folder / f"noise{ending}").write_bytes(npy_with_header(data) if ending == ".npy" else start + data)
    try:
        assert Flows(file=f"noise{ending}").build(folder).tasks >= 1
    except SpecError as refusal:
        refused = refusal.field
    else:
        refused = None
    assert refused in (None, "job.file", "job.tasks")


@pytest.mark.parametrize(
    "name",
    [
        *("../secret.csv", "out.csv", "out.csv/../../secret.csv", "~/secret.csv", "x" * 5000 + ".csv"),
        *("loop.csv", "folder.csv", "pipe.csv", "missing.csv", "", ".", "a\0.csv", "\ud800.csv"),
    ],
)
def test_paths_outside_the_scenarios_folder_are_refused(tmp_path, name):
    folder = tmp_path / "scenario"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("0,1\n1,0\n")
    (folder / "out.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    (folder / "folder.csv").mkdir()
    os.mkfifo(folder / "pipe.csv")
    with pytest.raises(SpecError) as refusal:
        Flows(file=name).build(folder)
    assert refusal.value.field == "job.file"


def test_a_user_may_choose_a_file_anywhere(tmp_path):
    folder = tmp_path / "scenario"
    folder.mkdir()
    (tmp_path / "mine.csv").write_text("0,1\n1,0\n")
    for where in (folder, None):
        assert flows_of(where, str(tmp_path / "mine.csv")) == (2, {(0, 1): 1.0, (1, 0): 1.0})
    with pytest.raises(SpecError, match=r"^job\.file: no such file"):
        Flows(file=str(tmp_path / "none.csv")).build(folder)


def test_files_in_a_subfolder_and_links_within_are_read(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "m.CSV").write_text("0,1\n1,0\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "data" / "m.CSV")
    assert flows_of(tmp_path, "data/m.CSV") == flows_of(tmp_path, "link.csv") == (2, {(0, 1): 1.0, (1, 0): 1.0})


@pytest.mark.parametrize(("limit", "words"), [("MAX_BYTES", "MiB"), ("MAX_ENTRIES", "entries")])
@pytest.mark.parametrize("name", ["dense.csv", "listed.csv", "dense.npy", "sparse.mtx", "array.mtx"])
def test_sizes_are_checked_before_reading(tmp_path, monkeypatch, limit, words, name):
    write_all(tmp_path, np.arange(25.0).reshape(5, 5))
    monkeypatch.setattr(matrix_file, limit, 9)
    with pytest.raises(SpecError, match=words) as refusal:
        Flows(file=name).build(tmp_path)
    assert refusal.value.field == "job.file"


FLOWS = (3, {(0, 1): 5.0, (1, 2): 2.5})


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffsrc,dst,volume\n0,1,5\n1,2,2.5\n",
        "src;dst;volume\n0;1;5\n1;2;2,5\n",
        "from\tto\tbytes\n0\t1\t5\n1\t2\t2.5\n",
        "source target weight\n0 1 5\n1  2   2.5\n",
        "Source, Target, Weight\r\n0, 1, 5\r\n\r\n1, 2, 2.5\r\n",
        '"from","to","messages"\n"0","1","5"\n"1","2","2.5"\n',
        "# what was traced\n\nto,from,label,bytes\n1,0,,5\n2,1,,2.5\n",
        "from,to,messages,bytes\n0,1,99,5\n1,2,98,2.5\n",
        "from,to,bytes,label\n0,1,5,first\n1,2,2.5,second\n",
        "0 1 5\n1 2 2.5\n",
        "0;1;5\n1;2;2,5\n",
    ],
)
@pytest.mark.parametrize("name", ["m.csv", "m.txt", "m"])
def test_lists_of_other_programs_are_read(tmp_path, text, name):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert flows_of(tmp_path, name, unit="GB") == FLOWS
    (tmp_path / name).write_bytes(text.removeprefix("\ufeff").encode("utf-16"))
    assert flows_of(tmp_path, name, unit="GB") == FLOWS


@pytest.mark.parametrize("text", ["0;1,5\n1;0\n", "\ufeff0,1.5\n1,0\n", "0\t1.5\n1\t0\n", " 0  1.5 \n 1 0\n"])
def test_dense_matrices_of_other_programs_are_read(tmp_path, text):
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    assert flows_of(tmp_path, "m.csv") == (2, {(0, 1): 1.5, (1, 0): 1.0})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; give a square matrix"),
        (b"\xef\xbb\xbf \n# of nobody\n\n", "is empty; give a square matrix"),
        (b"0,1\n1,0,3\n", "line 2 has 3 columns; give 2, as in line 1"),
        (b'"0","1"\n"1"\n', "line 2 has 1 column; give 2, as in line 1"),
        (b"# a\n\n0 1 2\n\n1 0 2 # b\n1 0\n", "line 6 has 2 columns; give 3, as in line 3"),
        (b"0;1,5\n2,5;0;3\n", "line 2 has 3 columns; give 2, as in line 1"),
        (b"src,dst,volume\n0,1,2\n1,2\n", "line 3 has 2 columns; give 3, as in line 1"),
        (b"src,dst,volume\n0,1,2,5\n1,2,4,4\n", "line 2 has 4 columns; give 3, as in line 1"),
        (b"src,label,dst,volume\n0,x,1,2\n1,y\n", "line 3 has 2 columns; give 4, as in line 1"),
        (b"0 1 2\n" * 65536 + b"1 2\n" * 3, "line 65,537 has 2 columns; give 3, as in line 1"),
        (b"0 1\nOne 0\n", "line 2, column 1, is 'One'; give a number"),
        (b"0,1\n,0\n", "line 2, column 1, is empty; give a number"),
        (b"src,label,dst,volume\n0,x,1,2\n1,y,b,4\n", "line 3, column 3, is 'b'; give a number"),
        (b"0 1\n\xff\xff\xfa 1\n", "is not text in UTF-8 or UTF-16; give a square matrix"),
    ],
)
def test_an_irregular_table_is_refused_with_its_line(tmp_path, content, words):
    (tmp_path / "m.csv").write_bytes(content)
    with pytest.raises(SpecError) as refusal:
        Flows(file="m.csv").build(tmp_path)
    assert words in refusal.value.message
    assert "usecols" not in refusal.value.message


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"\x89PNG\r\n\x1a\n....", "this is a PNG image; give a square matrix or src,dst,volume"),
        ("a.csv", b"\x1f\x8b\x08\x00", "this is compressed with gzip (decompress it first); give"),
        ("a.npz", b"PK\x03\x04", "NumPy's .npz"),
        ("a.npy", b"\x89HDF\r\n\x1a\n\x00", "this is an HDF5 file"),
        ("a.csv", b'{\n "fabriscope": 1}', "this is a scenario file; give"),
        ("a.csv", b'{"tasks": 1}', "this is a JSON file; give"),
        ("traces.otf2", b"\x01\x02text", "is not an OTF2 anchor file"),
        ("a.csv", b"<?xml version='1.0'?><!-- x --><graphml>", "this is a GraphML graph; give"),
        ("a.csv", b"<!DOCTYPE html><html>", "is a web page"),
        ("a.csv", b"1,2\n\x00", "is a binary file"),
        ("a.csv", b"task,count,what\n0,1,2\n", "has no column for src and dst and volume; names: src/source/from"),
        ("a.csv", b"from,to\n0,1\n", "has no column for volume"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_its_kind(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SpecError) as refusal:
        Flows(file=name).build(tmp_path)
    assert words in refusal.value.message
    assert "\n" not in refusal.value.message


NAMED = "names of tasks are ignored; tasks are numbered by rows from 0 ({})"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"","P0","P1","P2"\n"P0",0,10,20\n"P1",30,0,40\n"P2",50,60,0\n', "'P0', 'P1', 'P2'"),
        (",a b,c,d\na b,0,10,20\n# of nobody\nc,30,0,40\n\nd,50,60,0\n", "'a b', 'c', 'd'"),
        ("task;a;b;c\na;0;10,0;20\nb;30;0;40\nc;50;60;0\n", "'a', 'b', 'c'"),
        ("\ta\tb\tc\na\t0\t10\t20\nb\t30\t0\t40\nc\t50\t60\t0\n", "'a', 'b', 'c'"),
        ("a b c\na 0 10 20\nb 30 0 40\nc 50 60 0\n", "'a', 'b', 'c'"),
        (",1,2,3\n1,0,10,20\n2,30,0,40\n3,50,60,0\n", "'1', '2', '3'"),
        (",0,1,2\n0,0,10,20\n1,30,0,40\n2,50,60,0\n", ""),
        ("rank,0,1,2\n0,0,10,20\n1,30,0,40\n2,50,60,0\n", ""),
        (",2,0,1\n2,0,50,60\n0,20,0,10\n1,40,30,0\n", ""),
    ],
)
def test_a_matrix_may_have_names_in_its_first_row_and_column(tmp_path, text, names):
    (tmp_path / "m.csv").write_text(text)
    job = Flows(file="m.csv", unit="GB").build(tmp_path)
    flows = job.phases[0].flows
    volumes = np.zeros((3, 3))
    volumes[flows.src, flows.dst] = flows.volume
    assert volumes.tolist() == [[0, 10, 20], [30, 0, 40], [50, 60, 0]]
    assert job.warnings == ((NAMED.format(names),) if names else ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ",a,b\na,0,5\nc,7,0\n",
            ": row 2 is named 'c', column 2 'b'; give rows and columns the same names in the same order",
        ),
        (",a,b\na,0,5\n", ": has 1 named rows and 2 named columns; give a square matrix"),
        (",a,a\na,0,5\na,7,0\n", ": has two rows named 'a'"),
        (",a,b\na,0,5\nb,7,0,9\n", ", line 3: has 4 columns; the header has 3, with the names"),
        (",a,b\na,0,x\nb,7,0\n", ", line 2, column 3, is 'x'; give a number"),
        (",a,b\na,0,\nb,7,0\n", ", line 2, column 3, is empty; give a number"),
        (",a,b\na,0,-1\nb,7,0\n", ": task 0 to 1: -1 is not a volume; give numbers from 0"),
    ],
)  # fmt: skip
def test_an_irregular_matrix_with_names_is_refused(tmp_path, text, words):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(SpecError) as refused:
        Flows(file="m.csv").build(tmp_path)
    assert str(refused.value) == f"job.file: m.csv{words}"
