"""Reports of studies, from the results or from the study file in the same folder."""

import json
from datetime import datetime
from math import inf

import pytest

from app.cli.main import main
from app.panels.studies.study_files import load_results
from app.report.study import result_rows, study_document
from core.sweep.points import rows_of
from core.sweep.study import decode_study
from core.sweep.table import open_table
from core.text import figure
from tests.app.report.reader import Page

STUDY = {
    "fabriscope_study": 1,
    "note": "How a mesh <grows>",
    "base": {
        "network": {"type": "mesh", "dims": [4, 4]},
        "job": {"type": "all-to-all", "tasks": 16},
        "mapping": {"type": "sequential"},
        "routing": {"type": "dimension-order"},
    },
    "vary": {"mapping": [{"type": "sequential"}, {"type": "random", "seed": 3}], "network.gbs": [1.0, 2.0, 4.0, -1.0]},
    "measure": ["throughput_gbs", "bottleneck"],
}


@pytest.fixture(scope="module", params=["csv", "parquet"])
def folder(request, qapp, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    content = json.dumps(STUDY).encode()
    (folder / "mesh.fabriscope-study.json").write_bytes(content)
    (folder / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    # In this process, since worker processes take a second to start.
    table = open_table(folder / f"results.{request.param}", decode_study(content), resume=False)
    table.add(rows_of(content, None, range(8), inf))
    table.close()
    return folder


@pytest.mark.parametrize("source", ["results", "mesh.fabriscope-study.json"])
def test_results_are_tabulated_and_plotted(folder, source):
    file = next(folder.glob(f"{source}*"))
    assert main(["report", str(file), "--out", str(folder / "r.html")]) == 0
    page = Page((folder / "r.html").read_bytes())
    rows = result_rows(load_results(next(folder.glob("results.*")), folder)).rows
    assert page.outside == []
    assert "8 points 2 failed." in page.text
    assert "How a mesh <grows>" in page.text
    throughputs = [row["throughput_gbs"] for row in rows if row["throughput_gbs"] is not None]
    assert len(throughputs) == 6
    (reach,) = page.table("Figure", "Unit", "Minimum", "At", "Maximum")
    assert (reach[0], reach[1], reach[2], reach[4]) == (
        "Throughput",
        "GB/s",
        figure(min(throughputs)),
        figure(max(throughputs)),
    )
    points = page.table("point", "mapping", "gbs")
    assert [row[0] for row in points] == [str(k) for k in range(8)]
    assert sum("-1" in row[2] for row in points) == 2
    assert page.tags.count("svg") == 2
    assert f"fabriscope report {file} --out {folder / 'r.html'}" in page.text


def test_the_title_is_the_first_line_of_the_note_and_hidden_points_are_counted(folder):
    file = next(folder.glob("results.*"))
    kept = load_results(file, folder)
    document = study_document(kept, "results", "", datetime(2026, 1, 2))
    assert (document.title, document.note) == ("How a mesh <grows>", "")
    (place,) = (place for place in document.pictures if place.title.startswith("Throughput"))
    rows = [row for row in result_rows(kept).rows if row["throughput_gbs"] is not None]
    distinct = {(row["throughput_gbs"], row["network.gbs"]) for row in rows}
    hidden = len(rows) - len(distinct)
    assert f"{hidden} point" in place.caption if hidden else "coincide" not in place.caption


def test_errors_are_one_line(folder, tmp_path, capsys):
    study = tmp_path / "alone.fabriscope-study.json"
    study.write_text(json.dumps(STUDY), encoding="utf-8")
    results = str(next(folder.glob("results.*")))
    for arguments, words in (
        ((str(study),), "alone.fabriscope-study.json has no results in its folder"),
        ((str(folder / "other.csv"),), "other.csv does not hold results of a study"),
        ((results, "--mapping", "random"), "--mapping: can be used with a scenario only"),
        ((results, "--against", "x.json"), "--against: can be used with a scenario only"),
    ):
        assert main(["report", *arguments, "--out", str(tmp_path / "r.html")]) == 2
        streams = capsys.readouterr().err
        assert streams.count("\n") == 1
        assert words in streams
