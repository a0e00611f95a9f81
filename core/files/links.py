"""Loads of all links as CSV: src, dst, class, load, utilisation."""

import csv
from pathlib import Path

from core.load.evaluate import LoadReport
from core.spec import SpecError


def write_links(path: Path, report: LoadReport) -> None:
    """Write one row per directed link; utilisation is load / gbs relative to t.

    Raises SpecError: if the file cannot be written.
    """
    network = report.case.network
    names = [c.name for c in network.classes]
    columns = (network.src, network.dst, network.class_of, report.load, report.relative)
    try:
        with path.open("w", newline="", encoding="utf-8") as text:
            rows = csv.writer(text, lineterminator="\n")
            rows.writerow(("src", "dst", "class", "load", "utilisation"))
            for src, dst, kind, load, share in zip(*(column.tolist() for column in columns), strict=True):
                rows.writerow((src, dst, names[kind], repr(load), repr(share)))
    except OSError as error:
        raise SpecError("--links", f"{str(path)!r} cannot be written: {error.strerror or error}") from error
