"""Every command refuses a file name with a wrong ending, and names the valid endings."""

import os

import pytest

from app.cli.main import main
from core.files.atomic import check_place
from core.files.export import endings_of, format_of, kinds
from core.formats import FORMATS
from core.spec import SpecError

SMALL = ["--network", "mesh:dims=2x2", "--job", "halo:rows=2,cols=2"]
OUTPUTS = [
    (["report", *SMALL, "--out"], ".html or .htm"),
    (["page", *SMALL, "--out"], ".html or .htm"),
    (["render", *SMALL, "--out"], ".png, .svg or .pdf"),
    (["render", *SMALL, "--view", "job", "--format", "pdf", "--out"], ".pdf"),
    (["film", *SMALL, "--out"], ".mp4 or .gif"),
    (["tour", "mapping-on-percs", "--out"], ".pdf"),
    (["optimise", *SMALL, "--out"], ".json"),
    (["evaluate", *SMALL, "--links"], ".csv"),
    (["timeline", *SMALL, "--csv"], ".csv"),
    (["compare", "mesh:dims=2x2", "--csv"], ".csv"),
    (["export", *SMALL, "--to", "graphml", "--out"], ".graphml"),
    (["export", *SMALL, "--to", "links-npz", "--out"], ".npz"),
    (["export", *SMALL, "--to", "hostfile", "--out"], ".txt"),
]


@pytest.mark.parametrize("name", ["r.svg", "r.html", "r.mp4", "r.pdf", "r.json", "r.PARQUET"])
@pytest.mark.parametrize(("command", "endings"), OUTPUTS, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_another_ending_is_refused_with_the_right_ones(tmp_path, monkeypatch, capsys, command, endings, name):
    monkeypatch.chdir(tmp_path)
    if os.path.splitext(name)[1] in endings:
        pytest.skip("this ending is right")
    (tmp_path / name).write_text("mine")
    assert main([*command, name]) == 2
    option = command[-1]
    assert capsys.readouterr() == ("", f"fabriscope: {option}: {name} must end in {endings}\n")
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize(("kind", "part"), [(kind, part) for kind, parts in kinds().items() for part in parts])
def test_exported_text_may_have_any_ending_except_another_format(tmp_path, kind, part):
    own = format_of(kind, part).ending
    others = {form.ending for form in FORMATS if form.writer} - {own, ".txt", ""}
    for name in (f"a{own}", f"a{own.upper()}"):
        check_place(tmp_path / name, "--out", endings_of(kind, part, tmp_path / name))
    binary = own in (".npz", ".parquet")
    for name in (*(f"a{other}" for other in others), *(["a", "a.txt", "a.part.4"] if binary else [])):
        with pytest.raises(SpecError, match=f"{name} must end in "):
            check_place(tmp_path / name, "--out", endings_of(kind, part, tmp_path / name))
    for name in [] if binary else ["ranks", "a.txt", "graph.part.4", "net.gv"]:
        check_place(tmp_path / name, "--out", endings_of(kind, part, tmp_path / name))


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="has no devices")
def test_pipes_and_devices_have_any_name(tmp_path, capsys):
    for command in (["timeline", *SMALL, "--csv"], ["evaluate", *SMALL, "--links"], ["render", *SMALL, "--out"]):
        assert main([*command, "/dev/null"]) == 0
    assert "written" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["report", *SMALL, "--out"], "r.html"),
        (["page", *SMALL, "--out"], "r.html"),
        (["render", *SMALL, "--out"], "r.svg"),
        (["tour", "T", "--out"], "r.pdf"),
        (["film", *SMALL, "--seconds", "0.1", "--size", "64x64", "--out"], "r.gif"),
        (["optimise", *SMALL, "--steps", "10", "--out"], "r.json"),
        (["evaluate", *SMALL, "--links"], "r.csv"),
        (["timeline", *SMALL, "--csv"], "r.csv"),
        (["compare", "mesh:dims=2x2", "--csv"], "r.csv"),
        (["export", *SMALL, "--to", "dot", "--out"], "r.dot"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_the_last_line_names_the_written_file(tmp_path, monkeypatch, capsys, command, name):
    monkeypatch.chdir(tmp_path)
    tour = '{"fabriscope_tour": 1, "title": "T", "scenes": [{"title": "s", "scenario": "power775-smallest"}]}'
    (tmp_path / "T").write_text(tour)
    assert main([*command, name]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"written: {name}"
    assert (tmp_path / name).stat().st_size > 0
