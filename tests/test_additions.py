"""The additions in CONTRIBUTING work as printed: one new file, and lines of the file that lists its kind."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.additions import additions, make

ROOT = Path(__file__).resolve().parent.parent
ADDITIONS = additions()
KINDS = (
    "A network family", "A job pattern", "A mapping", "A routing", "A view", "A command", "An import format",
    "An export format", "A figure",
)  # fmt: skip
CHECKS = """
from pathlib import Path
import networkx as nx
from app.actions.table import ACTIONS
from app.cli.main import parser_of
from app.model.view_table import SPECS
from app.window.help import reference
from core.job import AllToAll, AnyJob, Reversal
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Backwards, Sequential
from core.files.recognise import choice_of
from core.formats import written_of
from core.network import Edges, Star, Torus
from core.routing import Minimal
from core.routing.star import ThroughSwitch
from core.spec import from_plain

text = reference()
assert all(f"(`{name}`)" in text for name in ("star", "reversal", "backwards", "through-switch")), text
assert "Show classes" in text and "Select first node" in text
assert "select.first" in {spec.id for spec in ACTIONS} and SPECS["classes"].slot == "charts"
parser_of("render").parse_args(["render", "x.json", "--view", "classes", "--out", "x.png"])
network = Star(nodes=8).build()
assert nx.is_isomorphic(nx.Graph(zip(network.src.tolist(), network.dst.tolist())), nx.star_graph(8))
loads = [
    evaluate(Scenario(Star(nodes=8), AllToAll(tasks=8), mapping, routing).build()).load.tolist()
    for mapping in (Sequential(), Backwards()) for routing in (Minimal(), ThroughSwitch())
]
assert loads[0] == loads[1] == loads[2] == loads[3] and min(loads[0]) > 0
assert from_plain({"type": "sequence", "parts": [{"type": "reversal", "tasks": 4}]}, AnyJob).build().tasks == 4
ring = Torus((3,)).build()
exported = written_of("network")
path = Path("ring.gml")
path.write_text("graph [ node [ id 0 label \\"a\\" ] node [ id 1 label \\"b\\" ] edge [ source 0 target 1 ] ]")
assert choice_of(path) == "network" and Edges(file=path.name, format="gml").build(Path()).nodes == 2
assert exported["gephi-csv"].write(ring).content.splitlines()[0] == "Source,Target,Type,Weight"
assert Reversal(tasks=4).build().phases[0].targets.tolist() == [3, 2, 1, 0]
"""
FIGURE = """
import contextlib, io, json, sys
from app.cli.main import main
from app.report.loads import figures_section
from app.report.findings import findings_of
from app.session.evaluation import evaluate_scenario
from app.storage.presets import preset
from app.tour.expression import caption
from app.tour.figures import Figures
from app.window.help import reference
from core.spec import no_progress
from core.sweep.points import Builder, point_row
from core.sweep.study import decode_study
import app.fabriscope as fabriscope

def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(arguments) == 0
    return out.getvalue()

scenario = preset("power775-smallest")
evaluation = evaluate_scenario(scenario, None, no_progress)
value = float(evaluation.report.utilisation.max() / evaluation.report.utilisation.mean())
assert json.loads(printed("evaluate", "power775-smallest", "--json"))["imbalance"] == value
assert fabriscope.evaluate("power775-smallest").imbalance == value
assert "Imbalance " in printed("evaluate", "power775-smallest")
assert "imbalance" in printed("help", "figures") and "| imbalance |" in reference()
both = json.loads(printed("diff", "power775-smallest", "--mapping", "random", "--json"))["figures"]["imbalance"]
assert both["a"] == value and both["b"] > 1
base = {
    "network": {"type": "torus", "dims": [4, 4]}, "job": {"type": "all-to-all", "tasks": 8},
    "mapping": {"type": "sequential"}, "routing": {"type": "minimal"}}
study = {"fabriscope_study": 1, "base": base, "vary": {"job.tasks": [8]}, "measure": ["imbalance"]}
assert point_row(decode_study(json.dumps(study).encode(), None), 0, Builder())["imbalance"] > 1
assert caption("{imbalance:.3f}", lambda scene, name: Figures(evaluation)[name]).text == f"{value:.3f}"
table = figures_section(findings_of(evaluation)).parts
assert any(row[0] == "Imbalance" for part in table for row in getattr(part, "rows", ()))
"""
AFFECTED = (
    "tests/core/figures/test_registry.py",
    "tests/core/test_formats.py",
    "tests/core/test_samples.py",
    "tests/core/network/test_network.py",
    "tests/app/panels/networks",
    "tests/test_fuzz.py",
)
"""Tests in the copy that include new kinds automatically."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the program with all additions made."""
    root = tmp_path_factory.mktemp("copy")
    for folder in ("app", "core", "resources", "tests", ".ci", ".github"):  # with their bytecode
        shutil.copytree(ROOT / folder, root / folder)
    for file in (path for path in ROOT.iterdir() if path.is_file()):
        shutil.copy(file, root)
    for title in KINDS:
        make(root, ADDITIONS[title])
    return root


def run(root, *arguments):
    """Run Python in a copy; return its output if it succeeds."""
    done = subprocess.run([sys.executable, *arguments], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout[-4000:], done.stderr[-4000:])
    return done.stdout


@pytest.mark.parametrize("title", KINDS)
def test_each_addition_is_at_most_one_new_file_and_lines_of_another(title):
    files = [(path, new) for path, new, _ in ADDITIONS[title] if not path.startswith("tests/")]
    assert sorted(new for _, new in files) in ([False], [False, True])


def test_the_entire_program_includes_all_additions(copy):
    run(copy, "-c", CHECKS)


def test_a_figure_appears_everywhere(copy):
    run(copy, "-c", FIGURE)


def test_the_affected_tests_pass(copy):
    run(copy, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *AFFECTED)


def test_all_tests_are_still_collected(copy):
    run(copy, "-m", "pytest", "-q", "--collect-only", "-n", "0", "tests")
