"""Failures evaluated as a study, whose table is kept on disk, on many processes, and can be resumed."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from core.figures.resilience import Failed, FailureFigures, named
from core.files.scenario_file import encode
from core.load.evaluate import LoadReport
from core.spec import SpecError, to_plain
from core.sweep.results import Row, read_results
from core.sweep.study import FAULTS, Study, StudyFile, decode_study

MEASURES = ["faulty", "throughput_gbs", "time_per_unit", "bottleneck", "cut_flows", "cut_volume"]


def failure_study(report: LoadReport, failures: Sequence[Failed]) -> Study:
    """Return the study with a point for each of the failures, in addition to the faults of the scenario."""
    scenario = report.case.scenario
    base = msgspec.json.decode(encode(scenario))
    values = [to_plain((*scenario.faults, *failed)) for failed in failures]
    file = StudyFile(
        1, {key: base[key] for key in base if key not in ("fabriscope", FAULTS)}, MEASURES, {FAULTS: values}
    )
    return decode_study(msgspec.json.encode(file), scenario.folder)


def rows_in(table: Path, report: LoadReport, failures: Sequence[Failed]) -> list[FailureFigures]:
    """Return the figures of all failures from the table of their study.

    Raises SpecError: if a point has an error.
    """
    rows = sorted(read_results(table).rows, key=lambda row: int(row["point"]))
    wrong = next((row["error"] for row in rows if row["error"]), None)
    if wrong is not None:
        raise SpecError("--what", wrong)
    network = report.case.network
    return [_figures(row, named(failed, network)) for row, failed in zip(rows, failures, strict=True)]


def _figures(row: Row, name: str) -> FailureFigures:
    return FailureFigures(
        name, row["throughput_gbs"], row["time_per_unit"], row["bottleneck"], row["cut_flows"] or 0,
        float(row["cut_volume"] or 0),
    )  # fmt: skip
