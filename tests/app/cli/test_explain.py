"""`explain`: the hottest links, the causes of their load, and swaps that help."""

import csv
import json

import pytest

from app.cli.main import main

RING = {
    "fabriscope": 1,
    "network": {"type": "torus", "dims": [6], "gbs": 2, "slots_per_node": 2},
    "job": {"type": "halo", "rows": 2, "cols": 6},
    "mapping": {"type": "sequential"},
    "routing": {"type": "dimension-order"},
}


@pytest.fixture
def ring(tmp_path):
    path = tmp_path / "ring.fabriscope.json"
    path.write_text(json.dumps(RING))
    return str(path)


def explained(capsys, *arguments):
    assert main(["explain", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def loads(file, tmp_path, capsys):
    """The rows of evaluate --links."""
    table = tmp_path / "links.csv"
    assert main(["evaluate", file, "--links", str(table)]) == 0
    capsys.readouterr()
    with table.open(newline="") as text:
        return {
            (row["class"], int(row["src"]), int(row["dst"])): (float(row["load"]), float(row["utilisation"]))
            for row in csv.DictReader(text)
        }


def test_loads_of_the_hottest_links_are_broken_down_in_three_ways(ring, tmp_path, capsys):
    loads_by_ends = loads(ring, tmp_path, capsys)
    links = explained(capsys, ring, "--top", "4")["links"]
    shares = sorted((share for _, share in loads_by_ends.values()), reverse=True)
    assert [link["utilisation"] for link in links] == pytest.approx(shares[:4])
    for link in links:
        load, share = loads_by_ends[link["class"], link["src"], link["dst"]]
        assert (link["load"], link["utilisation"]) == pytest.approx((load, share))
        assert sum(link["roles"].values()) == pytest.approx(load)
        for parts in (link["groups"], link["tasks"]):
            assert sum(pair["load"] for pair in parts["pairs"]) + parts["others"] == pytest.approx(load)
    assert (link["groups"]["of"], link["tasks"]["of"]) == ("node", "task")


def test_a_move_has_the_reported_effect(ring, tmp_path, capsys):
    explained_ring = explained(capsys, ring)
    best = explained_ring["move"][0]
    assert best["throughput_gbs"] == pytest.approx(explained_ring["throughput_gbs"] + best["gain_gbs"])
    slots = list(range(12))
    a, b = best["task"], best["partner"]
    slots[a], slots[b] = slots[b], slots[a]
    moved = tmp_path / "moved.fabriscope.json"
    moved.write_text(json.dumps(RING | {"mapping": {"type": "explicit", "slots": slots}}))
    assert main(["evaluate", str(moved), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_gbs"] == pytest.approx(best["throughput_gbs"])


@pytest.mark.parametrize("ends", [("(2)", "(3)"), ("2", "3"), ("node (2)", "node (3)")])
def test_a_link_is_named_as_in_the_window_or_by_numbers(ring, capsys, ends):
    (link,) = explained(capsys, ring, "--link", "x", *ends)["links"]
    assert (link["class"], link["src"], link["dst"]) == ("X", 2, 3)


@pytest.mark.parametrize("hosts", ["n[01-06]", "n[01-06].site"])
def test_a_link_is_named_by_its_hosts_with_their_domain_or_without(hosts, tmp_path, capsys):
    path = tmp_path / "hosts.fabriscope.json"
    path.write_text(json.dumps(RING | {"hosts": hosts}))
    (link,) = explained(capsys, str(path), "--link", "X", "n03", "n04")["links"]
    domain = hosts.removeprefix("n[01-06]")
    assert (link["from"], link["to"], link["src"], link["dst"]) == (f"n03{domain}", f"n04{domain}", 2, 3)


@pytest.mark.parametrize("link", [("X", "2", "4"), ("Y", "2", "3"), ("X", "2", "99")])
def test_a_link_that_does_not_exist_is_refused_with_names_that_do(ring, capsys, link):
    assert main(["explain", ring, "--link", *link]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("fabriscope: --link: no part named ")
    assert "X (0) → (1)" in err


def test_text_matches_the_window(ring, capsys):
    assert main(["explain", ring, "--top", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("GB/s per node, limited by X links")
    (why,) = (line for line in lines if line.startswith("Why X "))
    at = lines.index(why)
    assert lines[at + 1].endswith("· 100 % of the bottleneck")
    assert [lines[k] for k in range(at, len(lines)) if lines[k].startswith("  by ")] == [
        "  by role of the hop",
        "  by pair of nodes",
        "  by pair of tasks",
    ]
    assert any(line.startswith("    task ") for line in lines)
    assert lines.index("What to move") > at


def test_an_idle_machine_has_nothing_to_explain(tmp_path, capsys):
    path = tmp_path / "idle.fabriscope.json"
    path.write_text(json.dumps(RING | {"job": {"type": "halo", "rows": 1, "cols": 1}}))
    explained_idle = explained(capsys, str(path))
    assert (explained_idle["links"], explained_idle["move"], explained_idle["throughput_gbs"]) == ([], [], None)
    assert main(["explain", str(path)]) == 0
    assert "no link carries anything" in capsys.readouterr().out
    assert main(["explain", str(path), "--link", "X", "0", "1"]) == 0


def test_link_and_top_exclude_each_other(ring, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["explain", ring, "--top", "2", "--link", "X", "0", "1"])
    assert stopped.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_loads_are_broken_down_by_job_with_background_jobs(tmp_path, capsys):
    beside = {"name": "B", "job": {"type": "all-to-all", "tasks": 6}, "mapping": {"type": "sequential"}}
    job = {"job": {"type": "halo", "rows": 2, "cols": 3}, "job_name": "A", "allocation": "0,2,4"}
    path = tmp_path / "two.fabriscope.json"
    path.write_text(json.dumps(RING | job | {"neighbours": [beside | {"allocation": "1,3,5"}]}))
    (link,) = explained(capsys, str(path), "--top", "1")["links"]
    assert link["jobs"]["A"] == pytest.approx(link["own"])
    assert link["jobs"]["B"] > 0
    assert link["load"] == pytest.approx(sum(link["jobs"].values()))
    # The bottleneck is always busy, so the time is the ratio of its load to its bandwidth.
    assert main(["evaluate", str(path), "--json"]) == 0
    evaluated = json.loads(capsys.readouterr().out)
    gbs = evaluated["classes"][link["class"]]["gbs"]
    assert link["load"] / (gbs * evaluated["time_per_unit"]) == pytest.approx(link["utilisation"])
    assert main(["evaluate", str(path), "--links", str(tmp_path / "links.csv")]) == 0
    with (tmp_path / "links.csv").open() as rows:
        row = next(r for r in csv.DictReader(rows) if (int(r["src"]), int(r["dst"])) == (link["src"], link["dst"]))
    assert (link["load"], link["own"]) == pytest.approx((float(row["load"]), float(row["own"])))
    assert main(["explain", str(path), "--top", "1"]) == 0
    assert "by job" in capsys.readouterr().out


def test_flow_is_listed_link_by_link(ring, capsys):
    flow = explained(capsys, ring, "--flow", "0:5")["flow"]
    assert (flow["source"], flow["destination"], flow["from"], flow["to"]) == (0, 5, "(0)", "(2)")
    assert (flow["paths"], flow["hops"], flow["share"]) == (1, 2, 1)
    assert [(link["src"], link["dst"], link["share"]) for link in flow["path"]] == [(0, 1, 1), (1, 2, 1)]
    assert flow["links"] == flow["path"]


def test_tied_paths_of_a_flow_are_counted(ring, capsys):
    flow = explained(capsys, ring, "--flow", "0:6")["flow"]
    assert (flow["paths"], flow["share"], len(flow["path"]), len(flow["links"])) == (2, 0.5, 3, 6)
    assert main(["explain", ring, "--flow", "0:6"]) == 0
    text = capsys.readouterr().out
    assert "Paths of task 0 → 6\n  2 paths, 3 hops, largest share 50 % · 0.5 units\n  (0) → X " in text
    assert "one of 2 equal paths; load in units and in percent of the bottleneck\n" in text


def test_flow_within_a_node_crosses_no_link(ring, capsys):
    assert main(["explain", ring, "--flow", "0:1"]) == 0
    assert "both tasks are on node (0), so no link is crossed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        ("0:12", "--flow: no such task: 12; tasks: 0 to 11"),
        ("0-1", "source first, such as 1452:1516"),
        ("0", "1452:1516"),
    ],
)
def test_flows_that_do_not_exist_are_refused(ring, capsys, flow, words):
    try:
        status = main(["explain", ring, "--flow", flow])
    except SystemExit as end:
        status = end.code
    assert status
    out, err = capsys.readouterr()
    assert (out, words in err) == ("", True)


def test_loads_of_collectives_are_broken_down_by_channel(capsys):
    result = explained(capsys, "nccl-32-gpus", "--top", "2")
    for link in result["links"]:
        assert link["parts"]["of"] == "channel"
        parts = link["parts"]["parts"]
        assert sum(part["load"] for part in parts) + link["parts"]["others"] == pytest.approx(link["load"])
        assert {part["steps"] for part in parts} == {62}
    assert [part["label"] for part in result["crossings"]] == [f"channel {channel}" for channel in range(4)]
    assert main(["explain", "nccl-32-gpus", "--top", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("    channel 1, all 62 steps ") for line in lines[lines.index("  by channel") :])
    at = lines.index("Links between switches that one part crosses more than once in a step")
    assert lines[at + 1] == "  parts without such links: 4 of 4"


def test_links_that_a_ring_crosses_twice_are_listed(tmp_path, capsys):
    (tmp_path / "log").write_text("NCCL INFO Channel 00/02 : 0 2 1 3\nNCCL INFO Channel 01/02 : 0 1 2 3\n")
    path = tmp_path / "tree.fabriscope.json"
    tree = {"type": "fat-tree", "arity": 2, "levels": 2}
    routing = {"type": "minimal", "spread": "single"}
    path.write_text(json.dumps(RING | {"network": tree, "job": {"type": "nccl", "log": "log"}, "routing": routing}))
    first, second = explained(capsys, str(path))["crossings"]
    assert (first["label"], second["links"]) == ("channel 0", [])
    assert [link["times"] for link in first["links"]] == [2.0] * len(first["links"])
    assert first["links"]
    assert main(["explain", str(path)]) == 0
    out = capsys.readouterr().out
    assert " (2 times)" in out
    assert "  parts without such links: 1 of 2" in out
