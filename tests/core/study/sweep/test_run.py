"""Studies run on processes: every point is a row."""

import pytest

from core.load.evaluate import evaluate
from core.spec import SpecError
from core.study.sweep.results import read_results
from core.study.sweep.run import run_study
from tests.core.study.sweep.studies import study

SWEEP = {
    "vary": {
        "network.gbs": [1, 2.5],
        "mapping": [{"type": "sequential"}, {"type": "random", "seed": 4}, {"type": "x"}],
    },
    "measure": ["throughput_gbs", "bottleneck"],
}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_each_point_is_a_row_with_its_figures_or_its_error(tmp_path, suffix):
    sweep, out, heard = study(**SWEEP), tmp_path / f"r{suffix}", []
    found = run_study(sweep, out, workers=1, on_row=heard.append)
    assert (found.points, found.done, found.failed) == (6, 6, 2)
    results = read_results(out)
    assert results.digest == sweep.digest
    assert results.columns == sweep.columns
    assert sorted(heard, key=lambda row: row["point"]) == list(results.rows)
    for number, row in enumerate(results.rows):
        assert row["point"] == number
        if number % 3 == 2:
            assert row["error"].startswith("mapping.type: 'x' is not known")
            assert row["throughput_gbs"] is None
        else:
            report = evaluate(sweep.scenario(sweep.points[number]).build())
            assert (row["throughput_gbs"], row["bottleneck"]) == (report.throughput_gbs, report.bottleneck)
            assert row["error"] is None


def test_a_table_that_is_there_is_left_alone(tmp_path):
    out = tmp_path / "r.csv"
    out.write_text("mine")
    with pytest.raises(SpecError, match=r"--out: r.csv is there already; --resume goes on with it"):
        run_study(study(), out, workers=1)
    with pytest.raises(SpecError, match=r"--out: r.csv holds no results of a study"):
        run_study(study(), out, workers=1, resume=True)
    assert out.read_text() == "mine"
