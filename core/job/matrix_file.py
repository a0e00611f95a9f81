"""Traffic matrices in files: dense text, lists of source, destination and volume, .npy and Matrix Market.

Numbers in text are separated by commas, semicolons, tabs or blanks; with semicolons a comma is a decimal point. The
format is detected from the beginning of the file. Sizes are checked before reading.
"""

import csv
import os
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from core.filekind import START, refusal
from core.formats import AUTO, read_of
from core.job.columns import HEADERS, UNITS, Columns, columns_in, header_text, missing_columns
from core.job.job import MAX_TASKS, FlowBlock
from core.job.measure import Counted
from core.job.traffic import form_of
from core.job.traffic.pairs import ParsedTraffic
from core.spec import SpecError, error_at_line, is_shipped, parsing, path_in_folder
from core.text import examples

FIELD = "job.file"
FORMATS = read_of("job")
MAX_BYTES = 256 << 20
MAX_ENTRIES = 1 << 25
"""Maximum number of numbers in a file: entries of a dense matrix, or three for each listed flow."""
EXPECTED = "a square matrix or src,dst,volume as text, .npy or Matrix Market"
NO_VOLUME = "is not a volume; give numbers from 0"
EITHER = "three lines of three numbers are read as a matrix; for a list of flows, add the header src,dst,volume"
MARKET: tuple[dict[str, float], ...] = (
    dict.fromkeys(("coordinate", "array"), 0.0),
    dict.fromkeys(("real", "integer", "pattern"), 0.0),
    {"general": 0.0, "symmetric": 1.0, "skew-symmetric": -1.0},
)
"""Words of a Matrix Market heading, with the factor of the entries implied by each symmetry."""
MAX_INTEGER = 2.0**63
Ends = NDArray[Any]
LINES = 1 << 16
"""Number of lines read at once, in some tens of milliseconds."""
MAX_MESSAGE = 80
"""Maximum length of a header in a message."""
_BYTE_ORDERS = (b"\xff\xfe", b"\xfe\xff")


def read_matrix(name: str | None, folder: Path | None, form: str = AUTO, unit: Counted = "auto") -> ParsedTraffic:
    """Read the flows of the file `name` in `folder`, with a warning if it counts another unit than `unit`.

    `form` is the id of a format of `core.formats`, or ``auto`` to detect it.

    Raises SpecError: if the file is missing, outside the folder, too large, or not a traffic matrix.
    """
    path = path_in_folder(FIELD, name, folder, MAX_BYTES)
    with parsing(FIELD, path, "a traffic matrix", f"give {EXPECTED}"):
        try:
            return _read_traffic(path, name or "", folder, form, unit)
        except UnicodeDecodeError as error:
            raise SpecError(FIELD, f"is not text in UTF-8 or UTF-16; give {EXPECTED}") from error


def _read_traffic(path: Path, name: str, folder: Path | None, form: str, unit: Counted) -> ParsedTraffic:
    with path.open("rb") as data:
        start = data.read(START)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = FORMATS[form_of(path, start) or "matrix" if form == AUTO else form]
        others = (_OtherFiles(path, name, folder).path_of,) * chosen.by_rank
        traffic: ParsedTraffic = chosen.read(path, *others)
    if chosen.in_bytes:
        traffic = traffic._replace(counted="bytes")
    other = unit not in ("auto", traffic.counted) and traffic.counted != "auto"
    warned = (f"{name!r} counts {traffic.counted}; 1 is taken as 1 {unit}",) * other
    return traffic._replace(warnings=traffic.warnings + warned, source=chosen.title)


class _OtherFiles(NamedTuple):
    """The other files of a trace, in the same folder."""

    path: Path
    name: str
    """Name in the scenario."""
    folder: Path | None

    def path_of(self, other: str) -> Path | None:
        """Return the path of another file of the trace, or None if it does not exist.

        Raises SpecError: if the file is not in the scenario's folder, or too large.
        """
        file = self.path.with_name(other)
        if not file.is_file():
            return None
        own = self.folder is None or os.path.isabs(self.name) or is_shipped(self.name)
        named = file if own else file.relative_to(Path(self.folder or "").resolve())
        return path_in_folder(FIELD, str(named), self.folder, MAX_BYTES)


def read_numbers(path: Path) -> ParsedTraffic:
    """Read a matrix, or a list of flows, as text, .npy or Matrix Market.

    Raises SpecError: if the file is none of these.
    """
    with path.open("rb") as data:
        start = data.read(START)
    if start.startswith(b"\x93NUMPY"):
        return _read_npy(path)
    if start.startswith(b"%%MatrixMarket"):
        return _read_market(path)
    why = refusal(start, path.name, f"give {EXPECTED}")
    if why:
        raise SpecError(FIELD, why)
    return _read_text(path)


def _read_text(path: Path) -> ParsedTraffic:
    encoding = _encoding(path)
    first, skipped = _first_line(path, encoding)
    if not first:
        raise SpecError(FIELD, f"is empty; give {EXPECTED}")
    separator = next((mark for mark in ";\t," if mark in first), None)
    _check_numbers(_numbers(path, separator))
    if _is_labelled(path, encoding, separator):
        return _read_labelled(path, encoding, separator)
    names = _cells(header_text(first, separator), separator)
    named = _columns(names, separator)
    # Unused columns need not have numbers.
    others = named is not None and len(names) > len(HEADERS)
    grid = _LineFormat(separator, len(names), skipped + 1, named.places if named is not None and others else None)
    with path.open(encoding=encoding) as text:
        table = grid.rows(_decimal(islice(text, skipped + bool(named), None), separator), skipped + bool(named))
    rows = _LineNumbers(path, encoding, skipped + bool(named))
    if named is None:
        return _read_table(table, rows)
    listed = _listed(table if others else table[:, named.places], rows)
    unread = (
        f"volumes are read from column {names[named.places[2]]!r}; ignored: {', '.join(map(repr, named.unread))}",
    )
    return listed._replace(counted=named.counted, factor=named.factor, warnings=unread * bool(named.unread))


def _is_labelled(path: Path, encoding: str, separator: str | None) -> bool:
    # Whether the first row has an empty corner, a name and numbers, or names of which the next row repeats the first.
    (corner, *columns), first = (_cells(line, separator) or [""] for _, line in _first_lines(path, encoding, 2))
    if not columns or columns_in([corner, *columns]) is not None:
        return False
    if _is_number(corner, separator) or all(_is_number(name, separator) for name in columns):
        return not corner or not _is_number(corner, separator)
    return first[0] in (corner, columns[0])


def _first_lines(path: Path, encoding: str, count: int) -> list[tuple[int, str]]:
    # The first lines that are neither empty nor comments, with their numbers; (0, "") after the end of the file.
    with path.open(encoding=encoding) as text:
        plain = ((number, _uncommented(line)) for number, line in enumerate(text, 1))
        some = list(islice((entry for entry in plain if entry[1].strip()), count))
    return some + [(0, "")] * (count - len(some))


def _uncommented(line: str) -> str:
    # Separators at the beginning belong to an empty cell.
    return line.partition("#")[0].strip(" \r\n")


def _read_labelled(path: Path, encoding: str, separator: str | None) -> ParsedTraffic:
    # A square matrix with the names of tasks in its first row and column.
    (skipped, header), (first, line) = _first_lines(path, encoding, 2)
    columns, width = _cells(header, separator), len(_cells(line, separator))
    columns = columns if len(columns) == width - 1 else columns[1:]
    with path.open(encoding=encoding) as text:
        names = [*_row_names(islice(text, skipped, None), separator, skipped, len(columns) + 1)]
    _check_names(names, columns)
    grid = _LineFormat(separator, len(columns) + 1, first, list(range(1, len(columns) + 1)))
    with path.open(encoding=encoding) as text:
        table = grid.rows(_decimal(islice(text, skipped, None), separator), skipped)
    return _renumbered(_dense(table), names)


def _row_names(lines: Iterator[str], separator: str | None, before: int, width: int) -> Iterator[str]:
    for number, line in enumerate(lines, before + 1):
        if plain := _uncommented(line):
            cells = plain.split() if separator is None else next(csv.reader([plain], delimiter=separator))
            if len(cells) != width:
                raise error_at_line(FIELD, number, f"has {len(cells)} columns; the header has {width}, with the names")
            yield cells[0].strip().strip('"')


def _check_names(rows: list[str], columns: list[str]) -> None:
    if len(rows) != len(columns):
        raise SpecError(FIELD, f"has {len(rows):,} named rows and {len(columns):,} named columns; give a square matrix")
    for place, (row, column) in enumerate(zip(rows, columns, strict=True), 1):
        if row != column:
            named = f"row {place:,} is named {row[:MAX_MESSAGE]!r}, column {place:,} {column[:MAX_MESSAGE]!r}"
            raise SpecError(FIELD, f"{named}; give rows and columns the same names in the same order")
    if len(set(rows)) < len(rows):
        twice = next(name for place, name in enumerate(rows) if name in rows[:place])
        raise SpecError(FIELD, f"has two rows named {twice[:MAX_MESSAGE]!r}")


def _renumbered(traffic: ParsedTraffic, names: list[str]) -> ParsedTraffic:
    # Names that are the numbers of all tasks are their numbers; other names are ignored.
    if set(names) == set(map(str, range(len(names)))):
        task, flows = np.array(names, np.int32), traffic.flows
        return traffic._replace(flows=flows._replace(src=task[flows.src], dst=task[flows.dst]))
    note = f"names of tasks are ignored; tasks are numbered by rows from 0 ({examples(list(map(repr, names)))})"
    return traffic._replace(warnings=(*traffic.warnings, note))


def _decimal(lines: Iterator[str], separator: str | None) -> Iterator[str]:
    return (line.replace(",", ".") for line in lines) if separator == ";" else lines


class _LineNumbers(NamedTuple):
    """Finds the line of a text that holds a given row of numbers."""

    path: Path
    encoding: str
    before: int
    """Lines before the first row."""

    def of(self, row: int) -> int:
        """Return the number of the row's line, counting empty lines and comments."""
        with self.path.open(encoding=self.encoding) as text:
            full = (n for n, line in enumerate(text, 1) if n > self.before and line.partition("#")[0].strip())
            return next(islice(full, row, None))


class _LineFormat(NamedTuple):
    """The format of all lines, taken from the first line."""

    separator: str | None
    width: int
    """Columns of the first line."""
    first: int
    """Number of the first line."""
    wanted: list[int] | None
    """Columns that are read, or None for all; all lines must then have the same number of columns."""

    def rows(self, lines: Iterator[str], before: int) -> NDArray[np.float64]:
        """Return the numbers in lines, shape ``(rows, columns)``; `before` lines precede them."""
        # In batches, since NumPy holds the GIL while it reads a batch.
        wide = self.width if self.wanted is None else len(self.wanted)
        parts = [np.zeros((0, wide))]
        while some := list(islice(lines, LINES)):
            try:
                part = np.loadtxt(
                    some, delimiter=self.separator, usecols=self.wanted, ndmin=2, dtype=np.float64, quotechar='"'
                )
            except ValueError as error:
                unlike = self._unlike(some, before)
                if unlike is None:
                    raise
                raise unlike from error
            if part.size and part.shape[1] != wide:
                raise self._unlike(some, before) or SpecError(
                    FIELD, f"has lines with more or fewer than {wide} columns"
                )
            parts += [part] if part.size else []
            before += len(some)
        return np.concatenate(parts)

    def _unlike(self, lines: list[str], before: int) -> SpecError | None:
        # Find the line that differs from the first, after NumPy has failed.
        for number, line in enumerate(lines, before + 1):
            cells = _cells(line.partition("#")[0].strip(), self.separator)
            wanted = range(self.width) if self.wanted is None else self.wanted
            short = len(cells) != self.width if self.wanted is None else len(cells) <= max(wanted)
            if cells and short:
                has = f"has {len(cells)} column{'s' if len(cells) > 1 else ''}"
                return SpecError(FIELD, f"line {number:,} {has}; give {self.width}, as in line {self.first:,}")
            for place in wanted if cells else ():
                if not cells[place] or not _is_number(cells[place], self.separator):
                    quoted = repr(cells[place][:MAX_MESSAGE]) if cells[place] else "empty"
                    return SpecError(FIELD, f"line {number:,}, column {place + 1}, is {quoted}; give a number")
        return None


def _encoding(path: Path) -> str:
    # Spreadsheets write "Unicode text" as UTF-16 with a byte order mark.
    with path.open("rb") as data:
        return "utf-16" if data.read(2) in _BYTE_ORDERS else "utf-8-sig"


def _first_line(path: Path, encoding: str) -> tuple[str, int]:
    # The first line that is not a comment, and the number of lines before it.
    with path.open(newline=None, encoding=encoding) as text:
        for before, line in enumerate(text):
            if content := line.partition("#")[0].strip():
                return content, before
    return "", 0


def _cells(line: str, separator: str | None) -> list[str]:
    cells = line.split() if separator is None else next(csv.reader([line], delimiter=separator), [])
    return [cell.strip().strip('"') for cell in cells]


def _columns(names: list[str], separator: str | None) -> Columns | None:
    # The columns of source, destination and volume, if the first line has names.
    if not names or all(_is_number(name, separator) for name in names):
        return None
    columns = columns_in(names)
    quoted = ",".join(names)[:MAX_MESSAGE]
    if columns is None:
        missing = " and ".join(missing_columns(names))
        headers = ", ".join("/".join(wanted) for wanted in HEADERS)
        raise SpecError(FIELD, f"header {quoted!r} has no column for {missing}; names: {headers}")
    if columns.unknown_unit:
        what = f"header {quoted!r} has the unknown unit {columns.unknown_unit!r}"
        raise SpecError(FIELD, f"{what}; units: {', '.join(UNITS)}")
    return columns


def _is_number(text: str, separator: str | None) -> bool:
    try:
        float(text.replace(",", ".") if separator == ";" else text)
    except ValueError:
        return not text  # an empty column is not a name either
    return True


def _numbers(path: Path, separator: str | None) -> int:
    # The number of separators and line ends, plus one, is an upper bound on the number of numbers.
    marks = [mark.encode() for mark in ((separator or " \t") + "\n\r")]
    count = 0
    with path.open("rb") as data:
        while chunk := data.read(1 << 20):
            count += sum(chunk.count(mark) for mark in marks)
    return count


def _check_numbers(count: int) -> None:
    if count > MAX_ENTRIES:
        raise SpecError(FIELD, f"has {count:,} entries; the limit is {MAX_ENTRIES:,}")


def _read_npy(path: Path) -> ParsedTraffic:
    # Unlike np.load, this reads neither archives nor pickles.
    array = np.lib.format.open_memmap(path, mode="r")
    if array.dtype.kind not in "iuf" or array.ndim != 2:
        raise SpecError(FIELD, "does not hold a two-dimensional array of numbers")
    _check_numbers(array.size)
    return _read_table(np.asarray(array, np.float64))


def _read_table(table: NDArray[np.float64], lines: _LineNumbers | None = None) -> ParsedTraffic:
    # Three rows of three numbers are read as a dense matrix, unless they have a header.
    if table.shape[1] == 3 and table.shape[0] != 3:
        return _listed(table, lines)
    traffic = _dense(table)
    return traffic._replace(warnings=(EITHER,)) if len(table) == 3 and _may_be_listed(table) else traffic


def _may_be_listed(table: NDArray[np.float64]) -> bool:
    # A matrix rarely has volumes from tasks to themselves, and a list always has integral task numbers.
    return bool(np.diag(table).any() and (table[:, :2] == np.floor(table[:, :2])).all())


class _Market(NamedTuple):
    """The heading of a Matrix Market file. Source: R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996."""

    dense: bool
    integer: bool
    pattern: bool
    """Whether entries have no values and count as 1."""
    mirror: float
    """Factor of the entries that symmetry implies above the diagonal; 0 for none."""
    size: tuple[int, ...]
    """Rows, columns and, unless dense, the number of entries."""
    lines: int
    """Lines before the first entry."""

    @classmethod
    def read(cls, text: TextIO) -> "_Market":
        """Read the heading.

        Raises SpecError: naming the invalid line.
        """
        words = text.readline().lower().split()
        known_words = len(words) == 5 and words[1] == "matrix"
        if not known_words or any(word not in some for word, some in zip(words[2:], MARKET, strict=True)):
            headings = " ".join("|".join(some) for some in MARKET)
            raise error_at_line(FIELD, 1, f"write %%MatrixMarket matrix {headings}")
        dense, number, line = words[2] == "array", 1, ""
        while not line.strip() or line.startswith("%"):
            number, line = number + 1, text.readline()
            if not line:
                raise error_at_line(FIELD, number, "missing size of the matrix")
        size = line.split()
        if len(size) != 3 - dense or not all(word.isascii() and word.isdigit() and len(word) < 16 for word in size):
            what = "rows and columns" if dense else "rows, columns and the number of entries"
            raise error_at_line(FIELD, number, f"give {what} as whole numbers")
        return cls(
            dense, words[3] == "integer", words[3] == "pattern", MARKET[2][words[4]], tuple(map(int, size)), number
        )

    def rows(self, text: TextIO) -> NDArray[np.float64]:
        """Return the numbers in the lines after the heading."""
        width = 1 if self.dense else 2 if self.pattern else 3
        return _LineFormat(None, width, self.lines + 1, None).rows(iter(text), self.lines)


def _read_market(path: Path) -> ParsedTraffic:
    # Not SciPy's mmread, which some malformed files crash.
    with path.open(encoding="utf-8-sig") as text:
        heading = _Market.read(text)
        rows, cols, *entries = heading.size
        _check_numbers(max(entries, default=rows * cols))
        _check_square(rows, cols)
        table = heading.rows(text)
    if heading.dense:
        # Column by column; for a symmetric matrix, only the diagonal and below.
        places = np.tri(rows, dtype=np.bool_).T if heading.mirror else np.ones((rows, cols), np.bool_)
        col, row = np.nonzero(places)
        _check_entries(len(table), row.size)
        return _mirrored(row, col, table[:, 0], heading)
    _check_entries(len(table), entries[0])
    ends = table[:, :2] - 1
    if not ((ends >= 0) & (ends < rows) & (ends == np.floor(ends))).all():
        raise SpecError(FIELD, f"has an entry outside the matrix; rows and columns are 1 to {rows:,}")
    volume = np.ones(len(table)) if heading.pattern else table[:, 2]
    if heading.integer and (np.abs(volume) >= MAX_INTEGER).any():
        raise SpecError(FIELD, "has integers of more than 64 bits; use real in its first line")
    return _mirrored(ends[:, 0], ends[:, 1], volume, heading)


def _check_entries(listed: int, wanted: int) -> None:
    if listed != wanted:
        raise SpecError(
            FIELD, f"has {listed:,} {'entry' if listed == 1 else 'entries'}; its heading declares {wanted:,}"
        )


def _mirrored(row: Ends, col: Ends, volume: NDArray[np.float64], heading: _Market) -> ParsedTraffic:
    # Entries, including those implied by symmetry, sorted as in a matrix.
    own = (row != col) & (heading.mirror != 0) & (volume != 0)
    ends = np.concatenate([row, col[own]]), np.concatenate([col, row[own]])
    flows = _flows(*ends, np.concatenate([volume, heading.mirror * volume[own]]))
    some = flows.volume > 0
    order = np.lexsort((flows.dst[some], flows.src[some]))
    src, dst, volume = flows.src[some][order], flows.dst[some][order], flows.volume[some][order]
    return ParsedTraffic(FlowBlock(src, dst, volume), heading.size[0])


def _dense(table: NDArray[np.float64]) -> ParsedTraffic:
    _check_square(*table.shape)
    src, dst = np.nonzero(table)
    return ParsedTraffic(_flows(src, dst, table[src, dst]), table.shape[0])


def _listed(table: NDArray[np.float64], lines: _LineNumbers | None = None) -> ParsedTraffic:
    ends, volume = table[:, :2], table[:, 2]
    unfit = np.column_stack([~((ends >= 0) & (ends < MAX_TASKS) & (ends == np.floor(ends))), _unfit(volume)])
    for row, column in np.argwhere(unfit)[:1].tolist():
        what = f"is not a task; give whole numbers from 0 to {MAX_TASKS - 1:,}" if column < 2 else NO_VOLUME
        value = f"{table[row, column]:.15g} {what}"
        raise error_at_line(FIELD, lines.of(row), value) if lines else SpecError(FIELD, f"row {row}: {value}")
    return ParsedTraffic(_flows(ends[:, 0], ends[:, 1], volume), 0)


def _check_square(rows: int, cols: int) -> None:
    if rows != cols:
        raise SpecError(FIELD, f"is {rows} x {cols}; give a square matrix, or rows of src,dst,volume")
    if rows > MAX_TASKS:
        raise SpecError(FIELD, f"has {rows:,} tasks; the limit is {MAX_TASKS:,}")


def _unfit(volume: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(~np.isfinite(volume) | (volume < 0))


def _flows(src: NDArray[Any], dst: NDArray[Any], volume: NDArray[np.float64]) -> FlowBlock:
    for place in np.flatnonzero(_unfit(volume))[:1]:
        raise SpecError(FIELD, f"task {src[place]:.0f} to {dst[place]:.0f}: {volume[place]:.15g} {NO_VOLUME}")
    return FlowBlock(src.astype(np.int32), dst.astype(np.int32), volume)
