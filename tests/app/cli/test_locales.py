"""Commands print and write the same in every locale."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.cli.main import main
from tests import patience

ROOT = Path(__file__).resolve().parents[3]
LOCALES = ("tr_TR", "de_DE")
"""Turkish has a different upper case of "i"; German has decimal commas."""
NEUTRAL = "C"


COMMANDS = """
from pathlib import Path
from {main} import main

folder = Path({folder!r})
commands = [
    ["evaluate", "hypercube-64-nodes"],
    ["evaluate", "--network", "torus:dims=4x4,gbs=0.425", "--job", "halo:rows=4,cols=4", "--json"],
    ["explain", "hypercube-64-nodes"],
    ["metrics", "hypercube:dimensions=3"],
    ["timeline", "hypercube-64-nodes"],
    ["export", "hypercube-64-nodes", "--to", "links-csv", "--out", str(folder / "a.txt")],
]
for words in commands:
    assert main(words) == 0, words
print((folder / "a.txt").read_text())
"""


@cache
def _made(name):
    """Return the temporary folder of a locale, or None if it cannot be created."""
    if shutil.which("localedef") is None:
        return None
    folder = TemporaryDirectory(prefix="locales-")  # kept by the cache until the process ends
    command = ["localedef", "-i", name, "-f", "UTF-8", str(Path(folder.name) / f"{name}.UTF-8")]
    return folder if subprocess.run(command, capture_output=True).returncode == 0 else None


def _environment(name):
    if name == NEUTRAL:
        return {"LC_ALL": NEUTRAL}
    folder = _made(name)
    if folder is None:
        pytest.skip(f"localedef, or its source of {name}, is missing")
    return {"LOCPATH": folder.name, "LC_ALL": f"{name}.UTF-8"}


def output(name, script, folder):
    """Return the output of a script in a locale; the script must succeed and print no error."""
    homes = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("DATA", "CONFIG")}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT, env={**os.environ, **homes, **_environment(name)},
        capture_output=True, text=True, encoding="utf-8", timeout=patience.SECONDS,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout.replace(str(folder), "FOLDER")


@pytest.fixture(scope="module")
def neutral(tmp_path_factory):
    folder = tmp_path_factory.mktemp("neutral")
    return output(NEUTRAL, COMMANDS.format(main=main.__module__, folder=str(folder)), folder)


@pytest.mark.parametrize("name", LOCALES)
def test_commands_print_and_write_the_same_in_every_locale(neutral, tmp_path, name):
    assert output(name, COMMANDS.format(main=main.__module__, folder=str(tmp_path)), tmp_path) == neutral
