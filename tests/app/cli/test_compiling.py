"""Messages while kernels are compiled, and if compiled code cannot be stored."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from app.session.session import Session
from app.storage.presets import preset
from app.window.status_bar import StatusLine
from core.files import write_scenario
from core.kernels import compile_events
from tests import patience

ROOT = Path(__file__).resolve().parents[3]


def program(*arguments, before=(), **places):
    environment = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")} | places
    command = [*before, sys.executable, str(ROOT / "main.py"), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patience.SECONDS)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.fabriscope.json"
    write_scenario(path, preset("power775-smallest"))
    return str(path)


def test_without_a_home_one_line_reports_that_code_is_not_stored(tmp_path, file):
    ended = program("evaluate", file, HOME=str(tmp_path / "missing"))
    assert ended.returncode == 0
    assert ended.stdout.startswith("5 GB/s per node")
    assert sum("cannot be stored" in line for line in ended.stderr.splitlines()) == 1
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="setpriv takes from root the right to enter every folder")
def test_an_inaccessible_home_counts_as_missing(tmp_path, file):
    home = tmp_path / "locked"
    home.mkdir(mode=0)
    powers = "-dac_override,-dac_read_search"
    as_others = ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}"] if os.geteuid() == 0 else []
    ended = program("evaluate", file, before=as_others, HOME=str(home))
    assert (ended.returncode, ended.stdout[:15]) == (0, "5 GB/s per node")
    assert sum("cannot be stored" in line for line in ended.stderr.splitlines()) == 1
    assert "Traceback" not in ended.stderr


def test_help_needs_no_home(tmp_path):
    ended = program("--help", HOME=str(tmp_path / "missing"))
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_window_shows_that_kernels_are_compiled(qtbot):
    line = StatusLine(Session.of(preset("hypercube-64-nodes"), sync=True))
    qtbot.addWidget(line)
    line.show()
    compile_events.begin()
    qtbot.waitUntil(lambda: "Preparing for first use …" in texts(line))
    compile_events.end()
    qtbot.waitUntil(lambda: "Preparing for first use …" not in texts(line))


def texts(line):
    return [label.text() for label in line.findChildren(QLabel) if label.isVisible()]
