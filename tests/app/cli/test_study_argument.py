"""The study argument: files, built-in studies, and scenarios whose fields are varied."""

import json
from pathlib import Path

import pytest

from app.cli.study_argument import study_given
from app.storage.studies import builtin_study
from core.spec import SpecError

SCENARIO = Path("power775-smallest")


def points(*vary, measure=None):
    return study_given(SCENARIO, vary, measure).points


def test_a_study_is_a_file_or_a_name(tmp_path):
    path = tmp_path / "s.fabriscope-study.json"
    path.write_bytes(builtin_study("sdr-alpha").content)
    assert study_given(path, (), None).digest == study_given(Path("sdr-alpha"), (), None).digest


def test_fields_are_varied_by_lists_and_ranges():
    assert points("network.d_links=1,2") == ((1,), (2,))
    study = study_given(SCENARIO, ["network.d_links=1, 2", "job.rows=16..16"], "throughput_gbs, links")
    assert study.columns[:5] == ("point", "network.d_links", "job.rows", "throughput_gbs", "links")
    assert study.points == ((1, 16), (2, 16))


def test_choices_are_varied_in_short_form():
    (first,), (second,) = points("mapping=sequential;random:seed=3")
    assert (first["type"], second) == ("sequential", second | {"type": "random", "seed": 3})


def test_the_study_equals_a_study_file(tmp_path):
    study = study_given(SCENARIO, ["network.d_links=1,2"], "throughput_gbs")
    path = tmp_path / "s.fabriscope-study.json"
    path.write_text(json.dumps(json.loads(study.content)))
    assert study_given(path, (), None).digest == study.digest


@pytest.mark.parametrize(
    ("vary", "measure", "message"),
    [
        (["network.d_links"], None, "--vary: 'network.d_links' is not a field and its values"),
        (["=1"], None, "--vary: '=1' is not a field and its values"),
        (["network.d_links=1", "network.d_links=2"], None, "--vary: network.d_links is given twice"),
        (["mapping=moon"], None, "--vary: mapping: 'moon' is not known"),
        (["network.moon=1"], None, "vary.network.moon: "),
        (["network.d_links=1"], "moon", "measure"),
        ([], "links", "--measure: requires --vary"),
    ],
)
def test_errors_name_the_option(vary, measure, message):
    with pytest.raises(SpecError) as caught:
        study_given(SCENARIO, vary, measure)
    assert str(caught.value).startswith(message)


def test_an_unknown_name_is_refused():
    with pytest.raises(SpecError, match="no such file or study: 'moon'; studies: "):
        study_given(Path("moon"), (), None)
