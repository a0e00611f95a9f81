"""The command-line and Python tests against the installed wheel, in a folder that has its own app, core and resources.

`python -m tests.relocated [TEST ...]` runs all of them, or those given.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOOK = ROOT / ".ci" / "build_hook.py"
WRONG = 'raise ImportError("a package of the user, not of the program")\n'


def build_hook():
    """Return the module of the build hook."""
    spec = importlib.util.spec_from_file_location("build_hook", HOOK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_wheel(folder):
    """Build the wheel of this source tree, without a network, and return its path."""
    script = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return folder / done.stdout.splitlines()[-1]


def install(wheel, folder):
    """Unpack a wheel as an installer does; it has only Python files."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def user_folder(folder):
    """Make a folder that has packages with the names of the program's."""
    for name in ("app", "core", "resources"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(WRONG)
    return folder


def tests_in(folder):
    """Copy the tests of the command line, with imports from the installed package."""
    left_out = shutil.ignore_patterns("__pycache__", "benchmarks", "checks", "core")
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=left_out)
    for name in ("main.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    build_hook().relocate_sources(folder)
    return folder


def environment(site, folder):
    """Return an environment in which the user's folder comes before the installed package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(site)))}


def main(tests):
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        site = install(build_wheel(place), place / "site")
        folder = user_folder(tests_in(place))
        chosen = tests or ["tests/app/api", "tests/app/cli"]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
        return subprocess.run(command, cwd=folder, env=environment(site, folder), check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
