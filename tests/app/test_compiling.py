"""What the command line says while kernels are compiled, and where they cannot be kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.presets import preset
from core.files import write_scenario

ROOT = Path(__file__).resolve().parents[2]


def program(*arguments, **places):
    environment = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")} | places
    command = [sys.executable, str(ROOT / "main.py"), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.fabriscope.json"
    write_scenario(path, preset("hypercube-64-nodes"))
    return str(path)


def test_without_a_home_one_line_says_that_nothing_is_kept(tmp_path, file):
    ended = program("evaluate", file, HOME=str(tmp_path / "nobody"))
    assert ended.returncode == 0
    assert ended.stdout.startswith("50 GB/s per node")
    assert sum("can be kept nowhere" in line for line in ended.stderr.splitlines()) == 1
    assert "Traceback" not in ended.stderr


def test_help_needs_no_home(tmp_path):
    ended = program("--help", HOME=str(tmp_path / "nobody"))
    assert (ended.returncode, ended.stderr) == (0, "")
