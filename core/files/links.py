"""Loads of all links as tables, a row per directed link."""

import codecs
import csv
import io
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from core.export_result import Exported
from core.files.atomic import replacing
from core.files.digest import source_of
from core.load.evaluate import LoadReport
from core.load.measured import compare_measured
from core.optional import optional

SOURCE = "fabriscope"
"""Key of the metadata of a table, whose value is its source."""
COLUMNS = ("src", "dst", "class", "bandwidth", "load", "utilisation")
"""Vertices (host names if available), class, remaining GB/s, load in the job's measure, utilisation."""
BRIEF = tuple(name for name in COLUMNS if name != "bandwidth")
"""Columns of `write_links`; programs may rely on their order."""
SHARES = ("own", "others")
"""Further columns if there are background jobs: the job's own load, and the background load."""
ENDS = ("from", "to")
"""Further columns if the network is read from a file: the names of the link's ends (`Network.link_ends`)."""
COUNTED = ("measured_gbs", "predicted_gbs", "wait")
"""Further columns if there are counters: measured and predicted GB/s, and ticks of waiting; empty without a counter.

With readings in between, ``measured_gbs_1``, ``measured_gbs_2``, ... are the bandwidths between them.
"""


def write_links(path: Path, report: LoadReport) -> None:
    """Write the columns in `BRIEF` as CSV.

    Raises SpecError: if the file cannot be written.
    """
    with replacing(path, "--links") as stream:
        _write_csv(codecs.getwriter("utf-8")(stream), report, BRIEF)


def links_csv(report: LoadReport) -> Exported:
    """Return all columns as CSV."""
    text = io.StringIO()
    _write_csv(text, report, COLUMNS)
    return Exported(text.getvalue())


def links_npz(report: LoadReport) -> Exported:
    """Return all columns as a NumPy archive."""
    data = io.BytesIO()
    np.savez_compressed(data, **link_columns(report))
    with ZipFile(data, "a") as archive:
        archive.comment = source_of(report.case.scenario).encode()
    return Exported(data.getvalue())


def links_parquet(report: LoadReport) -> Exported:
    """Return all columns as a Parquet table, class names dictionary-encoded.

    Raises SpecError: if pyarrow is not installed.
    """
    pq, data = optional("pyarrow.parquet", "parquet", "links-parquet"), io.BytesIO()
    pq.write_table(arrow_table(report, "links-parquet"), data)
    return Exported(data.getvalue())


def arrow_table(report: LoadReport, field: str = "arrow") -> Any:
    """Return all columns as an Arrow table, class names dictionary-encoded.

    Raises SpecError: under `field`, if pyarrow is not installed.
    """
    pa = optional("pyarrow", "parquet", field)
    columns = link_columns(report)
    names = pa.DictionaryArray.from_arrays(report.case.network.class_of, _names(report))
    # NaN is a missing value.
    columns |= {name: pa.array(columns[name], from_pandas=True) for name in columns if name.startswith(COUNTED)}
    return pa.table({**columns, "class": names}, metadata={SOURCE: source_of(report.case.scenario)})


def link_columns(report: LoadReport) -> dict[str, Any]:
    """Return all columns by name, each of shape ``(links,)``."""
    network = report.case.network
    own, others, total = (
        load * report.case.job.measure.per_volume for load in (report.load, report.others, report.total_load)
    )
    names = np.array(_names(report))[network.class_of]
    src, dst = network.src, network.dst
    if network.hosts:
        labels = np.array([network.label(vertex) for vertex in range(network.vertices)])
        src, dst = labels[src], labels[dst]
    columns = src, dst, names, report.case.gbs, total, report.utilisation
    all_columns = dict(zip(COLUMNS, columns, strict=True))
    if others.size:
        all_columns |= zip(SHARES, (own, others), strict=True)
    if network.source:
        ends = np.array([network.link_ends(link) for link in range(network.links)], np.str_).reshape(-1, 2)
        all_columns |= zip(ENDS, ends.T, strict=True)
    comparison = compare_measured(report)
    if comparison is not None:
        counted = comparison.measured, comparison.predicted, comparison.links.wait
        all_columns |= zip(COUNTED, counted, strict=True)
        parts = enumerate(comparison.intervals, start=1)
        all_columns |= {f"{COUNTED[0]}_{number}": part.measured for number, part in parts}
    return all_columns


def _names(report: LoadReport) -> list[str]:
    return [link_class.name for link_class in report.case.network.classes]


def _write_csv(stream: IO[str] | codecs.StreamWriter, report: LoadReport, names: tuple[str, ...]) -> None:
    columns = link_columns(report)
    names += tuple(name for name in (*SHARES, *ENDS) if name in columns)
    names += tuple(name for name in columns if name.startswith(COUNTED))
    rows = csv.writer(stream, lineterminator="\n")
    rows.writerow(names)
    rows.writerows(zip(*(_cells(columns[name]) for name in names), strict=True))


def _cells(column: NDArray[Any]) -> list[Any]:
    # Missing values are empty.
    cells: list[Any] = column.tolist()
    return ["" if cell != cell else cell for cell in cells] if column.dtype.kind == "f" else cells
