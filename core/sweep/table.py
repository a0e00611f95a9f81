"""The table of a running study on disk, CSV or Parquet, always complete for finished points.

Rows are appended to a CSV, so that their cost does not depend on their number. A line truncated by a crash is dropped
when the study resumes. Parquet files cannot grow: rows are kept in memory, and the file is rewritten and renamed, first
every second, later less often, so that writing takes at most a twentieth of the time. A crash loses the rows since the
last write. Rows are added in the order in which points end, and sorted by point at the end of a run.
"""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from core.files.atomic import check_place, reason_of, replacing, shown, write_atomically
from core.optional import check_installed
from core.spec import SpecError
from core.sweep.measures import SEARCH_STEPS
from core.sweep.results import CPU, DIGEST, HEAD, STUDY, SUFFIXES, Row, csv_content, csv_lines, read_results
from core.sweep.study import Study
from core.sweep.values import table_value, values_of

FIELD = "--out"
RECORDED_LATER = (SEARCH_STEPS, CPU)
"""Columns that tables of earlier versions do not have."""
INTERVAL, SHARE = 1.0, 0.05
"""Seconds between writes to disk, and the fraction of the time that writing may take."""


def open_table(path: Path, study: Study, resume: bool) -> "ResultTable":
    """Open a study's table, keeping the rows already in the file.

    Raises SpecError: if the file cannot be written, exists without `resume`, or belongs to another study.
    """
    check_place(path, FIELD, SUFFIXES)
    if path.exists() and not resume:
        raise SpecError(
            FIELD, f"{shown(path.name)} already exists; use --resume to continue it, or choose another name"
        )
    try:
        return ParquetTable(path, study) if path.suffix.lower() == ".parquet" else CsvTable(path, study)
    except SpecError as error:
        raise SpecError(FIELD, error.message) from error


class ResultTable(ABC):
    """The rows of a study on disk."""

    def __init__(self, path: Path, study: Study) -> None:
        self.path, self._study = path, study
        self.done: set[int] = set()
        """Numbers of the points with rows."""
        self.failed = 0
        """Number of rows of failed points."""
        self.unrecorded: tuple[str, ...] = ()
        """Columns that the rows of an earlier version lack, and that are therefore empty."""
        self._next = 0.0

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows of points without rows.

        Raises SpecError: if the rows cannot be written.
        """
        self._note((row["point"], row["error"]) for row in rows)
        self._write([[row[column] for column in self._study.columns] for row in rows])
        if time.monotonic() >= self._next:
            begun = time.monotonic()
            self._bring_to_disk()
            spent = time.monotonic() - begun
            self._next = begun + spent + max(INTERVAL, spent / SHARE)

    def _note(self, rows: Iterable[tuple[int, str | None]]) -> None:
        for number, error in rows:
            self.done.add(number)
            self.failed += bool(error)

    def _fitted(self, columns: Sequence[str], rows: Iterable[Sequence[Any]], empty: Any) -> list[list[Any]]:
        """Return rows with the columns of the study; columns not recorded by earlier versions are empty.

        Raises SpecError: if another column is missing.
        """
        ours = self._study.columns
        missing = [name for name in ours if name not in columns]
        for name in missing:
            if name not in RECORDED_LATER:
                raise SpecError(FIELD, f"{shown(self.path.name)} must have exactly one column {name!r}")
        place = {name: number for number, name in enumerate(columns)}
        fitted = [[row[place[name]] if name in place else empty for name in ours] for row in rows]
        self.unrecorded = tuple(missing) if fitted else ()
        return fitted

    def _check(self, digest: str) -> None:
        ours = self._study.digest
        if digest == ours:
            return
        words = f"holds results of another study, {shown(digest)} instead of {ours}"
        if digest.partition("-")[0] == ours.partition("-")[0]:
            words = f"holds results that are older than the files of this study: {', '.join(self._study.files)}"
        raise SpecError(FIELD, f"{shown(self.path.name)} {shown(words)}; choose another name")

    @abstractmethod
    def _write(self, rows: list[list[Any]]) -> None:
        """Buffer rows."""

    @abstractmethod
    def _bring_to_disk(self) -> None:
        """Flush buffered rows to disk."""

    @abstractmethod
    def close(self) -> None:
        """Flush all rows to disk, sorted by point.

        Raises SpecError: if that fails.
        """


class CsvTable(ResultTable):
    """CSV: a comment with the study's digest, the header, and a line for each point."""

    def __init__(self, path: Path, study: Study) -> None:
        super().__init__(path, study)
        self._save(self._rows() if path.exists() else [])
        self._stream = path.open("ab", buffering=0)

    def _rows(self) -> list[list[str]]:
        digest, columns, rows = csv_content(self.path)
        self._check(digest)
        return rows if tuple(columns) == self._study.columns else self._fitted(columns, rows, "")

    def _save(self, rows: list[list[str]]) -> None:
        rows.sort(key=lambda row: int(row[0]))
        with replacing(self.path, FIELD) as stream:
            stream.write(f"{HEAD}{self._study.digest}\n".encode())
            stream.write(csv_lines([self._study.columns, *rows]))
        if not self.done:
            self._note((int(row[0]), row[-1]) for row in rows)

    def _write(self, rows: list[list[Any]]) -> None:
        try:
            self._stream.write(csv_lines(rows))
        except OSError as error:
            reason, advice = reason_of(error)
            raise SpecError(FIELD, f"{shown(self.path.name)} cannot be written: {reason}; {advice}") from error

    def _bring_to_disk(self) -> None:
        os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Sort the lines by point."""
        self._stream.close()
        self._save(self._rows())


class ParquetTable(ResultTable):
    """Parquet, with the study and its digest in the metadata."""

    def __init__(self, path: Path, study: Study) -> None:
        check_installed("pyarrow", "parquet", FIELD)
        super().__init__(path, study)
        self._rows: list[list[Any]] = []
        given = {path: values_of(path, values) for path, values in study.file.vary.items()}
        self._texts = {"error"} | {
            path for path, values in given.items() if not _of_one_type(list(map(table_value, values)))
        }
        """Columns with values of several types, now or later, which are stored as strings."""
        if path.exists():
            results = read_results(path)
            self._check(results.digest)
            rows = ([row[name] for name in results.columns] for row in results.rows)
            self._rows = self._fitted(results.columns, rows, None)
            self._note((row[0], row[-1]) for row in self._rows)
        self._bring_to_disk()

    def _write(self, rows: list[list[Any]]) -> None:
        self._rows.extend(rows)

    def _bring_to_disk(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._rows.sort(key=lambda row: int(row[0]))
        names = list(self._study.columns)
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(names)
        metadata = {DIGEST: self._study.digest, STUDY: self._study.content}
        both = zip(names, columns, strict=True)
        table = pa.table({name: _column(list(values), name in self._texts) for name, values in both})
        content = BytesIO()
        pq.write_table(table.replace_schema_metadata(metadata), content)
        write_atomically(self.path, content.getvalue(), FIELD, ".parquet")

    def close(self) -> None:
        """Write the last rows."""
        self._bring_to_disk()


def _of_one_type(values: list[Any]) -> bool:
    import pyarrow as pa

    try:
        pa.array(values)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _column(values: list[Any], texts: bool) -> Any:
    import pyarrow as pa

    if texts or not _of_one_type(values):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
    return pa.array(values)
