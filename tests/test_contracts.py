"""The import contracts of pyproject.toml bite: a forbidden import in a copy of the source breaks them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS = "app uses core, never the other way round"
NO_SCREEN = "core knows no screen"
INSIDE_CORE = "inside core, imports run one way"


@pytest.fixture
def source(tmp_path):
    """Copy what the contracts read; the tree itself stays untouched."""
    for package in ("app", "core"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken_contracts(source):
    """Names of the contracts that the source breaks, told by import-linter's own command."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", command, "--no-cache"], cwd=source, capture_output=True, text=True, check=False
    )
    verdicts = {name: name + " BROKEN" in done.stdout for name in (LAYERS, NO_SCREEN, INSIDE_CORE)}
    for name, broken in verdicts.items():
        assert broken or name + " KEPT" in done.stdout, done.stdout + done.stderr
    assert (done.returncode != 0) == any(verdicts.values()), done.stdout
    return {name for name, broken in verdicts.items() if broken}


def test_source_keeps_every_contract(source):
    assert broken_contracts(source) == set()


@pytest.mark.parametrize(
    ("where", "line", "broken"),
    [
        ("core/load/stray.py", "import vispy", {NO_SCREEN}),
        ("core/load/stray.py", "import app", {LAYERS, NO_SCREEN}),
        ("core/network/stray.py", "import core.load", {INSIDE_CORE}),
        ("core/network/stray.py", "import core.job", {INSIDE_CORE}),
        ("core/stray.py", "", {INSIDE_CORE}),
    ],
)
def test_forbidden_import_breaks_its_contract(source, where, line, broken):
    (source / where).write_text(line + "\n")
    assert broken_contracts(source) == broken
