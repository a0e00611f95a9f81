"""The modules of each command: none that it does not need, since loading takes most of the time to start."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from app import __version__
from app.cli.main import GC_THRESHOLD, main
from app.storage.presets import preset
from core.files import write_scenario
from tests import patience
from tests.app.window.conftest import COMPILER
from tests.core.sweep.studies import content

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import gc, sys
from app.cli import progress_line
from app.cli.main import main
progress_line.SHOW_AFTER = {shown_after}
try:
    status = main()
except SystemExit as end:
    status = end.code
print(gc.get_threshold()[0], file=sys.stderr)
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(status)
"""
QT = {"PySide6", "shiboken6", "qtpy", "vispy", "pyqtgraph"}
NUMBERS = {"numpy", "numba", "scipy", "networkx", *QT}
CLUSTER = {"dask", "distributed", "pyarrow"}


class Ended(NamedTuple):
    """The end of a command: its modules, its output, and its threshold of garbage collection."""

    modules: set
    printed: str
    lines: list
    threshold: int


def loaded(*arguments, shown_after=1.0, **places):
    command = [sys.executable, "-c", SCRIPT.format(shown_after=shown_after), *arguments]
    environment = os.environ | places
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patience.SECONDS)
    assert ended.returncode == 0, ended.stderr
    *lines, threshold, modules = ended.stderr.splitlines()
    return Ended(set(modules.split()), ended.stdout, lines, int(threshold))


def test_help_loads_no_numbers():
    assert not loaded("--help").modules & NUMBERS


def test_nor_does_the_version_of_the_program():
    modules, printed, *_ = loaded("--version")
    assert not modules & NUMBERS
    assert printed == f"{__version__}\n"


def test_a_study_that_is_planned_starts_no_cluster(tmp_path):
    path = tmp_path / "small.fabriscope-study.json"
    path.write_bytes(content())
    assert not loaded("study", str(path), "--plan").modules & {*QT, *CLUSTER}


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.fabriscope.json"
    write_scenario(path, preset("power775-smallest"))
    return str(path)


def assert_light(modules):
    assert not modules & {*QT, *CLUSTER, *COMPILER, "networkx"}
    assert not {name for name in modules if name.startswith(("scipy.linalg", "scipy.sparse"))}


def test_loads_load_no_window_and_once_code_is_kept_nothing_to_compile_with(tmp_path, small):
    places = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "shown_after": 0.0}
    first, again = (loaded("evaluate", small, "--json", **places) for _ in range(2))
    assert first.modules >= COMPILER
    assert "scipy.linalg" not in first.modules
    assert_light(again.modules)
    assert first.lines == ["fabriscope: preparing for first use …"]
    assert (again.lines, again.printed) == ([], first.printed)


def test_nor_do_metrics_which_look_for_garbage_when_there_may_be_some(small, capsys):
    assert main(["metrics", small, "--json"]) == 0  # compiles the kernels that no other test has compiled
    ended = loaded("metrics", small, "--json")
    assert_light(ended.modules)
    assert (ended.lines, ended.printed) == ([], capsys.readouterr().out)
    assert ended.threshold == GC_THRESHOLD


def test_core_loads_no_compiler():
    command = (
        "import core.load.live, core.optimise.run, core.files.scenario_file, sys; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", command], cwd=ROOT, timeout=patience.SECONDS).returncode == 0


IN_TWO_THREADS = """
import re, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication, QMainWindow
from app.window import launch
from core.spec import no_progress

def packages():
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    own = {name: Path(file) for name, file in files.items() if file and name.startswith(("app.", "core."))}
    inits = {name: file.read_text() for name, file in own.items() if file.name == "__init__.py"}
    return {name for name, text in inits.items() if re.search(r"^from (app|core)", text, re.MULTILINE)}

application = QApplication([])
starter, before = launch._Starter(QMainWindow(), None), set()
starter._runner.request = lambda work: before.update(packages())
starter.begin()
launch.first(None, no_progress)
print(*sorted(packages() - before))
"""


def test_packages_that_import_their_modules_are_not_imported_in_two_threads():
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", IN_TWO_THREADS]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patience.SECONDS)
    assert (ended.stdout.split(), ended.stderr) == ([], "")


def test_the_window_opens_without_modules_that_are_needed_later(killed_program):
    modules, _ = killed_program
    assert "app.window.main_window" in modules
    assert not modules & {
        "app.window.help",
        "app.window.palette",
        "app.panels.networks.table",
        "app.panels.networks.chooser",
        "networkx",
    }
    assert not modules & {"scipy.linalg", "scipy.sparse", "pyqtgraph", "OpenGL.GL", *COMPILER}
    assert not {name for name in modules if name.endswith(".py")}  # nobody has read the sources


def test_modules_of_charts_are_loaded_after_the_first_frame(killed_program):
    modules, _ = killed_program
    assert "painted" in modules
    assert not {name for name in modules if name.startswith(("pyqtgraph", "app.views.charts.kit"))}


def test_the_names_of_fields_load_no_screen():
    assert not loaded("schema").modules & QT
