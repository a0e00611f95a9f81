"""Results of studies on disk: CSV or Parquet."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Any

from core.files.atomic import reason_of, shown
from core.load.scenario import Scenario
from core.optional import check_installed
from core.spec import SpecError, control_words, reason_in
from core.text import control_in

SUFFIXES = (".csv", ".parquet")
HEAD = "# study "
DIGEST, STUDY = b"study", b"fabriscope_study"
"""Metadata keys in Parquet: the study's digest, and the study itself."""
ALWAYS = "point", "seconds", "error"
"""Columns of every table."""
CPU = "cpu_seconds"
"""Column of the processor time of a point, which is less than its `seconds` if other programs ran, too."""
UNMEASURED = frozenset({*ALWAYS, CPU})
"""Columns that are neither varied nor measured."""
VARIED = frozenset(field.name for field in fields(Scenario))
"""First parts of the names of varied columns, which may hold numbers and texts."""
TINY = sys.float_info.min
WORDS = {"": None, "true": True, "false": False}
"""CSV texts of values other than strings and numbers."""

Row = dict[str, Any]
"""A point's row in the table, by column."""


@dataclass(frozen=True)
class Results:
    """The table of a study."""

    digest: str
    """Digest of the study."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    study: bytes | None
    """Content of the study file; stored in Parquet only."""


def read_results(path: Path) -> Results:
    """Read the results of a study.

    Raises SpecError: if the file cannot be read, or has no results of a study.
    """
    try:
        results = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    except (SpecError, MemoryError):
        raise
    except Exception as error:  # csv and pyarrow raise exceptions of any kind for damaged tables
        reason = reason_of(error)[0] if isinstance(error, OSError) and error.errno else reason_in(error)
        raise SpecError("file", f"{shown(path.name)} cannot be read: {shown(reason)}") from error
    _check_columns(path, results)
    _check_texts(path, results)
    return results


def _check_columns(path: Path, results: Results) -> None:
    # Spreadsheets drop columns, and write texts and infinities into columns of numbers.
    for column in ALWAYS:
        if results.columns.count(column) != 1:
            raise SpecError("file", f"{shown(path.name)} must have exactly one column {column!r}")
    for column in results.columns:
        values = [row[column] for row in results.rows]
        measured = column != "error" and column.partition(".")[0] not in VARIED
        numeric = column == "seconds" or (measured and any(map(_is_number, values)))
        for number, value in enumerate(values, start=1):
            wrong = "is not a number" if numeric and isinstance(value, str) else _range_error(value)
            if wrong:
                place = f"row {number:,}, column {shown(column)}"
                raise SpecError("file", f"{shown(path.name)}: {place}: {shown(str(value))} {wrong}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _range_error(value: Any) -> str:
    """Return the error of a number that is not finite or too small; empty for other values."""
    if not _is_number(value):
        return ""
    try:
        size = abs(float(value))
    except OverflowError:
        size = inf
    return "" if size == 0 or TINY <= size < inf else "is out of range"


def _check_texts(path: Path, results: Results) -> None:
    # Reports and plots show columns and cells.
    for number, row in enumerate([dict.fromkeys(results.columns), *results.rows]):
        for column, value in row.items():
            text = column if number == 0 else value
            if isinstance(text, str) and control_in(text):
                place = f"row {number:,}, column {column}" if number else "a column's name"
                raise SpecError("file", f"{shown(path.name)}: {place} {control_words(text)}")


def _read_parquet(path: Path) -> Results:
    check_installed("pyarrow", "parquet", "file")
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    metadata = table.schema.metadata or {}
    if DIGEST not in metadata:
        raise _no_results(path)
    rows = tuple(table.to_pylist())
    return Results(metadata[DIGEST].decode(), tuple(table.column_names), rows, metadata.get(STUDY))


def _read_csv(path: Path) -> Results:
    digest, columns, rows = csv_content(path)
    plain = [dict(zip(columns, map(_value, row), strict=True)) for row in rows]
    return Results(digest, tuple(columns), tuple(plain), None)


def csv_content(path: Path) -> tuple[str, list[str], list[list[str]]]:
    """Return a CSV's digest, columns, and rows of strings; an incomplete last line is dropped.

    Raises SpecError: if it has no results of a study.
    """
    text = path.read_bytes().decode("utf-8", "replace")
    head, _, rest = text.partition("\n")
    complete = rest[: rest.rfind("\n") + 1]
    columns, *rows = list(csv.reader(io.StringIO(complete))) or [list[str]()]
    if not head.startswith(HEAD) or columns[:1] != ["point"]:
        raise _no_results(path)
    if any(len(row) != len(columns) or not row[0].isdigit() for row in rows):
        raise SpecError("file", f"{shown(path.name)} is damaged; a line is not a row of the table")
    return head.removeprefix(HEAD).strip(), columns, rows


def csv_lines(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return rows as CSV lines."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_texts, rows))
    return text.getvalue().encode()


def _texts(row: Iterable[Any]) -> Iterator[Any]:
    # csv writes floats by repr, and None as an empty field.
    return (str(value).lower() if isinstance(value, bool) else value for value in row)


def _value(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _no_results(path: Path) -> SpecError:
    return SpecError("file", f"{shown(path.name)} does not hold results of a study")
