"""Records in documents: read from HTML, and compared with new evaluations."""

from dataclasses import replace

import msgspec
import pytest

from app.storage.presets import preset
from app.storage.record import META, changes, record_of, records_in, scenario_in
from core.figures.evaluation import evaluation_of
from core.files.digest import digest_of
from core.job import Flows
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.spec import SpecError

QUOTES = {"&": "&amp;", '"': "&quot;", "<": "&lt;"}


@pytest.fixture(scope="module")
def evaluated():
    report = evaluate(preset("hypercube-64-nodes").build())
    return report, bounds(report.case, report)


def html(*texts):
    elements = "".join(f'<meta name="{META}" content="{text.translate(str.maketrans(QUOTES))}">' for text in texts)
    return f"<!DOCTYPE html><html><head>{elements}</head><body><p>x</p></body></html>".encode()


def test_a_record_returns_the_scenario_and_its_figures(evaluated, tmp_path):
    record = record_of(*evaluated, name='A <b> & "c"')
    (read,) = records_in(html(record.text))
    assert read == record
    assert scenario_in(read, tmp_path) == replace(evaluated[0].case.scenario, folder=tmp_path)
    assert read.digest == digest_of(evaluated[0].case.scenario)
    assert changes(read.figures, evaluation_of(*evaluated)) == []
    assert record_of(evaluated[0], ()).figures == record.figures


@pytest.mark.parametrize(
    ("path", "value"), [(("throughput_gbs",), 1.0), (("bottleneck",), "no class"), (("classes", "dim-0", "links"), 7)]
)
def test_every_changed_figure_is_named(evaluated, path, value):
    figures = record_of(*evaluated).figures
    *parents, last = path
    part = figures
    for key in parents:
        part = part[key if key in part else next(iter(part))]
    part[last] = value
    (change,) = changes(figures, evaluation_of(*evaluated))
    assert change.figure.endswith(last)
    assert change.recorded == value != change.current


def test_rounding_is_no_change(evaluated):
    figures = record_of(*evaluated).figures
    figures["throughput_gbs"] *= 1 + 1e-12
    assert changes(figures, evaluation_of(*evaluated)) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (html(), "is a web page without a scenario; give a report or a page of this program"),
        (html("{"), "contains an invalid record of a scenario"),
        (html('{"version": "1"}'), "contains an invalid record of a scenario: .*missing required field"),
    ],
)
def test_other_pages_are_refused_in_one_line(content, words):
    with pytest.raises(SpecError, match=words) as refused:
        records_in(content)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("scenario", ["%", "eJwDAAAAAAE=", "AAAA"])
def test_a_damaged_scenario_is_refused_in_one_line(evaluated, tmp_path, scenario):
    record = msgspec.structs.replace(record_of(*evaluated), scenario=scenario)
    with pytest.raises(SpecError, match=r"^file: "):
        scenario_in(record, tmp_path)


def test_a_scenario_with_files_elsewhere_is_not_included(tmp_path):
    (tmp_path / "other").mkdir()
    path = tmp_path / "other" / "flows.txt"
    path.write_text("0 1 5\n1 0 5\n")
    scenario = replace(preset("hypercube-64-nodes"), job=Flows(file=str(path)), folder=tmp_path / "mine")
    (tmp_path / "mine").mkdir()
    record = record_of(evaluate(scenario.build()), ())
    assert record.scenario == ""
    with pytest.raises(SpecError, match="does not include its scenario, which names files in another folder"):
        scenario_in(record, tmp_path)
