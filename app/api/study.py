"""Studies: figures of a scenario for every combination of field values, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import msgspec

from app.api.errors import arguments_named, integer
from app.api.scenario import ScenarioLike, choices_in
from core.files import encode
from core.files.scratch import scratch_folder
from core.optional import optional
from core.sweep.points import Builder, point_row
from core.sweep.results import Row, csv_lines, read_results
from core.sweep.run import run_study
from core.sweep.study import Study, decode_study

MAX_WORKERS = 256
SHOWN = 50
"""Rows in the table of a notebook."""


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable:
    """Results of a study, a row per point.

    Columns are the point's number, the varied fields, the measures, processor time and time in seconds, and the error
    of a point that failed.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __getitem__(self, column: str) -> list[Any]:
        """Return the values of a column, a value per point."""
        place = self.columns.index(column)
        return [row[place] for row in self.rows]

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return all columns by name, as `pandas.DataFrame` takes them."""
        return {name: self[name] for name in self.columns}

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table.

        Raises Error: if pyarrow is not installed.
        """
        return optional("pyarrow", "parquet", "arrow").table(self.to_dict())

    def to_csv(self) -> str:
        """Return the table as CSV."""
        return csv_lines([self.columns, *self.rows]).decode()

    def __repr__(self) -> str:
        """Return the number of points and the columns."""
        return f"StudyTable({len(self):,} points; {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows[:SHOWN])
        caption = f"{len(self):,} points" + (f", the first {SHOWN}" if len(self) > SHOWN else "")
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def study(
    scenario: ScenarioLike,
    *,
    vary: Mapping[str, Any],
    measure: Sequence[str],
    combine: str = "product",
    where: Sequence[str] = (),
    optimise: Mapping[str, Any] | None = None,
    workers: int = 1,
) -> StudyTable:
    """Return figures of a scenario for every combination of values of some fields.

    Parameters
    ----------
    scenario
        The scenario whose fields are varied.
    vary
        Values by field, such as ``{"network.d_links": [1, 2, 4], "job.seed": {"from": 1, "to": 20}}``.
    measure
        Names of figures, as in study files, such as ``["throughput_gbs", "metrics.diameter"]``.
    combine
        ``"product"`` for every combination, or ``"zip"`` for corresponding values.
    where
        Conditions that every point must meet, such as ``"network.d_links <= 2"``.
    optimise
        Search for a better mapping before each point is measured, such as ``{"steps": 1000, "seed": 1}``.
    workers
        Number of processes. With 1, points are computed in this process; more require a script with a ``__main__``
        guard, as `multiprocessing` does.

    Raises Error: naming the invalid field and the valid values. Errors of single points are in the column ``error``.
    """
    with arguments_named():
        choices, count = choices_in(scenario), integer("workers", workers, 1, MAX_WORKERS)
        base = {name: value for name, value in msgspec.json.decode(encode(choices)).items() if name != "fabriscope"}
        file = {
            "fabriscope_study": 1,
            "base": base,
            "vary": vary,
            "measure": measure,
            "combine": combine,
            "where": where,
        }
        content = msgspec.json.encode(file | ({} if optimise is None else {"optimise": optimise}))
        read = decode_study(content, choices.folder)
        return _in_processes(read, count) if count > 1 else _in_process(read)


def _in_process(read: Study) -> StudyTable:
    builder = Builder()
    return _table(read.columns, [point_row(read, number, builder) for number in range(len(read.points))])


def _in_processes(read: Study, workers: int) -> StudyTable:
    with scratch_folder() as folder:
        path = folder / "results.csv"
        run_study(read, path, workers=workers)
        results = read_results(path)
    return _table(results.columns, sorted(results.rows, key=lambda row: row["point"]))


def _table(columns: tuple[str, ...], rows: Sequence[Row]) -> StudyTable:
    return StudyTable(columns, tuple(tuple(row[name] for name in columns) for row in rows))


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return f"<td>{escape(text)}</td>"
