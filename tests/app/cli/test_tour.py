"""`tour` and `film`: output, files and exit statuses."""

import json

import pytest

from app.cli.main import main
from app.storage.tours import SUFFIX

SCENES = [
    {"title": "In order", "id": "order", "scenario": "power775-smallest", "text": "**{throughput_gbs:.1f} GB/s**",
     "claims": ["nodes == 64", "throughput_gbs > 0"]},
    {"title": "Random", "changes": {"mapping": {"type": "random", "seed": 1}},
     "text": "{throughput_gbs / order.throughput_gbs:.2f}"},
]  # fmt: skip


def written(folder, *scenes):
    path = folder / f"talk{SUFFIX}"
    path.write_text(json.dumps({"fabriscope_tour": 1, "title": "Talk", "scenes": scenes}))
    return str(path)


def test_scenes_captions_and_claims_are_printed(tmp_path, capsys):
    assert main(["tour", written(tmp_path, *SCENES)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Talk · 2 scenes\n")
    assert "1. In order  [machine]" in printed
    assert "holds: nodes == 64" in printed
    assert "does not hold" not in printed


def test_json_holds_the_figures(tmp_path, capsys):
    assert main(["tour", written(tmp_path, *SCENES), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    first, second = printed["scenes"]
    assert first["text"] == f"**{first['throughput_gbs']:.1f} GB/s**"
    assert second["text"] == f"{second['throughput_gbs'] / first['throughput_gbs']:.2f}"


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        ({"claims": ["nodes == 65"]}, "does not hold: nodes == 65"),
        ({"claims": ["nothing > 1"]}, "cannot be checked: nothing > 1: no such figure: 'nothing'"),
        ({"claims": ["a = b"]}, "cannot be checked: a = b: 'a = b' cannot be computed"),
        ({"claims": ["nodes"]}, "cannot be checked: nodes: 'nodes' is not a comparison"),
        ({"changes": {"mapping": {"type": "nonsense"}}}, "cannot be shown: mapping.type: unknown type 'nonsense'"),
    ],
)
def test_failing_claims_and_scenes_give_status_1_and_the_tour_continues(tmp_path, capsys, scene, message):
    assert main(["tour", written(tmp_path, SCENES[0], {**SCENES[1], **scene}, {"title": "Last"})]) == 1
    printed = capsys.readouterr().out
    assert message in printed
    assert "3. Last" in printed


def test_a_broken_caption_gives_status_1_and_names_its_scene(tmp_path, capsys):
    broken = {**SCENES[1], "text": "Random is {througput} and {1/0}, {throughput_gbs:d} { and"}
    path = written(tmp_path, SCENES[0], broken)
    assert main(["tour", path, "--json", "--out", str(tmp_path / "talk.pdf")]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["failing"] == ["Random"]
    first, second = (scene["failing"] for scene in printed["scenes"])
    assert first == []
    stray, name, division, form = second
    assert stray.startswith("text: unmatched { or }")
    assert name.startswith("text: no such figure: 'througput'; did you mean throughput_gbs?")
    assert division == "text: 1 / 0 cannot be computed: division by zero"
    assert form.startswith("text: the format 'd' does not fit a fraction")
    assert main(["tour", path]) == 1
    assert capsys.readouterr().out.count("   error in text: ") == 4


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["tour", "no-such-tour"], "no such file or tour: 'no-such-tour'"),
        (["film", "BAD", "--out", "x.mp4"], "scenes[0].titel: is not a known field"),
        (["film", "power775-smallest", "--out", "x.avi"], "x.avi must end in .mp4 or .gif"),
        (
            ["film", "mapping-on-percs", "--search", "3", "--out", "x.gif"],
            "--search: cannot be used with a tour",
        ),
        (["film", "mapping-on-percs", "--view", "job", "--out", "x.gif"], "--view: cannot be used with a tour"),
        (["film", "x.fabriscope-recording.json", "--out", "x.gif"], "x.fabriscope-recording.json cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_2(tmp_path, capsys, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    bad = written(tmp_path, {"titel": "x"})
    assert main([bad if word == "BAD" else word for word in command]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_film_and_a_document_are_written(tmp_path, capsys, qapp):
    font, tour = qapp.font(), written(tmp_path, *SCENES)
    film, document = tmp_path / "x.gif", tmp_path / "x.pdf"
    assert main(["film", tour, "--out", str(film), "--size", "320x180", "--seconds", "0.2", "--progress"]) == 0
    assert film.read_bytes().startswith(b"GIF89a")
    printed = capsys.readouterr()
    assert printed.out == f"written: {film}\n"
    records = [json.loads(line) for line in printed.err.splitlines()]
    drawn = [record["done"] for record in records if record["stage"] == "drawing" and "done" in record]
    assert drawn == sorted(drawn)
    assert drawn[-1] == 1
    assert main(["tour", tour, "--out", str(document)]) == 0
    assert document.read_bytes().startswith(b"%PDF-")
    qapp.setFont(font)


BROKEN = {
    "caption": ({"text": "{througput}"}, "scene 2, Random: error in text: no such figure: 'througput'"),
    "division": ({"text": "{1/0}"}, "scene 2, Random: error in text: 1 / 0 cannot be computed"),
    "claim": ({"claims": ["nodes == 65"]}, "scene 2, Random: does not hold: nodes == 65"),
    "scene": (
        {"changes": {"mapping": {"type": "nonsense"}}},
        "scene 2, Random: cannot be shown: mapping.type: unknown type 'nonsense'",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_film_follows_the_rule_of_tour(tmp_path, capsys, qapp, what):
    font, (change, message) = qapp.font(), BROKEN[what]
    tour, film = written(tmp_path, SCENES[0], {**SCENES[1], **change}), tmp_path / "x.gif"
    assert main(["film", tour, "--out", str(film), "--size", "160x90", "--seconds", "0.1", "-q"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith(f"fabriscope: {message}")
    assert errors.count("\n") == 1
    assert film.read_bytes().startswith(b"GIF89a")
    assert main(["tour", tour]) == 1
    qapp.setFont(font)


@pytest.mark.parametrize("what", BROKEN)
def test_a_tour_without_a_display_follows_the_rule_of_tour(tmp_path, capsys, qapp, monkeypatch, what):
    font, tour = qapp.font(), written(tmp_path, SCENES[0], {**SCENES[1], **BROKEN[what][0]})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.cli.screen.has_screen", lambda: False)
    assert main([tour]) == 1
    assert "Drew the tour instead" in capsys.readouterr().out
    qapp.setFont(font)


def test_films_of_scenarios_with_files_in_any_folder(tmp_path, capsys, qapp, monkeypatch):
    font, trace = qapp.font(), tmp_path / "trace.txt"
    trace.write_text("0 1 5\n1 2 9\n")
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    chosen = ["--network", "torus:dims=2x2", "--job", f"flows:file={trace}"]
    assert main(["film", *chosen, "--out", "x.gif", "--size", "160x90", "--seconds", "0.1", "-q"]) == 0
    assert (away / "x.gif").is_file()
    qapp.setFont(font)


def test_without_a_display_a_tour_is_printed_and_drawn(tmp_path, capsys, qapp, monkeypatch):
    font, tour = qapp.font(), written(tmp_path, *SCENES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.cli.screen.has_screen", lambda: False)
    assert main([tour]) == 0
    qapp.setFont(font)
    assert "1. In order" in capsys.readouterr().out
    assert (tmp_path / "fabriscope.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize("command", ["evaluate", "explain"])
def test_a_tour_is_refused_as_a_scenario_by_name(tmp_path, capsys, command):
    assert main([command, written(tmp_path, *SCENES)]) == 2
    assert capsys.readouterr().err == (
        "fabriscope: file: talk.fabriscope-tour.json is not a valid scenario: "
        "it is a tour (open it in the window, or with fabriscope tour)\n"
    )
