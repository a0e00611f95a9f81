"""Loads of all links as CSV: src, dst, class, load, utilisation."""

import codecs
import csv
from pathlib import Path

from core.files.atomic import replacing
from core.load.evaluate import LoadReport


def write_links(path: Path, report: LoadReport) -> None:
    """Write one row per directed link; load in the job's own measure, utilisation is load / gbs relative to t.

    Raises SpecError: if the file cannot be written.
    """
    network = report.case.network
    names = [c.name for c in network.classes]
    load = report.load * report.case.job.measure.per_volume
    columns = (network.src, network.dst, network.class_of, load, report.utilisation)
    with replacing(path, "--links") as stream:
        rows = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
        rows.writerow(("src", "dst", "class", "load", "utilisation"))
        for src, dst, kind, load, share in zip(*(column.tolist() for column in columns), strict=True):
            rows.writerow((src, dst, names[kind], repr(load), repr(share)))
