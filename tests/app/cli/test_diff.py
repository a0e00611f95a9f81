"""`diff`: two scenarios side by side."""

import json
import re

import pytest

from app.cli.main import main

TORUS = {
    "fabriscope": 1,
    "network": {"type": "torus", "dims": [4, 4]},
    "job": {"type": "halo", "rows": 4, "cols": 4},
    "mapping": {"type": "sequential"},
    "routing": {"type": "dimension-order"},
}
MOVED = TORUS | {"mapping": {"type": "random", "seed": 3}}


@pytest.fixture
def file(tmp_path):
    def write(name, scenario):
        path = tmp_path / f"{name}.fabriscope.json"
        path.write_text(json.dumps(scenario))
        return str(path)

    return write


def figures(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_classes_equal_evaluate_and_changes_are_differences_of_loads(file, capsys):
    files = file("a", TORUS), file("b", MOVED)
    printed = figures(capsys, "diff", *files, "--top", "1000")
    reports = [figures(capsys, "evaluate", path) for path in files]
    for side, report in zip("ab", reports, strict=True):
        assert printed[side]["throughput_gbs"] == report["throughput_gbs"]
        assert {name: both[side] for name, both in printed["classes"].items()} == report["classes"]
        assert {name: both[side] for name, both in printed["figures"].items()} == {
            name: value for name, value in report.items() if not isinstance(value, dict | list)
        }
    links, slowest = printed["links"], max(report["time_per_unit"] for report in reports)
    assert len(links) == printed["changed"] > 0
    sizes = [abs(link["change"]) for link in links]
    assert sizes == sorted(sizes, reverse=True)
    for link in links:
        seconds = (link["b"] - link["a"]) / printed["classes"][link["class"]]["a"]["gbs"]
        assert link["change"] == pytest.approx(seconds / slowest)
    change = sum(both["b"]["sum_load"] - both["a"]["sum_load"] for both in printed["classes"].values())
    assert sum(link["b"] - link["a"] for link in links) == pytest.approx(change)


def test_top_limits_the_listed_links(file, capsys):
    printed = figures(capsys, "diff", file("a", TORUS), file("b", MOVED), "--top", "2")
    assert len(printed["links"]) == 2 < printed["changed"]


def test_text(file, capsys):
    assert main(["diff", file("a", TORUS), file("b", MOVED), "--top", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "→" in lines[0]
    assert lines[3].startswith("mapping: sequential → random")
    listed = {line.split("  ")[0]: line.split() for line in lines}
    a, b = (figures(capsys, "evaluate", path) for path in (file("a", TORUS), file("b", MOVED)))
    assert listed["Hops"][1:3] == [f"{report['hops']:,.0f}" for report in (a, b)]
    assert listed["Tasks"][1:] == [str(a["tasks"])] * 2
    assert any(line.endswith("2 largest listed · % of the hottest link of A and B") for line in lines)
    assert all(line[:2] in ("X ", "Y ") for line in lines[-2:])


def printed(lines, head):
    """The rows of a printed table, by their first column, as numbers."""
    first = next(number for number, line in enumerate(lines) if line.startswith(head))
    rows = {}
    for line in lines[first + 1 :]:
        name, *figures = re.split(r"  +", line.strip())
        if not figures:
            break
        rows[name] = [
            float(text.replace("\N{MINUS SIGN}", "-").removesuffix(" %").replace(",", "")) for text in figures
        ]
    return rows


def test_text_and_json_have_the_same_figures(file, capsys):
    files = file("a", MOVED), file("b", TORUS)
    json_figures = figures(capsys, "diff", *files, "--top", "1000")
    assert main(["diff", *files, "--top", "1000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    classes, links = printed(lines, "class "), printed(lines, "link ")
    assert set(classes) == set(json_figures["classes"])
    for name, both in json_figures["classes"].items():
        sides = [both[side][key] for key in ("max_load", "mean_load", "throughput_gbs") for side in "ab"]
        assert classes[name] == pytest.approx([*sides, 100 * (sides[-1] / sides[-2] - 1)], rel=1e-3)
    assert len(links) == len(json_figures["links"])
    top = max(json_figures[side]["time_per_unit"] for side in "ab")
    for link in json_figures["links"]:
        a, b = link["a"], link["b"]
        shares = [100 * load / json_figures["classes"][link["class"]]["a"]["gbs"] / top for load in (a, b)]
        name = f"{link['class']} {link['from']} → {link['to']}"
        assert links[name] == pytest.approx([a, b, b - a, *shares, 100 * link["change"]], rel=1e-3, abs=0.06)


def test_different_networks_are_compared_by_class_only(file, capsys):
    other = TORUS | {"network": {"type": "torus", "dims": [8, 2, 1]}}
    files = file("a", TORUS), file("b", other)
    printed = figures(capsys, "diff", *files)
    assert (printed["changed"], printed["links"]) == (None, None)
    assert set(printed["classes"]) == {"X", "Y"}
    assert main(["diff", *files]) == 0
    assert "A and B have different networks" in capsys.readouterr().out


def test_a_scenario_does_not_differ_from_itself(file, capsys):
    path = file("a", TORUS)
    printed = figures(capsys, "diff", path, path)
    assert (printed["changed"], printed["links"], printed["differs"]) == (0, [], "A and B are the same scenario.")
    assert main(["diff", path, path]) == 0
    assert "Every link carries the same load in A and B." in capsys.readouterr().out


def test_files_of_the_same_name_may_hold_different_networks(tmp_path, capsys):
    paths = []
    for name, edges in (("a", "0,1\n1,0\n"), ("b", "0,1\n1,0\n1,2\n2,1\n")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "net.csv").write_text(edges)
        scenario = TORUS | {"network": {"type": "edges", "file": "net.csv"}, "routing": {"type": "minimal"}}
        scenario["job"] = {"type": "halo", "rows": 1, "cols": 2}
        paths.append(folder / "s.fabriscope.json")
        paths[-1].write_text(json.dumps(scenario))
    assert figures(capsys, "diff", *map(str, paths))["links"] is None


def test_b_may_be_a_with_other_choices(file, capsys):
    a, b = file("a", TORUS), file("b", MOVED)
    alike = figures(capsys, "diff", a, "--mapping", "random:seed=3")
    both = figures(capsys, "diff", a, b)
    assert alike["b"].pop("name") == f"{a} --mapping random:seed=3"
    assert both["b"].pop("name") == b
    assert alike == both
    assert main(["diff", a]) == 2
    assert "B: give a second scenario, or override parts of A" in capsys.readouterr().err


def test_other_nodes_are_a_difference(file, capsys):
    path = file("a", TORUS | {"job": {"type": "halo", "rows": 2, "cols": 4}})
    printed = figures(capsys, "diff", path, "--allocation", "8-15")
    assert printed["differs"].startswith("8 tasks moved to another node · job's nodes: changed · ")
    assert printed["changed"] > 0


def test_loads_and_changes_include_all_jobs(file, capsys):
    beside = {"name": "B", "job": {"type": "all-to-all", "tasks": 4}, "mapping": {"type": "sequential"}}
    halo = TORUS | {"job": {"type": "halo", "rows": 2, "cols": 4}, "allocation": "0-7"}
    files = [file(nodes, halo | {"neighbours": [beside | {"allocation": nodes}]}) for nodes in ("8-11", "8,10,12,14")]
    printed = figures(capsys, "diff", *files, "--top", "1000")
    seconds = max(figures(capsys, "evaluate", path)["time_per_unit"] for path in files)
    assert printed["links"]
    for link in printed["links"]:
        taken = (link["b"] - link["a"]) / printed["classes"][link["class"]]["a"]["gbs"]
        assert link["change"] == pytest.approx(taken / seconds)


def test_the_invalid_one_of_two_files_is_named(file, capsys):
    wrong = file("wrong", TORUS | {"job": {"type": "halo", "rows": 0, "cols": 4}})
    crowded = file("crowded", TORUS | {"job": {"type": "halo", "rows": 9, "cols": 9}})
    for pair, name, field in ((("a", wrong), wrong, "job.rows"), ((crowded, "a"), crowded, "mapping")):
        paths = [file("a", TORUS) if name == "a" else name for name in pair]
        assert main(["diff", *paths]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"fabriscope: {name}: {field}: ")
        assert err.count("\n") == 1


def test_bad_input_is_one_line(file, capsys):
    assert main(["diff", file("a", TORUS), "nowhere.json"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("fabriscope: file: nowhere.json cannot be read")
    assert err.count("\n") == 1


def test_a_collective_from_a_log_is_compared_with_a_textbook_algorithm(capsys):
    assert main(["diff", "nccl-32-gpus", "--textbook", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert [compared[side]["throughput_gbs"] for side in "ab"] == pytest.approx([50, 200])
    assert compared["a"]["name"] == "nccl-32-gpus with a textbook algorithm"
    assert main(["diff", "power775-halo", "--textbook"]) == 2
    assert "job: halo has no textbook algorithm" in capsys.readouterr().err
