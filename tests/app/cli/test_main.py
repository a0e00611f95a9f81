"""The command line: output, files and errors."""

import csv
import json
import os
import socket
import sys
from dataclasses import replace

import pytest

from app.cli.main import main, with_command
from app.cli.screen import has_screen
from app.storage.presets import preset, preset_names
from core.files import write_scenario
from core.network import BundleFault, NodeFault
from tests.app.cli.program import run


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "example.fabriscope.json"
    write_scenario(path, preset("power775-halo"))
    return path


def test_evaluate_prints_one_json_object(example, capsys):
    assert main(["evaluate", str(example), "--json"]) == 0
    out, err = capsys.readouterr()
    figures = json.loads(out)
    assert err == ""
    assert figures["throughput_gbs"] == pytest.approx(64)
    assert figures["bottleneck"] == "LR"
    assert figures["time_per_unit"] == pytest.approx(0.0625)
    assert figures["links"] == 35712
    assert figures["phases"] == 1
    assert list(figures["classes"]) == ["LL", "LR", "D"]
    lr = figures["classes"]["LR"]
    assert set(lr) == {
        "links", "gbs", "max_load", "mean_load", "sum_load", "throughput_gbs", "percent", "mean_percent",
    }  # fmt: skip
    assert (lr["links"], lr["gbs"], lr["max_load"]) == (24576, 5.0, pytest.approx(0.3125))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["my.fabriscope.json"], ["window", "my.fabriscope.json"]),
        (["evaluate", "my.fabriscope.json"], ["evaluate", "my.fabriscope.json"]),
        (["--help"], ["--help"]),
        ([], []),
    ],
)
def test_a_file_alone_is_opened_in_the_window(given, meant):
    assert with_command(given) == meant


def test_text_of_evaluate_has_the_bottleneck_and_the_bound(example, capsys):
    assert main(["evaluate", str(example)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("64 GB/s per node, limited by LR links")
    assert "Upper bound 213.3 GB/s per node: at least 368 units must leave their supernodes over D links." in out
    assert "This mapping reaches 30 % of the upper bound." in out


def test_evaluate_reports_disconnected_flows(tmp_path, capsys):
    path = tmp_path / "broken.fabriscope.json"
    scenario = preset("power775-halo")
    write_scenario(path, replace(scenario, faults=(BundleFault(0, 1), NodeFault(99, 0.5))))
    assert main(["evaluate", str(path)]) == 0
    out = capsys.readouterr().out
    assert "but 16 flows (4 units) are disconnected" in out.splitlines()[0]
    assert "note: 8 links failed, " in out
    assert (
        "note: 16 flows (4 units) are disconnected: direct routing has no path left between supernodes 0 and 1" in out
    )
    assert "Upper bound" not in out
    assert main(["evaluate", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["cut_flows"], figures["cut_volume"]) == (16, 4.0)
    write_scenario(path, replace(scenario, faults=(NodeFault(99, 0.5),)))
    assert main(["evaluate", str(path), "--json"]) == 0
    assert "cut_flows" not in json.loads(capsys.readouterr().out)


def test_links_are_written_one_row_each(example, tmp_path, capsys):
    out = tmp_path / "links.csv"
    assert main(["evaluate", str(example), "--json", "--links", str(out)]) == 0
    figures = json.loads(capsys.readouterr().out)
    with out.open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == 35712
    assert list(rows[0]) == ["src", "dst", "class", "load", "utilisation"]
    assert sum(float(r["load"]) for r in rows if r["class"] == "D") == pytest.approx(
        figures["classes"]["D"]["sum_load"]
    )
    assert max(float(r["utilisation"]) for r in rows) == pytest.approx(1)


def test_bad_input_is_one_line_and_status_2(example, tmp_path, capsys):
    broken = tmp_path / "broken.fabriscope.json"
    broken.write_text(example.read_text().replace('"supernodes": 32', '"supernodes": 0'))
    assert main(["evaluate", str(broken)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "network.supernodes" in err


def test_links_that_cannot_be_written_are_refused(example, tmp_path, capsys):
    assert main(["evaluate", str(example), "--links", str(tmp_path / "none" / "x.csv")]) == 2
    assert "--links" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            ["optimise", "x", "--secnds", "3"],
            "optimise: unknown option '--secnds'; did you mean --seconds? see fabriscope opt",
        ),
        (
            ["optimise", "x", "--secnds=3"],
            "optimise: unknown option '--secnds'; did you mean --seconds? see fabriscope opt",
        ),
        (["evaluate", "x", "-x"], "evaluate: unknown option '-x'; see fabriscope evaluate --help"),
        (
            ["evaluate", "x", "y"],
            "evaluate: unexpected argument 'y'; see fabriscope evaluate --help",
        ),
        (["--nosuch"], ": unknown option '--nosuch'; see fabriscope --help"),
        (["evalute"], "'evalute' is not known; did you mean evaluate? choices: window"),
    ],
)
def test_misspelt_arguments_have_a_suggestion_in_one_line(given, words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(given)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("size", ["1600", "x", "10x10", "99999x100", "-5x100", "1e3x100"])
def test_bad_sizes_are_refused(size, example, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["render", str(example), "--out", "x.png", "--size", size])
    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_evaluates(name, tmp_path, capsys):
    path = tmp_path / "p.fabriscope.json"
    write_scenario(path, preset(name))
    assert main(["evaluate", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_gbs"] > 0


def without_a_screen(arguments, folder):
    """Run the program as on a machine without a display."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    return run(*arguments, cwd=folder, env=environment)


def test_without_a_display_the_default_scenario_is_drawn(tmp_path):
    done = without_a_screen([], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "No display is available" in done.stdout
    assert "64 GB/s per node, limited by LR links" in done.stdout
    assert (tmp_path / "fabriscope.png").read_bytes().startswith(b"\x89PNG")


def test_without_a_display_a_named_pipe_is_not_waited_for(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("app.cli.screen.has_screen", lambda: False)
    os.mkfifo(tmp_path / "pipe.fabriscope.json")
    assert main([str(tmp_path / "pipe.fabriscope.json")]) == 2
    message = capsys.readouterr().err
    assert message == "fabriscope: file: pipe.fabriscope.json cannot be read: it is a named pipe\n"


@pytest.mark.parametrize("view", ["machine", "job", "matrix"])
def test_render_works_without_a_display(view, example, tmp_path):
    from PySide6.QtGui import QImage

    picture, drawing = tmp_path / "dark.png", tmp_path / "light.svg"
    common = ["render", str(example), "--view", view, "--size", "800x500"]
    for out in (picture, drawing):
        done = without_a_screen([*common, "--theme", out.stem, "--out", str(out)], tmp_path)
        assert done.returncode == 0, done.stderr
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (800, 500)
    colours = {image.pixelColor(x, y).name() for x in range(0, 800, 7) for y in range(0, 500, 7)}
    assert len(colours) > 10
    assert "<svg" in drawing.read_text()[:600]


if sys.platform == "linux":  # elsewhere, screens do not depend on a display server

    def test_a_missing_display_is_recognised(monkeypatch):
        monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        assert has_screen()  # the display of the tests
        monkeypatch.setenv("DISPLAY", ":3987")
        assert not has_screen()


def test_a_display_is_recognised(monkeypatch, tmp_path):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not has_screen()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert not has_screen()  # the display of an ended session
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(tmp_path / "wayland-0"))
        compositor.listen()
        assert has_screen()
        monkeypatch.setenv("QT_QPA_PLATFORM", "wayland")
        assert has_screen()
    for platform in ("wayland", "offscreen", "xcb"):
        monkeypatch.setenv("QT_QPA_PLATFORM", platform)
        assert not has_screen()


def star(**job):
    """Three hosts, two slots each, with one task per node: three times as slow as possible."""
    flows = {"type": "flows", "src": [0, 0], "dst": [1, 2], "volume": [10.0, 10.0], **job}
    network = {"type": "fat-tree", "arity": 3, "levels": 1, "host_gbs": 1, "slots_per_node": 2}
    mapping = {"type": "explicit", "slots": [0, 2, 4]}
    return {"fabriscope": 1, "network": network, "job": flows, "mapping": mapping, "routing": {"type": "minimal"}}


@pytest.mark.parametrize(
    ("job", "first", "second"),
    [
        ({}, "0.5 GB/s per node, 20 s, limited by host links", "loads in GB"),
        ({"unit": "MB", "volume": [1e4, 1e4]}, "0.5 GB/s per node, 20 s, limited by host links", "loads in MB"),
        ({"unit": "messages"}, "0.5 GB/s per node for equal messages, limited by host links", "loads in messages"),
        ({"volume": [3470.0, 3470.0]}, "0.5 GB/s per node, 6,940 s, limited by host links", "loads in GB"),
    ],
)
def test_traced_flows_have_a_time_and_a_unit(tmp_path, capsys, job, first, second):
    path = tmp_path / "star.fabriscope.json"
    path.write_text(json.dumps(star(**job)))
    assert main(["evaluate", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == first
    assert lines[1] == f"3 tasks on 3 nodes, 6 links; {second}"
    assert lines[-1] == "This mapping reaches 50 % of the upper bound."
    rate = "GB/s per node" + " for equal messages" * (job.get("unit") == "messages")
    assert f"Upper bound 1 {rate}: " in lines[-2]


def test_all_jobs_on_a_machine_are_listed(tmp_path, capsys):
    path = tmp_path / "star.fabriscope.json"
    path.write_text(json.dumps(star()))
    assert main(["evaluate", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    (job,) = figures["jobs"]
    assert (job["name"], job["tasks"], job["nodes"]) == ("Traced flows", 3, 3)
    assert {name: job[name] for name in ("throughput_gbs", "time_per_unit")} == {
        name: figures[name] for name in ("throughput_gbs", "time_per_unit")
    }
    assert (figures["tasks"], figures["bound_gbs"], figures["notes"]) == (3, pytest.approx(1), [])


def test_loads_in_json_are_in_the_unit_of_the_job(tmp_path, capsys):
    path = tmp_path / "star.fabriscope.json"
    path.write_text(json.dumps(star(unit="bytes", volume=[1e9, 3e9])))
    assert main(["evaluate", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["classes"]["host"]["max_load"] == pytest.approx(4e9)
    assert figures["time_per_unit"] == pytest.approx(4.0)


def test_evaluate_reports_the_slowdown_of_each_job(tmp_path, capsys):
    """On a ring of links of 1 GB/s, 0 and 2 exchange a unit over 1, and B's tasks on 1 and 3 over 2."""
    exchange = {"type": "permutation", "tasks": 2, "targets": [1, 0]}
    job = {"job": exchange, "mapping": {"type": "sequential"}}
    content = {
        "fabriscope": 1, "network": {"type": "torus", "dims": [8], "gbs": 1.0}, **job, "allocation": "0,2",
        "routing": {"type": "dimension-order"}, "neighbours": [{"name": "B", **job, "allocation": "1,3"}],
    }  # fmt: skip
    path, links = tmp_path / "a.fabriscope.json", tmp_path / "links.csv"
    path.write_text(json.dumps(content))
    assert main(["evaluate", str(path), "--json", "--links", str(links)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [(job["name"], job["time_alone"], job["slowdown"]) for job in figures["jobs"]] == [
        ("Permutation", 1.0, 2.0),
        ("B", 1.0, 2.0),
    ]
    assert [job.get("slows") for job in figures["jobs"]] == [None, 2.0]
    assert (figures["time_per_unit"], figures["throughput_gbs"]) == (2.0, 0.5)
    (host_class,) = figures["classes"].values()
    assert (host_class["max_load"], host_class["sum_load"], host_class["own_load"]) == (2.0, 8.0, 4.0)
    rows = list(csv.DictReader(links.read_text().splitlines()))
    assert {(row["load"], row["own"], row["others"]) for row in rows if row["src"] == "1" and row["dst"] == "2"} == {
        ("2.0", "1.0", "1.0")
    }
    assert main(["evaluate", str(path)]) == 0
    text = capsys.readouterr().out
    assert "slowdown" in text
    assert "loads include all jobs; the maximum is over the links that this job uses" in text
    assert "GB/s per node on these 2 nodes, background jobs ignored: at least 4 unit hops" in text
