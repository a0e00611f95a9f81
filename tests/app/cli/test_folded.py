"""A CLEX of 50 million links (64^3) on the command line."""

import json

import pytest

from app.cli.main import main

NETWORK = {"type": "clex", "k": 64, "levels": 3}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "clex.fabriscope.json"
    parts = {"network": NETWORK, "job": {"type": "all-to-all", "tasks": 64**3}}
    path.write_text(
        json.dumps({"fabriscope": 1, **parts, "mapping": {"type": "sequential"}, "routing": {"type": "clex"}})
    )
    return str(path)


def test_evaluate_counts_every_link_and_has_the_loads_of_the_formulas(file, capsys):
    assert main(["evaluate", file, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["links"] == 50_069_504
    assert [printed["classes"][f"level {level}"]["links"] for level in (1, 2, 3)] == [16_515_072, *[64**4] * 2]
    loads = [printed["classes"][f"level {level}"]["max_load"] for level in (1, 2, 3)]
    assert loads == pytest.approx([4 / 64, 2 / 64, 1 / 64], rel=1e-5)
    assert printed["throughput_gbs"] == pytest.approx(200, rel=1e-5)
    assert main(["evaluate", file]) == 0
    assert "262,144 tasks on 262,144 nodes, 50,069,504 links" in capsys.readouterr().out


def test_metrics_are_exact_except_for_cables(file, capsys):
    assert main(["metrics", file, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["nodes"], printed["directed_links"], printed["arcs"]) == (262_144, 50_069_504, 49_799_232)
    assert (printed["aspl_exact"], printed["diameter"]) == ("16692523/5681152", 3)
    assert (printed["cable"], printed["cost"]) == (None, None)
    assert main(["metrics", file]) == 0
    out = capsys.readouterr().out
    assert "262,144, one in each node" in out
    assert "50,069,504 (8,192 loops, 262,080 parallel)" in out
    assert "note: cables and cost are not computed" in out


def test_compare_omits_unknown_figures(capsys):
    assert main(["compare", "clex:k=64,levels=3", "clex:k=4,levels=3", "--routing", "clex", "--json"]) == 0
    large, small = json.loads(capsys.readouterr().out)["networks"]
    assert (large["cost"], large["throughput_gbs"]) == (None, pytest.approx(200, rel=1e-5))
    assert small["cost"]["total"] > 0


def test_compare_writes_a_table(capsys):
    assert main(["compare", "clex:k=64,levels=3", "--routing", "clex"]) == 0
    assert "262,144" in capsys.readouterr().out
