"""Traffic matrices from files: dense CSV, src,dst,volume CSV, .npy and Matrix Market.

Sizes are checked before anything is read.
"""

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.job.job import MAX_TASKS, FlowBlock
from core.spec import SpecError, file_beside

FIELD = "job.file"
MAX_BYTES = 256 << 20
MAX_ENTRIES = 1 << 25
"""Numbers a file may hold: entries of a dense matrix, three for each listed flow."""


def read_matrix(name: str, folder: Path | None) -> tuple[FlowBlock, int]:
    """Return the flows of the file `name` in `folder`, and the number of tasks its shape fixes (0 if none).

    Raises SpecError: if the file is missing, outside the folder, too large, or not a traffic matrix.
    """
    path = file_beside(FIELD, name, folder, MAX_BYTES)
    readers = {".csv": _read_csv, ".npy": _read_npy, ".mtx": _read_market}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise SpecError(FIELD, f"{name!r} has none of the endings {', '.join(readers)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return reader(path)
    except SpecError:
        raise
    except Exception as error:  # the readers of numpy and scipy raise whatever a hostile file leads them to
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SpecError(FIELD, f"{name!r} cannot be read as a traffic matrix: {reason[:160]}") from error


def _read_csv(path: Path) -> tuple[FlowBlock, int]:
    _check_numbers(_separators(path))
    with path.open(newline="", encoding="utf-8") as text:
        first = next(csv.reader(text), [])
    header = [cell.strip().lower() for cell in first] == ["src", "dst", "volume"]
    table = np.loadtxt(path, delimiter=",", skiprows=int(header), ndmin=2, dtype=np.float64)
    if not header:
        return _read_table(table)
    if table.size and table.shape[1] != 3:
        raise SpecError(FIELD, f"has {table.shape[1]} columns below its header src,dst,volume; give 3")
    return _listed(table.reshape(-1, 3))


def _separators(path: Path) -> int:
    # Commas and line ends: no file holds more numbers than that and one.
    found = 0
    with path.open("rb") as data:
        while chunk := data.read(1 << 20):
            found += chunk.count(b",") + chunk.count(b"\n") + chunk.count(b"\r")
    return found


def _check_numbers(count: int) -> None:
    if count > MAX_ENTRIES:
        raise SpecError(FIELD, f"has {count:,} entries; at most {MAX_ENTRIES:,} are read")


def _read_npy(path: Path) -> tuple[FlowBlock, int]:
    # Unlike np.load this reads neither archives nor pickles.
    array = np.lib.format.open_memmap(path, mode="r")
    if array.dtype.kind not in "iuf" or array.ndim != 2:
        raise SpecError(FIELD, "holds no two-dimensional array of numbers")
    _check_numbers(array.size)
    return _read_table(np.asarray(array, np.float64))


def _read_table(table: NDArray[np.float64]) -> tuple[FlowBlock, int]:
    # Three rows of three numbers are a dense matrix: only a header tells such a list apart.
    return _listed(table) if table.shape[1] == 3 and table.shape[0] != 3 else _dense(table)


def _read_market(path: Path) -> tuple[FlowBlock, int]:
    from scipy.io import mminfo, mmread  # 0.2 s of imports that most scenarios never need

    rows, cols, entries, form, kind, _ = mminfo(path)
    _check_numbers(max(entries, rows * cols if form == "array" else 0))
    _check_square(rows, cols)
    if kind == "complex":
        raise SpecError(FIELD, "holds complex numbers; give numbers from 0 up")
    matrix: Any = mmread(path)
    if isinstance(matrix, np.ndarray):
        return _dense(matrix.astype(np.float64))
    return _flows(matrix.row, matrix.col, matrix.data.astype(np.float64)), int(rows)


def _dense(table: NDArray[np.float64]) -> tuple[FlowBlock, int]:
    _check_square(*table.shape)
    src, dst = np.nonzero(table)
    return _flows(src, dst, table[src, dst]), table.shape[0]


def _listed(table: NDArray[np.float64]) -> tuple[FlowBlock, int]:
    ends = table[:, :2]
    if not np.isfinite(ends).all() or (ends < 0).any() or (ends >= MAX_TASKS).any() or (ends != np.floor(ends)).any():
        raise SpecError(FIELD, f"has a task that is not a whole number from 0 to {MAX_TASKS - 1}")
    return _flows(ends[:, 0], ends[:, 1], table[:, 2]), 0


def _check_square(rows: int, cols: int) -> None:
    if rows != cols:
        raise SpecError(FIELD, f"is {rows} x {cols}; give a square matrix, or rows of src,dst,volume")
    if rows > MAX_TASKS:
        raise SpecError(FIELD, f"has {rows:,} tasks; at most {MAX_TASKS:,} fit")


def _flows(src: NDArray[Any], dst: NDArray[Any], volume: NDArray[np.float64]) -> FlowBlock:
    if not np.isfinite(volume).all() or (volume < 0).any():
        raise SpecError(FIELD, "has a volume that is negative or not finite; give numbers from 0 up")
    return FlowBlock(src.astype(np.int32), dst.astype(np.int32), volume)
