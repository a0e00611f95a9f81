"""Study files: their points, and refusals."""

from itertools import product

import pytest

from core.spec import SpecError
from core.sweep.study import decode_study
from tests.core.sweep.studies import BASE, content, study

SEEDS = {"from": 1, "to": 3}


def test_the_last_path_changes_fastest():
    sweep = study(vary={"network.gbs": [1, 2.5], "mapping": [{"type": "sequential"}, {"type": "random", "seed": 4}]})
    assert sweep.points == tuple(product([1, 2.5], [{"type": "sequential"}, {"type": "random", "seed": 4}]))
    assert sweep.columns == ("point", "network.gbs", "mapping", "throughput_gbs", "cpu_seconds", "seconds", "error")
    assert sweep.cells(3) == {"network.gbs": 2.5, "mapping": '{"type":"random","seed":4}'}


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"from": 1, "to": 4}, [1, 2, 3, 4]),
        ({"from": 5, "to": 1, "step": -2}, [5, 3, 1]),
        ({"from": 0.1, "to": 0.35, "step": 0.1}, [0.1, 0.2, 0.3]),
        ({"from": 2, "to": 2}, [2]),
    ],
)
def test_ranges_include_both_ends(given, values):
    varied = [point[0] for point in study(vary={"network.gbs": given}).points]
    assert varied == values
    assert [type(value) for value in varied] == [type(value) for value in values]


def test_zip_takes_one_value_of_each_path():
    assert study(combine="zip", vary={"network.gbs": [1, 2, 3], "job.rows": SEEDS}).points == ((1, 1), (2, 2), (3, 3))


def test_without_anything_varied_there_is_one_point():
    assert study().points == ((),)


@pytest.mark.parametrize(
    ("where", "points"),
    [
        ("job.rows <= 2", {(1, 4), (1, 8), (2, 4), (2, 8)}),
        ("job.rows == job.cols", {(4, 4), (8, 8)}),
        ("job.cols != 4", {(1, 8), (2, 8), (4, 8), (8, 8)}),
        ('network.type != "torus"', None),
        ("mapping.seed > 0", None),
        ("network.dims[1] == job.rows", {(4, 4), (4, 8)}),
    ],
)
def test_conditions_exclude_points(where, points):
    fields = {"vary": {"job.rows": [1, 2, 4, 8], "job.cols": [4, 8]}, "where": [where]}
    if points is None:
        with pytest.raises(SpecError, match="where: excludes all points"):
            study(**fields)
    else:
        assert set(study(**fields).points) == points


def test_a_choice_is_set_before_its_fields():
    sweep = study(vary={"mapping.seed": SEEDS, "mapping": [{"type": "random"}]})
    assert sweep.plain(sweep.points[2])["mapping"] == {"type": "random", "seed": 3}
    assert BASE["mapping"] == {"type": "sequential"}


REFUSED = [
    ({"vary": {"network.gsb": [1]}}, "vary.network.gsb: torus has no field 'gsb'; fields: type, dims,"),
    (
        {"vary": {"netwrok.gbs": [1]}},
        "vary.netwrok.gbs: is not a field of a scenario; paths begin with one of",
    ),
    ({"vary": {"network.gbs": 3}}, "vary.network.gbs: must be a list of values, or a range"),
    ({"vary": {"network.gbs": []}}, "vary.network.gbs: must be a list of values, or a range"),
    ({"vary": {"network.gbs": {"from": 1}}}, "missing required field to"),
    ({"vary": {"network.gbs": {"from": 1, "to": 0}}}, "vary.network.gbs: step 1 does not lead from 1 to 0"),
    ({"vary": {"network.gbs": {"from": 1, "to": 2, "step": 0}}}, "step 0 does not lead from 1 to 2"),
    ({"vary": {"network.gbs": {"from": 1, "to": 10**9}}}, "has more than 1,000,000 values, the limit"),
    (
        {"vary": {"network.gbs.x": [1]}},
        "vary.network.gbs.x: does not exist; network.gbs is a single value, so vary it instead",
    ),
    ({"vary": {"network.dims[7]": [4]}}, r"vary.network.dims\[7\]: does not exist; no 7"),
    ({"vary": {"mapping": {"type": "ring"}}}, r"vary.mapping: must be a list .*; put choices in a list: \[{...}, "),
    (
        {"vary": {"network.gbs": SEEDS, "job.rows": [1]}, "combine": "zip"},
        "combine: zip needs the same number of values for every",
    ),
    ({"vary": {"job.rows": {"from": 1, "to": 2000}, "job.cols": {"from": 1, "to": 2000}}}, "vary: makes 4,000,000"),
    ({"base": {**BASE, "job": {"type": "halo", "rows": "x"}}}, "base.job.rows: expected int, got str"),
    ({"base": {**BASE, "job": {"type": "holo"}}}, "base.job.type: unknown type 'holo'; did you mean halo?"),
    ({"measure": []}, "measure: expected array of length >= 1"),
    (
        {"measure": ["thruput"]},
        r"measure\[0\]: unknown figure 'thruput'; did you mean throughput_gbs\? figures",
    ),
    ({"measure": ["links", "links"]}, r"measure\[1\]: links is listed twice"),
    (
        {"measure": ["metrics.size"]},
        r"measure\[0\]: unknown figure 'metrics.size'; did you .* figures: nodes, switches",
    ),
    ({"measure": ["links.x"]}, r"measure\[0\]: unknown figure 'links.x'"),
    (
        {"measure": ["step_ms"]},
        r"measure\[0\]: step_ms exists only in tours; use .* timeline.steps\[0\]",
    ),
    ({"measure": ["optimise.steps"]}, r"measure\[0\]: optimise.steps needs a search; add"),
    ({"where": ["1 < job.rows"]}, r"where\[0\]: '1 < job.rows' is not a condition; write for example"),
    ({"where": ["job.rows < __import__('os')"]}, r"where\[0\]: .* is not a number, a quoted text or a path"),
    ({"where": ['job.rows < "a"']}, r"where\[0\]: 4 < 'a' cannot be compared"),
    ({"optimise": {}}, "optimise: give seconds or steps to limit the search"),
    ({"optimise": {"seconds": -1}}, "optimise.seconds: expected float > 0.0"),
    ({"optimise": {"seconds": 0}}, "optimise.seconds: expected float > 0.0"),
    ({"extra": 1}, "contains unknown field extra; fields: fabriscope_study, base"),
    (
        {"measures": ["links"]},
        "contains unknown field measures; did you mean measure\\? fields: fabriscope_study, base",
    ),
    ({"fabriscope_study": 2}, "fabriscope_study: invalid enum value 2; it must be 1"),
    ({"combine": "cross"}, "combine: invalid enum value 'cross'; it must be product or zip"),
]


@pytest.mark.parametrize(("fields", "words"), REFUSED)
def test_errors_name_the_field(fields, words):
    with pytest.raises(SpecError, match=words):
        study(**fields)


def test_repeated_keys_are_refused():
    twice = content(vary={"network.gbs": [1]}).replace(b'"network.gbs":[1]', b'"network.gbs":[1],"network.gbs":[2]')
    with pytest.raises(SpecError, match=r"file: the key 'network\.gbs' occurs twice in one object; remove one of them"):
        decode_study(twice)


def test_a_path_may_exist_only_in_varied_values():
    sweep = study(vary={"network": [{"type": "torus", "dims": [2, 2, 4]}], "network.dims[2]": [4, 8]})
    assert sweep.scenario(sweep.points[1]).network.dims == (2, 2, 8)


def test_results_belong_to_the_contents_of_the_scenarios_files(tmp_path):
    def digest():
        return study_of({"type": "edges", "file": "a.txt"}, {"network.file": ["b.txt", "c.txt"]}).digest

    def study_of(network, vary):
        return decode_study(content(base={**BASE, "network": network}, vary=vary, combine="zip"), tmp_path)

    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("0 1\n")
    seen = [digest(), digest()]
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("0 1\n1 2\n")
        seen.append(digest())
    (tmp_path / "c.txt").unlink()
    seen.append(digest())
    assert seen[0] == seen[1]
    assert len(set(seen)) == 5
    assert len({digest.partition("-")[0] for digest in seen}) == 1
    assert "-" not in study().digest


def test_an_error_in_a_varied_value_affects_only_its_points():
    assert len(study(vary={"job.rows": ["x", 4]}).points) == 2


def test_results_belong_to_the_fields_that_determine_rows():
    plain = study(vary={"job.rows": [1, 2], "job.cols": [4]})
    assert plain.digest == decode_study(content(vary={"job.rows": [1, 2], "job.cols": [4]}, note="mine")).digest
    others = [
        {"vary": {"job.rows": [1, 3], "job.cols": [4]}},
        {"vary": {"job.cols": [4], "job.rows": [1, 2]}},
        {"vary": {"job.rows": [1, 2], "job.cols": [4]}, "measure": ["links"]},
        {"vary": {"job.rows": [1, 2], "job.cols": [4]}, "optimise": {"steps": 1}},
        {"vary": {"job.rows": [1, 2], "job.cols": [4]}, "optimise": {"steps": 1, "unit": "host"}},
        {"vary": {"job.rows": [1, 2], "job.cols": [4]}, "where": ["job.rows < 9"]},
    ]
    assert len({plain.digest, *(study(**other).digest for other in others)}) == 7
