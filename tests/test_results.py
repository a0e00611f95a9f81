"""RESULTS.md, the file of benchmark figures: rows that a run does not measure stay, even if a limit fails."""

import os
import platform
from datetime import date
from pathlib import Path

import pytest

from tests import programs
from tests.benchmarks.results import Row, machine, quoting, read, written

ROOT = Path(__file__).resolve().parents[1]
README, RESULTS = ROOT / "README.md", ROOT / "tests" / "benchmarks" / "RESULTS.md"

CONFTEST = """
from pathlib import Path
from tests.benchmarks.results import Results

def pytest_configure(config):
    config.pluginmanager.register(Results(Path(__file__).parent, Path(__file__).with_name("README.md")))
"""
BENCH = '''"""How fast the snail is."""
import pytest

@pytest.mark.parametrize("metres", [2, 10])
def test_walk(record, metres):
    record(f"{metres} m", "FIGURE", "0.5× the speed of a toad")
    assert metres < LIMIT

def test_rest(record):
    record("a rest", "3 h")
'''


LOADED = "_pytest.terminal", "_pytest.assertion.rewrite", "_pytest.junitxml", "tests.benchmarks.results"


@pytest.fixture
def bench(tmp_path):
    """Run benchmarks in a separate folder; return the rows by their names."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "README.md").write_text("| what | measured | compared with |\n|---|---|---|\n| 2 m | ? | ? |\n")

    def run(source, *arguments):
        (tmp_path / "test_snail.py").write_text(source)
        options = ["-c/dev/null", f"--rootdir={tmp_path}", tmp_path, *arguments]
        # Loading other plugins takes seconds.
        isolated = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        programs.run(LOADED, ["-c", "import pytest; pytest.main()", *options], cwd=ROOT, env=isolated)
        rows = read((tmp_path / "RESULTS.md").read_text())
        return {row.what: row for row in rows}

    return run


def bench_source(figure, limit=100, rest="rest"):
    return BENCH.replace("FIGURE", figure).replace("LIMIT", str(limit)).replace("test_rest", f"test_{rest}")


def test_a_run_updates_its_rows_and_keeps_the_others(bench, tmp_path):
    rows = bench(bench_source("1 h"))
    assert [*rows] == ["2 m", "10 m", "a rest"]
    assert {row.date for row in rows.values()} == {date.today().isoformat()}
    assert {row.machine for row in rows.values()} == {machine()}
    assert rows["10 m"].command == '`make bench ARGS="-k test_walk"`'
    assert "How fast the snail is." in (tmp_path / "RESULTS.md").read_text()

    text = (tmp_path / "RESULTS.md").read_text().replace(rows["a rest"].date, "2001-02-03")
    (tmp_path / "RESULTS.md").write_text(text)
    rows = bench(bench_source("2 h", limit=5), "-k", "walk")
    assert [row.figure for row in rows.values()] == ["2 h", "2 h", "3 h"]  # including the row over its limit
    assert rows["a rest"].date == "2001-02-03"
    assert "| 2 m | 2 h | 0.5× the speed of a toad |" in (tmp_path / "README.md").read_text()


def test_a_run_of_all_removes_rows_that_are_no_longer_measured(bench):
    bench(bench_source("1 h"))
    renamed = bench_source("1 h", rest="sleep").replace('"a rest"', '"a sleep"')
    assert [*bench(renamed, "-k", "walk")] == ["2 m", "10 m", "a rest"]
    assert [*bench(renamed)] == ["2 m", "10 m", "a sleep"]
    assert [*bench(renamed.replace('f"{metres} m"', 'f"{metres} metres"'))] == ["2 metres", "10 metres", "a sleep"]
    # A failed test may have failed before it measured.
    fails = renamed.replace("    record(", "    assert metres == 2\n    record(", 1).replace(
        "metres} m", "metres} steps"
    )
    assert "10 metres" in bench(fails)


def test_rows_are_read_as_written(tmp_path):
    (tmp_path / "test_snail.py").write_text(bench_source("1 h"))
    rows = [Row("test_snail", f"{n:,} m", "1 h", baseline, "`make`", "2001-02-03", "one core") for n, baseline in WALKS]
    assert read(written(reversed(rows), tmp_path)) == rows


WALKS = (2, ""), (10, "a toad"), (1000, "")


def test_only_whole_names_are_quoted():
    row = Row("test_snail", "2 m", "1 h", "a toad", "`make`", "2001-02-03", "one core")
    assert quoting("2 m\n| 2 m | ? |\n| 2 metres | ? |\n", [row]) == "2 m\n| 2 m | 1 h | a toad |\n| 2 metres | ? |\n"


def test_the_machine_is_given_without_its_host_name():
    assert platform.node() not in machine()


def test_the_readme_quotes_a_few_rows_as_measured():
    text, rows = README.read_text(), read(RESULTS.read_text())
    assert quoting(text, rows) == text
    names = {row.what for row in rows}
    quoted = sum(line[2:].partition(" | ")[0] in names for line in text.splitlines() if line[:2] == "| ")
    assert 3 <= quoted <= 6
