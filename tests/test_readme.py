"""The README is short, its links, labels and keys exist, and its commands run as printed."""

import os
import re
import shutil
import subprocess

import pytest

from app import __version__
from app.actions.keys import KEYS
from core.files.scenario_file import SECTIONS
from tests import stencil_trace
from tests.app.cli.program import run
from tests.readme import (
    ROOT,
    SETUP,
    blocks,
    commands,
    inline_commands,
    program_arguments,
    program_commands,
    text,
    with_best_mappings,
)

QUOTED = {
    "evaluate power775-halo-sequential": ("10 GB/s per node", "213.3 GB/s"),
    "diff power775-halo-sequential": ("160 GB/s", "75 %"),
    "optimise power775-halo-sequential": ("160",),
    "optimise --network": ("13.26", "36.46"),
}
"""Figures that the README takes from the output of a command, by how the command begins."""
ALIAS = 'alias fabriscope=".venv/bin/python main.py"'
KEY = re.compile(r"`((?:Ctrl\+|Shift\+)*(?:[A-Z]|F\d+))`")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of a checkout that the commands read."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(stencil_trace.TRACE, folder / stencil_trace.TRACE.relative_to(ROOT))
    return folder


def test_the_readme_has_at_most_130_lines_of_at_most_160_characters():
    lines = text().splitlines()
    assert len(lines) <= 130
    prose = [line for line in lines if not line.startswith(("| ", "    "))]
    assert max(map(len, prose)) <= 160


def test_every_link_and_picture_is_a_file_of_the_project():
    links = re.findall(r"\]\(([^)]+)\)", text())
    local = [link for link in links if "://" not in link]
    assert len(local) > 5
    assert [link for link in local if not (ROOT / link.partition("#")[0]).is_file()] == []


def test_every_picture_is_shown_or_linked():
    pictures = (ROOT / "resources" / "screenshots").iterdir()
    assert [path.name for path in pictures if path.name not in text()] == []


def test_every_label_exists_in_the_window():
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "app").rglob("*.py")))
    bold = re.findall(r"\*\*([^*]+)\*\*", text())
    labels = [label for menu_path in bold for label in menu_path.split(" › ")]
    assert len(labels) > 5
    sections = {name.capitalize() for name in SECTIONS}
    written = {label for label in labels if f'"{label}"' in source or f'"&{label}"' in source}
    assert {*labels} - sections - written == set()


def test_every_key_belongs_to_a_command():
    keys_of_commands = {key for keys in KEYS.values() for key in keys.split(" or ")}
    used = set(KEY.findall(text()))
    assert {"B", "F5", "Shift+C"} <= used <= keys_of_commands


def test_every_command_is_run_by_a_test():
    others = [command for command in commands() if program_arguments(command) is None]
    assert [command.partition("#")[0].strip() for command in others] == [*SETUP, ALIAS]
    fast, slow = program_commands(slow=False), program_commands(slow=True)
    assert len(fast) > 8
    assert slow
    assert sorted([*fast, *slow]) == sorted({*commands(), *inline_commands()} - {*others})


@pytest.mark.parametrize("target", SETUP)
def test_make_runs_the_program_and_the_tests(target):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = subprocess.run(
        [*target.replace("make", "make --dry-run").split()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {"make run": ".venv/bin/python main.py", "make test": ".venv/bin/python -m pytest"}[target] in done.stdout


def test_without_a_screen_the_window_becomes_a_picture(tmp_path):
    screenless = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = run(cwd=tmp_path, env=screenless | {"QT_QPA_PLATFORM": ""})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "fabriscope.png").is_file()


def test_the_alias_starts_the_program():
    if not (ROOT / ".venv" / "bin" / "python").exists():
        pytest.skip("there is no .venv: `make run` has not been called")
    done = subprocess.run(
        ["sh", "-c", f"{ALIAS}\nfabriscope --version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == __version__


@pytest.mark.parametrize("command", [command for command in commands() if program_arguments(command) is not None])
def test_a_shell_passes_the_arguments_as_printed(command, tmp_path):
    show = 'fabriscope() { printf "%s\\n" "$@"; }'
    done = subprocess.run(["sh", "-ue", "-c", f"{show}\n{command}"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == program_arguments(command)
    assert re.findall(r"[$*?<>|&;~]|FILE|HOST", command) == []


@pytest.mark.parametrize("block", [block for block in blocks() if "fabriscope " in block])
def test_the_commands_of_a_block_run_one_after_another(block, folder):
    run_all([command for command in program_commands(slow=False) if command in block], folder)


def test_the_commands_in_sentences_run(folder):
    run_all([command for command in program_commands(slow=False) if command in inline_commands()], folder)


def run_all(given, folder):
    for command in given:
        arguments = program_arguments(command)
        done = run(*arguments, cwd=folder)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert done.stdout or "--out" in arguments
        if "--out" in arguments:
            assert (folder / arguments[arguments.index("--out") + 1]).stat().st_size
        begin = next((begin for begin in QUOTED if " ".join(arguments).startswith(begin)), None)
        for figure in QUOTED.get(begin, ()):
            assert figure in done.stdout
            assert figure in text()


def test_the_best_mappings_are_quoted_as_computed():
    assert text() == with_best_mappings(), "run python -m tests.checks.store_mappings"


def test_the_trace_is_what_its_generator_writes():
    written = {path.name: path.read_text() for path in stencil_trace.TRACE.iterdir()}
    assert written == stencil_trace.files()
    assert sum(map(len, written.values())) < 100_000
