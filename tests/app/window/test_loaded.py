"""What each command loads: nothing that it does not need, for that is most of the time it takes to start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from app.cli.main import GC_THRESHOLD, main
from app.storage.presets import preset
from core.files import write_scenario
from tests import patience
from tests.core.study.sweep.studies import content

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import sys
from app.cli import progress_line
from app.cli.main import main
progress_line.SHOW_AFTER = {shown_after}
try:
    status = main({arguments})
except SystemExit as end:
    status = end.code
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(status)
"""
QT = {"PySide6", "shiboken6", "qtpy", "vispy"}
CLUSTER = {"dask", "distributed", "pyarrow"}
COMPILER = {"numba.np.linalg", "numba.typed.typedlist", "numba.np.arraymath"}
"""Some of what numba loads to compile, and not to run what it has compiled."""


def loaded(*arguments, shown_after=1.0, **places):
    command = [sys.executable, "-c", SCRIPT.format(arguments=list(arguments), shown_after=shown_after)]
    environment = os.environ | places
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patience.SECONDS)
    assert ended.returncode == 0, ended.stderr
    *said, modules = ended.stderr.splitlines()
    return set(modules.split()), ended.stdout, said


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_no_numbers(option):
    modules, *_ = loaded(option)
    assert not modules & {"numpy", "numba", "scipy", "networkx", *QT}


def test_the_version_is_that_of_the_program():
    assert loaded("--version")[1] == f"{__version__}\n"


def test_a_study_that_is_planned_starts_no_cluster(tmp_path):
    path = tmp_path / "small.fabriscope-study.json"
    path.write_bytes(content())
    modules, *_ = loaded("study", str(path), "--plan")
    assert not modules & {*QT, *CLUSTER}


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.fabriscope.json"
    write_scenario(path, preset("hypercube-64-nodes"))
    return str(path)


def assert_light(modules):
    assert not modules & {*QT, *CLUSTER, *COMPILER, "networkx"}
    assert not {name for name in modules if name.startswith(("scipy.linalg", "scipy.sparse"))}


def test_loads_load_no_window_and_once_code_is_kept_nothing_to_compile_with(tmp_path, small):
    places = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "shown_after": 0.0}
    first, printed, said = loaded("evaluate", small, "--json", **places)
    again, same, nothing = loaded("evaluate", small, "--json", **places)
    assert first >= COMPILER
    assert "scipy.linalg" not in first
    assert_light(again)
    assert said == ["fabriscope: compiling, once after an update"]
    assert (nothing, same) == ([], printed)


def test_nor_do_metrics(small, capsys):
    assert main(["metrics", small, "--json"]) == 0  # compiles what nothing else has
    modules, printed, said = loaded("metrics", small, "--json")
    assert_light(modules)
    assert (said, printed) == ([], capsys.readouterr().out)


def test_commands_look_for_garbage_when_there_may_be_some():
    script = SCRIPT.replace("main({arguments})", "main()").replace("*sorted(sys.modules)", "gc.get_threshold()[0]")
    command = [sys.executable, "-c", "import gc" + script.format(shown_after=1.0), "metrics", "torus:dims=4x4"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience.SECONDS)
    assert int(ended.stderr.splitlines()[-1]) == GC_THRESHOLD


def test_core_loads_no_compiler():
    command = (
        "import core.load.live, core.optimise.run, core.files.scenario_file, sys; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", command], cwd=ROOT, timeout=patience.SECONDS).returncode == 0


WINDOW = """
import app.window.launch as start, linecache, sys
from PySide6.QtCore import QTimer
make = start.make_window
def watched(path, found):
    window = make(path, found)
    def look():
        print(*sorted(sys.modules), *(name for name in linecache.cache if "app" in name), file=sys.stderr)
        window.close()
    QTimer.singleShot(100, look)
    return window
start.make_window = watched
start.open_window(None)
"""


def opened():
    command = [sys.executable, "-c", WINDOW]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience.SECONDS)
    assert ended.returncode == 0, ended.stderr
    return set(ended.stderr.splitlines()[-1].split())


def test_the_window_opens_without_what_is_shown_later():
    known = opened()
    if known & COMPILER:  # nothing else has compiled what it needs
        known = opened()
    assert "app.window.main_window" in known
    assert not known & {
        "app.window.help",
        "app.window.palette",
        "app.panels.networks.table",
        "app.panels.networks.chooser",
        "networkx",
    }
    assert not known & {"scipy.linalg", "scipy.sparse", "pyqtgraph", "OpenGL.GL", *COMPILER}
    assert not {name for name in known if name.endswith(".py")}  # nobody has read the sources
