"""Setting up a checkout prints little, to standard error; if it is impossible, one line gives the reason at once."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import patience

ROOT = Path(__file__).resolve().parents[1]


def pins(lock):
    return set(re.findall(r"^(\S+==\S+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_the_lock_for_users_is_part_of_the_lock_for_developers():
    run, everything = pins("requirements.lock"), pins("requirements-dev.lock")
    assert run < everything
    assert not {pin for pin in run if pin.startswith(("mypy", "pytest", "ruff", "uv="))}


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_an_offline_setup_gives_the_reason_in_one_line_and_leaves_no_stamp(tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for lock in ROOT.glob("requirements*.lock"):
        shutil.copy(lock, tmp_path)
    # A user with Python, without uv, and an index that does not respond.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys._base_executable)
    hidden = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV"))}
    environment = hidden | {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    }
    command = ["sh", ".ci/setup.sh", "tools"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=patience.SECONDS
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert len(lines) == 2, lines
    assert "index cannot be reached" in lines[1]
    assert not list(tmp_path.glob(".venv/requirements*.lock"))
