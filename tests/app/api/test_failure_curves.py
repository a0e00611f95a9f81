"""Curves of several scenarios in Python: a table, a chart, and the figures of the command."""

import csv
import json

import pytest

import app.fabriscope as fabriscope
from app.cli.main import main
from app.style.theme import DARK, LIGHT

A = {"network": "torus:dims=4x4", "job": "halo:rows=4,cols=4", "mapping": "random:seed=1",
     "routing": "minimal:spread=equal"}  # fmt: skip
B = A | {"network": "hypercube:dimensions=5"}


@pytest.fixture(scope="module")
def curves():
    scenarios = fabriscope.Scenario(**A), fabriscope.Scenario(**B)
    return fabriscope.resilience_curves(*scenarios, length="25%", draws=3, names=["torus", "cube"])


def test_curves_equal_those_of_the_command(curves, capsys):
    words = [word for name, value in A.items() for word in (f"--{name}", value)]
    more = ["--sample", "1", "--curve", "25%", "--draws", "3", "--against", B["network"], "--json"]
    assert main(["resilience", *words, *more]) == 0
    printed = json.loads(capsys.readouterr().out)["curves"]
    for curve, expected in zip(curves, printed, strict=True):
        assert (curve.base_gbs, curve.components) == (expected["base_gbs"], expected["components"])
        assert [point.mean_gbs for point in curve.points] == [point["mean_gbs"] for point in expected["points"]]
    assert curves.relative


def test_the_table_has_a_row_for_each_scenario_and_number_of_failures(curves):
    columns = curves.to_dict()
    assert len(curves) == 2
    assert columns["name"] == [curve.name for curve in curves for _ in curve.points]
    assert curves["failures"] == [point.failures for curve in curves for point in curve.points]
    rows = list(csv.DictReader(curves.to_csv().splitlines()))
    assert [float(row["mean_relative"]) for row in rows] == columns["mean_relative"]
    assert curves.to_arrow().column_names == list(columns)
    assert repr(curves) == "FailureCurves('torus', 'cube'; up to 20 failed cables)"
    assert curves._repr_html_().count("<tr>") == 1 + len(rows)


def test_the_chart_names_the_scenarios(curves, qapp):
    light, dark = (curves.render(size=(500, 300), theme=theme).svg for theme in ("light", "dark"))
    assert all(f">{name}</text>" in light for name in ("torus", "cube"))
    assert LIGHT.panel in light
    assert DARK.panel in dark
    assert repr(curves.render()) == "Picture('failures', 960x600)"
    with pytest.raises(fabriscope.Error, match=r"^theme: 'blue' is not known"):
        curves.render(theme="blue")


def test_scenarios_are_named_by_file_or_network(tmp_path):
    path = fabriscope.Scenario(**A).save(tmp_path / "mine.fabriscope.json")
    curves = fabriscope.resilience_curves(path, fabriscope.Scenario(**A), length=1, draws=1)
    assert [curve.name for curve in curves] == ["mine", "Torus"]
    assert not curves.relative
