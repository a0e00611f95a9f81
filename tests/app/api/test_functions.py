"""`import fabriscope`: results of the commands as frozen objects, as in an installation."""

import json
from functools import partial

import msgspec
import pytest

import app.fabriscope as fabriscope
from app.cli.main import main
from app.storage.presets import preset
from core.files import encode, write_scenario
from core.network import LinkFault


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "example.fabriscope.json"
    write_scenario(path, preset("power775-smallest"))
    return path


def evaluation(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_results_equal_the_json_of_the_commands(example, capsys):
    results = fabriscope.evaluate(example)
    assert msgspec.to_builtins(results) == evaluation(capsys, "evaluate", example)
    assert results == fabriscope.evaluate(str(example)) == fabriscope.evaluate(json.loads(example.read_text()))
    measured = evaluation(capsys, "metrics", "torus:dims=4x4")
    assert msgspec.to_builtins(fabriscope.metrics("torus:dims=4x4")) == measured
    assert fabriscope.metrics({"network": {"type": "torus", "dims": [4, 4]}}).diameter == 4
    with pytest.raises(AttributeError):
        results.links = 0


def test_routes_equal_the_json_of_the_command(capsys):
    tree = {
        "fabriscope": 1,
        "network": {"type": "fat-tree", "arity": 4, "levels": 2},
        "job": {"type": "all-to-all", "tasks": 16},
        "mapping": {"type": "sequential"},
        "routing": {"type": "d-mod-k"},
    }
    figures = fabriscope.routes(tree, draws=20, seed=3)
    printed = evaluation(
        capsys, "routes", "--network", "fat-tree:arity=4,levels=2", "--routing", "d-mod-k", "--draws", 20, "--seed", 3
    )
    assert msgspec.to_builtins(figures) == printed
    for name, value in (("draws", 0), ("seed", -1)):
        with pytest.raises(fabriscope.SpecError, match=f"^{name}: must be a whole number from"):
            fabriscope.routes(tree, **{name: value})


def test_faults_and_plans_have_figures(capsys, tmp_path):
    path = tmp_path / "broken.fabriscope.json"
    raw = json.loads(encode(preset("power775-smallest")))
    raw["faults"] = [msgspec.to_builtins(LinkFault(0, 1))]
    raw["routing"] = {"type": "congestion-aware"}
    path.write_text(json.dumps(raw))
    assert msgspec.to_builtins(fabriscope.evaluate(path)) == evaluation(capsys, "evaluate", path)


def test_a_search_returns_the_best_scenario(example, tmp_path, capsys):
    out = tmp_path / "better.fabriscope.json"
    better = fabriscope.optimise(example, steps=50, seed=3, out=out)
    assert better.seed == 3
    assert better.scenario.to_dict() == json.loads(out.read_text())
    assert fabriscope.evaluate(better.scenario).throughput_gbs == better.throughput_gbs
    keys = {name for name, value in msgspec.structs.asdict(better).items() if value is not msgspec.UNSET} - {"scenario"}
    assert keys == set(evaluation(capsys, "optimise", example, "--steps", "5"))
    other = fabriscope.optimise(example, steps=5, objective="hop-bytes")
    assert (other.objective, other.found <= other.start) == ("hop-bytes", True)


def test_errors_name_the_argument(example):
    with pytest.raises(fabriscope.SpecError, match="network: is missing"):
        fabriscope.evaluate({"fabriscope": 1})
    with pytest.raises(ValueError, match=r"^method: 'none' is not known"):
        fabriscope.optimise(example, steps=1, method="none")
    with pytest.raises(ValueError, match=r"^seconds: must be a number above 0"):
        fabriscope.optimise(example, seconds=-1)
    with pytest.raises(ValueError, match=r"^pinned: "):
        fabriscope.optimise(example, steps=1, pinned="x")
    with pytest.raises(ValueError, match=r"^network: no such file, family or machine: 'leonardo'; did you mean Like"):
        fabriscope.metrics("leonardo")
    with pytest.raises(ValueError, match=r"^network: dims is given twice"):
        fabriscope.metrics("torus:dims=2x2,dims=3x3")
    with pytest.raises(ValueError, match="cannot be read"):
        fabriscope.evaluate("none.json")


def test_parts_replace_those_of_a_scenario(example, capsys):
    parts = {"mapping": "random:seed=3", "routing": {"type": "minimal", "spread": "equal"}}
    printed = evaluation(capsys, "evaluate", example, "--mapping", "random:seed=3", "--routing", "minimal:spread=equal")
    assert msgspec.to_builtins(fabriscope.evaluate(example, **parts)) == printed


def test_comparisons_equal_the_json_of_the_command(capsys):
    networks = "torus:dims=4x4", "hypercube:dimensions=4"
    figures = fabriscope.compare(*networks, job="all-to-all", gbs=2)
    assert msgspec.to_builtins(figures) == evaluation(capsys, "compare", *networks, "--gbs", 2)
    with pytest.raises(fabriscope.Error, match=r"^equal: must be 'nodes' or 'degree', not 'size'"):
        fabriscope.compare(*networks, equal="size")
    with pytest.raises(fabriscope.Error, match=r"^network: is missing"):
        fabriscope.compare()


def test_work_of_minutes_is_refused_unless_patient(example, monkeypatch):
    for name, value in (("MIN_SECONDS", 0.0), ("MAX_WAIT", 0.0), ("MAX_SECONDS", -1e9)):
        monkeypatch.setattr(f"app.background.patience.{name}", value)
    for work in (fabriscope.evaluate, partial(fabriscope.optimise, steps=1)):
        with pytest.raises(
            fabriscope.SpecError, match=r"of computing time; use patient=True to allow it, or choose a smaller job"
        ):
            work(example)
        assert work(example, patient=True).throughput_gbs > 0


def test_files_of_a_dict_are_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("0,1,5\n1,0,5\n")
    monkeypatch.chdir(tmp_path)
    scenario = {
        "fabriscope": 1,
        "network": {"type": "torus", "dims": [4]},
        "job": {"type": "flows", "file": "t.csv"},
        "mapping": {"type": "sequential"},
        "routing": {"type": "dimension-order"},
    }
    assert fabriscope.evaluate(scenario).tasks == 2
