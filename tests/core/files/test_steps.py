"""The CSV of a timeline has its steps, with additional columns."""

import csv
from dataclasses import fields

import pytest

from core.files import write_steps
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import SpecError
from core.timing import Step, timeline

SCENARIO = Scenario(Torus((2, 2)), AllToAll(tasks=4, algorithm="pairwise"), Sequential(), DimensionOrder())


def test_each_step_is_a_row_with_the_added_columns(tmp_path):
    times, path = timeline(SCENARIO.build()), tmp_path / "steps.csv"
    write_steps(path, times, more={"X busiest": [0.5, 0.25, 1.0]})
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == [*(field.name for field in fields(Step)), "X busiest"]
    for row, step in zip(rows, times.steps, strict=True):
        assert row["name"] == step.name
        assert float(row["start"]) == step.start
        assert float(row["seconds"]) == step.seconds
        assert row["bottleneck"] == (step.bottleneck or "")
    assert [float(row["X busiest"]) for row in rows] == [0.5, 0.25, 1.0]
    write_steps(path, times, 1)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_missing_folder_is_refused_in_one_line(tmp_path):
    with pytest.raises(SpecError, match="its folder does not exist"):
        write_steps(tmp_path / "none" / "steps.csv", timeline(SCENARIO.build()))
