"""The option --failures of searches: numbers, files of `resilience`, lists of faults, and errors in one line."""

import json
from unittest.mock import patch

import pytest

from app.cli.failures_option import failures_given
from app.cli.main import main
from core.figures.resilience import components
from core.network import LinkFault, NodeFault, Torus
from core.spec import SpecError

LINE = "--network", "torus:dims=3x3", "--job", "halo:rows=3,cols=3", "--mapping", "random:seed=1"
NETWORK = Torus((3, 3)).build()


@pytest.fixture
def failures(tmp_path, capsys):
    """The files that resilience writes for all cables."""
    table, printed = tmp_path / "r.csv", tmp_path / "r.json"
    assert main(["resilience", *LINE, "--out", str(table), "--json"]) == 0
    printed.write_text(capsys.readouterr().out)
    return table, printed


def test_files_of_resilience_list_all_cables(failures):
    for path in failures:
        assert set(failures_given(str(path), NETWORK)) == set(components(NETWORK, "cables"))


def test_a_list_of_faults_is_as_in_scenarios(tmp_path):
    path = tmp_path / "faults.json"
    path.write_text('[{"type": "link", "src": 0, "dst": 1, "speed": 0.5}, {"type": "node", "node": 3}]')
    assert failures_given(str(path), NETWORK) == (LinkFault(0, 1, speed=0.5), NodeFault(3))


def test_the_search_prints_the_failures_and_the_bound(failures, capsys):
    arguments = ["optimise", *LINE, "--steps", "400", "--failures", str(failures[1])]
    assert main([*arguments, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["objective"], len(figures["failures"])) == ("robust", 18)
    assert figures["bound"] <= figures["found"] <= figures["start"]
    assert figures["time"] <= figures["found"] * (1 + 1e-9)
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "Worst failure: the longest time without and after 18 failures: " in printed
    assert main(["optimise", *LINE, "--steps", "50", "--failures", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["failures"]) == 2


def test_the_choice_of_the_worst_cables_reports_progress(capsys):
    assert main(["optimise", *LINE, "--steps", "50", "--failures", "2", "--progress"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    done = [record["done"] for record in records if record["stage"] == "failures" and "done" in record]
    assert done == sorted(done)
    search = [record for record in records if record["stage"] == "search"]
    assert len({record["bound"] for record in search}) == 1
    assert 0 < search[0]["bound"] <= search[-1]["best"]
    assert len(done) > 5


def test_a_routing_without_single_moves_is_refused_before_failures_are_evaluated(capsys):
    planned = [*LINE[:4], "--mapping", "random:seed=1", "--routing", "congestion-aware", "--failures", "2"]
    with patch("core.optimise.robust.Failures", side_effect=AssertionError):
        assert main(["optimise", *planned]) == 2
    assert "congestion-aware is planned for all flows at once" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "lists no failures"),
        ("{}", "missing required field `rows`"),
        ('{"rows": [{"failure": "X link 7"}]}', "this network has no 'X link 7'"),
        ('[{"type": "cable"}]', "Invalid value 'cable'"),
        ("text", "JSON is malformed"),
    ],
)
def test_an_invalid_file_is_one_line(content, words, tmp_path):
    path = tmp_path / "f.json"
    path.write_text(content)
    with pytest.raises(SpecError) as error:
        failures_given(str(path), NETWORK)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["0", "257", "9" * 30, "nowhere.json", "nowhere.csv", ""])
def test_an_invalid_value_says_what_is_right(text):
    with pytest.raises(SpecError, match="give a number from 1 to 256, a file of fabriscope resilience"):
        failures_given(text, NETWORK)
