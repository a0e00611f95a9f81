"""`evaluate REPORT.html`: the scenario in a report or page is evaluated again and compared with the document."""

import json

import pytest

from app.cli.main import main

NAME = "hypercube-64-nodes"


@pytest.fixture(scope="module", params=["report", "page"])
def document(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param) / "x.html"
    assert main([request.param, NAME, "--out", str(path)]) == 0
    return path


def outcome(capsys, *arguments):
    capsys.readouterr()
    status = main(list(map(str, arguments)))
    return status, capsys.readouterr()


def test_figures_hold(document, capsys):
    status, printed = outcome(capsys, "evaluate", document)
    *report, verdict = printed.out.splitlines()
    assert status == 0
    assert verdict.startswith("x.html: all figures of scenario ")
    assert outcome(capsys, "evaluate", NAME)[1].out.splitlines() == report
    status, printed = outcome(capsys, "evaluate", document, "--json")
    figures = json.loads(printed.out)
    (check,) = figures.pop("document")
    assert (status, check["changes"], check["digest"]) == (0, [], check["current_digest"])
    assert figures == json.loads(outcome(capsys, "evaluate", NAME, "--json")[1].out)


def test_changed_figures_are_named_and_the_status_is_1(document, tmp_path, capsys):
    changed = tmp_path / "changed.html"
    changed.write_text(document.read_text().replace("bottleneck&#34;:&#34;", "bottleneck&#34;:&#34;no "))
    status, printed = outcome(capsys, "evaluate", changed)
    *_, verdict, figure = printed.out.splitlines()
    assert status == 1
    assert verdict.startswith("changed.html: 1 figure differs. It was written by Fabriscope ")
    assert figure.startswith("  bottleneck: no ")
    assert outcome(capsys, "evaluate", changed, "--json")[0] == 1
    # Figures of another scenario are not compared.
    status, printed = outcome(capsys, "evaluate", changed, "--mapping", "random:seed=3")
    assert (status, "changed.html" in printed.out) == (0, False)


def test_other_commands_read_the_scenario_too(document, capsys):
    assert outcome(capsys, "explain", document)[1].out == outcome(capsys, "explain", NAME)[1].out


def test_every_state_of_a_page_is_checked(tmp_path, capsys):
    path = tmp_path / "pair.html"
    assert main(["page", NAME, "power775-smallest", "--out", str(path)]) == 0
    status, printed = outcome(capsys, "evaluate", path)
    verdicts = [line for line in printed.out.splitlines() if line.startswith("pair.html, ")]
    assert (status, len(verdicts)) == (0, 2)


def test_a_web_page_without_a_scenario_is_one_line(tmp_path, capsys):
    (tmp_path / "x.html").write_text("<!DOCTYPE html><html><body></body></html>")
    status, printed = outcome(capsys, "evaluate", tmp_path / "x.html")
    assert status == 2
    assert printed.err.count("\n") == 1
    assert "x.html is a web page without a scenario" in printed.err
